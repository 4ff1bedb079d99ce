//! Links of a corpus in compact ragged arrays.

/// A link between a source and a target position of one sentence pair, both 0-based.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Link {
    /// Position in the source sentence.
    pub source: u32,
    /// Position in the target sentence.
    pub target: u32,
}

/// The links of each sentence pair, sorted by source, then target position, without repeats.
///
/// Pair `n` has `links[offsets[n]..offsets[n + 1]]`; `probabilities`, when present, runs in parallel with `links` and
/// holds the posterior probability of each link.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Links {
    /// All links, sentence after sentence.
    pub links: Vec<Link>,
    /// Start of each sentence in `links`, and the number of links at the end.
    pub offsets: Vec<u64>,
    /// Posterior probability of each link, or nothing when the links are plain.
    pub probabilities: Option<Vec<f32>>,
}

//! Orientation classes, and which definition of them is meant.

/// How a phrase pair stands to the one before it (or after it) in the target.
///
/// These are the four classes of "mslr"; the coarser sets join some of them: "msd" the two discontinuous ones, "monotonicity" all but the first,
/// "leftright" those of one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Orientation {
    /// The neighbour in the target is the neighbour in the source, in the same order.
    Mono = 0,
    /// The neighbour in the target is the neighbour in the source, in the opposite order.
    Swap = 1,
    /// The target goes on with source words further left: for "previous", the previous words stand right of this phrase pair, and not next to it.
    DiscontinuousLeft = 2,
    /// The target goes on with source words further right; also what cannot be told.
    DiscontinuousRight = 3,
}

impl Orientation {
    /// All classes, in the order of their codes.
    pub const ALL: [Self; 4] = [
        Self::Mono,
        Self::Swap,
        Self::DiscontinuousLeft,
        Self::DiscontinuousRight,
    ];

    /// The code of the class, from 0 to 3: its place in [`Orientation::ALL`].
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The class of three: 0 monotone, 1 swap, 2 other.
    #[must_use]
    pub const fn msd(self) -> u8 {
        match self {
            Self::Mono => 0,
            Self::Swap => 1,
            Self::DiscontinuousLeft | Self::DiscontinuousRight => 2,
        }
    }
}

/// The orientation of a phrase pair by each of the models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Orientations {
    /// Word-based ("wbe"): by the links of the words next to the corners.
    pub word: Orientation,
    /// Phrase-based: also by the phrase pairs, up to the maximum length, that touch the corners.
    pub phrase: Orientation,
    /// Hierarchical: also by the blocks of any length that touch the corners.
    pub hier: Orientation,
}

/// What counts as the neighbour of a phrase pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Definition {
    /// "Next" is the mirror image of "previous": a block that starts at the corner of this one.
    #[default]
    Strict,
    /// As Moses' `extract` does. DEVIATION from the papers: "next" by phrases and blocks looks for one that *ends* in the target row after this phrase
    /// pair, and the search for a distant one leaves out the last source word.
    Moses,
}

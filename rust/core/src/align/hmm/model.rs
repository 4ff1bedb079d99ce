//! What is kept of training: enough to align any text.

use super::jumps::Jumps;
use super::options::Options;
use crate::numeric::to_u64;

/// Expected links below this are left out of a trained model.
pub const SMALLEST_COUNT: f32 = 0.001;

/// A trained model of both directions. Words are ids of the training vocabularies, which are kept beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// The options of training.
    pub options: Options,
    /// Tokens of each source and target word.
    pub frequencies: [Vec<u64>; 2],
    /// Start of each source word's pairs, and the number of pairs.
    pub starts: Vec<u64>,
    /// Target word of each pair, rising for a source word.
    pub targets: Vec<u32>,
    /// Expected links of each pair: one list when the directions agree, else forward and reverse.
    pub links: Vec<Vec<f32>>,
    /// t(f | NULL) of each target word, and t(e | NULL) of each source word.
    pub nulls: [Vec<f32>; 2],
    /// Jumps over source and over target positions.
    pub jumps: [Jumps; 2],
}

impl Model {
    /// The model of these estimates, without pairs of less than [`SMALLEST_COUNT`] links in both directions.
    #[must_use]
    pub fn new(
        options: &Options,
        frequencies: [Vec<u64>; 2],
        starts: &[usize],
        targets: &[u32],
        links: &[Vec<f32>],
        nulls: [Vec<f32>; 2],
        jumps: [Jumps; 2],
    ) -> Self {
        let mut model = Self {
            options: options.clone(),
            frequencies,
            starts: vec![0],
            targets: Vec::new(),
            links: vec![Vec::new(); links.len()],
            nulls,
            jumps,
        };
        for row in starts.windows(2) {
            for pair in row[0]..row[1] {
                if links.iter().any(|counts| counts[pair] >= SMALLEST_COUNT) {
                    model.targets.push(targets[pair]);
                    model
                        .links
                        .iter_mut()
                        .zip(links)
                        .for_each(|(kept, counts)| kept.push(counts[pair]));
                }
            }
            model.starts.push(to_u64(model.targets.len()));
        }
        model
    }
}

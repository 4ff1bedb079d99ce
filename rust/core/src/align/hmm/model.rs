//! What is kept of training: enough to align any text.

use super::jumps::Jumps;
use super::options::Options;
use crate::numeric::{to_index, to_u64};

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
        (sources, targets): (&[u32], &[u32]),
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
        for (pair, (&e, &f)) in sources.iter().zip(targets).enumerate() {
            // Pairs come source word by source word.
            model
                .starts
                .resize(e as usize + 1, to_u64(model.targets.len()));
            if links.iter().any(|counts| counts[pair] >= SMALLEST_COUNT) {
                model.targets.push(f);
                for (kept, counts) in model.links.iter_mut().zip(links) {
                    kept.push(counts[pair]);
                }
            }
        }
        let words = model.frequencies[0].len();
        model.starts.resize(words + 1, to_u64(model.targets.len()));
        model
    }

    /// The model with more pairs, which rise and are not in it yet; those below [`SMALLEST_COUNT`] are left out.
    #[must_use]
    pub fn with_pairs(self, more: &[(u32, u32, f32)]) -> Self {
        let mut more = more
            .iter()
            .filter(|pair| pair.2 >= SMALLEST_COUNT)
            .peekable();
        if more.peek().is_none() {
            return self;
        }
        let mut model = Self {
            starts: vec![0],
            targets: Vec::with_capacity(self.targets.len()),
            links: vec![Vec::new(); self.links.len()],
            ..self.clone()
        };
        for (e, row) in (0_u32..).zip(self.starts.windows(2)) {
            let mut add = |f: u32, counts: &mut dyn Iterator<Item = f32>| {
                model.targets.push(f);
                for (kept, count) in model.links.iter_mut().zip(counts) {
                    kept.push(count);
                }
            };
            for pair in to_index(row[0])..=to_index(row[1]) {
                // Past the row's last pair come all that are left.
                let f = (pair < to_index(row[1])).then(|| self.targets[pair]);
                while let Some(&(_, other, count)) =
                    more.next_if(|next| next.0 == e && f.is_none_or(|f| next.1 < f))
                {
                    add(other, &mut std::iter::repeat(count));
                }
                if let Some(f) = f {
                    add(f, &mut self.links.iter().map(|counts| counts[pair]));
                }
            }
            model.starts.push(to_u64(model.targets.len()));
        }
        model
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::align::hmm::options::{Beam, Coupling, Decoding};

    fn options() -> Options {
        Options {
            warm_up: 1,
            iterations: 1,
            coupling: Coupling::Agreement,
            tau: 1.0,
            class_tau: 0.0,
            null_probability: 0.2,
            warm_up_null: None,
            smoothing: 0.1,
            initial_decay: 0.0,
            prefixes: Vec::new(),
            strength: vec![1.0],
            variety: 0.0,
            leave_out: 0.0,
            null_mixture: 0.5,
            beam: Beam {
                emission: 0.0,
                state: 0.0,
            },
            decoding: Decoding::Posterior,
            wants_posteriors: false,
            sampling: None,
        }
    }

    #[test]
    fn more_pairs_go_to_their_places() {
        let jumps = || Jumps::uniform(1.0, 0.1, None);
        let model = Model {
            options: options(),
            frequencies: [vec![1; 3], vec![1; 9]],
            starts: vec![0, 2, 2, 3],
            targets: vec![3, 5, 0],
            links: vec![vec![0.3, 0.5, 0.1]],
            nulls: [vec![0.0; 9], vec![0.0; 3]],
            jumps: [jumps(), jumps()],
        };
        assert_eq!(model.clone().with_pairs(&[]), model);
        let more = [
            (0, 1, 1.0),
            (0, 4, 4.0),
            (0, 6, 0.0),
            (0, 8, 8.0),
            (1, 2, 2.0),
            (2, 1, 1.5),
        ];
        let found = model.with_pairs(&more);
        assert_eq!(found.starts, [0, 5, 6, 8]);
        assert_eq!(found.targets, [1, 3, 4, 5, 8, 2, 0, 1]);
        assert_eq!(found.links, [[1.0, 0.3, 4.0, 0.5, 8.0, 2.0, 0.1, 1.5]]);
        found.check([3, 9]).expect("a model");
    }
}

//! What is behind the links of one sentence pair.

use super::cells::is_short;
use super::fold_in::{Knowledge, NewWord};
use super::jumps::{ROW, Transitions, bucket};
use super::kept::write_all;
use super::sentence::{Emissions, Posteriors, Workspace};
use crate::numeric::to_f32;
use crate::text::Bitext;

/// The factors of each cell of a sentence pair, source position by source position, forward and reverse.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evidence {
    /// Number of source and of target tokens.
    pub lengths: [usize; 2],
    /// Posterior of the link of each cell.
    pub posteriors: [Vec<f32>; 2],
    /// What each level of the back-off adds to t(f | e) and t(e | f), whole words first, relative frequencies last: so many numbers for each cell.
    pub parts: [Vec<f32>; 2],
    /// The probability of the jump to the given word of each cell; empty for Model 1.
    pub jumps: [Vec<f32>; 2],
}

impl Knowledge {
    /// The evidence of a sentence pair; None when it takes no part in alignment.
    ///
    /// # Complexity
    /// O(I J (I + J)) time and O(I J) memory.
    #[must_use]
    pub fn explain(&self, bitext: &Bitext, n: usize) -> Option<Evidence> {
        let sides = [bitext.source(), bitext.target()];
        if n >= bitext.len() || !bitext.usable()[n] {
            return None;
        }
        let words: [Vec<NewWord>; 2] = [0, 1].map(|side: usize| {
            let vocabulary = sides[side].vocabulary();
            let texts = sides[side].sentence(n).iter();
            texts
                .map(|&id| self.word(side, vocabulary.word(id).unwrap_or_default()))
                .collect()
        });
        let lengths = [words[0].len(), words[1].len()];
        if !is_short(lengths) {
            return None;
        }
        let mut found = Evidence {
            lengths,
            ..Evidence::default()
        };
        let mut emissions = Emissions {
            lengths,
            cells: Vec::new(),
            values: Vec::with_capacity(lengths[0] * lengths[1]),
            nulls: [1, 0].map(|side: usize| words[side].iter().map(|w| w.null).collect()),
        };
        for e in &words[0] {
            for f in &words[1] {
                emissions.values.push(self.entry(e, f));
                for (all, parts) in found.parts.iter_mut().zip(self.parts(e, f)) {
                    all.extend(parts);
                }
            }
        }
        let pairs = vec![0; lengths[0] * lengths[1]];
        write_all(lengths, &pairs, &mut emissions.cells);
        let options = &self.model().options;
        let mut posteriors = Posteriors::default();
        if options.iterations == 0 {
            emissions.model_1(options.warm_up_null, &mut posteriors);
        } else {
            let ids =
                [0, 1].map(|side: usize| words[side].iter().map(|w| w.id).collect::<Vec<_>>());
            let mut spaces: [Workspace; 2] = Default::default();
            let [forward, reverse] = &self.model().jumps;
            emissions.hmm(
                [&ids[0], &ids[1]],
                [&forward.tables(), &reverse.tables()],
                options.null_probability,
                options.beam,
                &mut spaces,
                &mut posteriors,
            );
            emissions.spread(&spaces, &mut posteriors);
            found.jumps = [0, 1].map(|direction: usize| {
                let transitions = &spaces[direction].transitions;
                arrivals(&emissions, direction, options.null_probability, transitions)
            });
        }
        found.posteriors = posteriors.links;
        Some(found)
    }
}

/// For each cell the probability of the jump to its given word, in the mean over where the chain may have come from:
///
/// ```text
/// sum over i' of alpha(j - 1, i') p(i | i')^2 / sum over i' of alpha(j - 1, i') p(i | i')
/// ```
///
/// where alpha(j, i) is the forward probability with i the last real position. Without beams.
fn arrivals(
    emissions: &Emissions,
    direction: usize,
    p0: f64,
    transitions: &Transitions,
) -> Vec<f32> {
    let (given, emitted) = (
        emissions.lengths[direction],
        emissions.lengths[1 - direction],
    );
    let jump = |from: usize, to: usize| f64::from(transitions.rows[from * ROW + bucket(from, to)]);
    let mut found = vec![0.0; emissions.values.len()];
    let mut alpha = vec![0.0; given + 1];
    alpha[0] = 1.0;
    for j in 0..emitted {
        let null = p0 * f64::from(emissions.nulls[direction][j]);
        let mut next: Vec<f64> = alpha.iter().map(|mass| mass * null).collect();
        for (to, mass) in next.iter_mut().enumerate().skip(1) {
            let (mut once, mut twice) = (0.0, 0.0);
            for (from, mass) in alpha.iter().enumerate() {
                let p = jump(from, to);
                once += mass * p;
                twice += mass * p * p;
            }
            let cell = if direction == 0 {
                (to - 1) * emitted + j
            } else {
                j * given + to - 1
            };
            if once > 0.0 {
                found[cell] = to_f32((twice / once / (1.0 - p0)).min(1.0));
            }
            *mass += once * f64::from(emissions.values[cell][direction]);
        }
        let sum: f64 = next.iter().sum();
        if sum > 0.0 {
            alpha = next.into_iter().map(|mass| mass / sum).collect();
        }
    }
    found
}

//! What is behind the links of one sentence pair.

use super::cells::is_short;
use super::fold_in::{Knowledge, NewWord};
use super::jumps::{BUCKETS, FAR, ROW, Transitions};
use super::kept::write_all;
use super::sentence::{Emissions, Posteriors, Workspace};
use crate::cancel::CancelToken;
use crate::error::Result;
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
    /// # Errors
    /// [`crate::error::Error::Cancelled`].
    ///
    /// # Complexity
    /// O(I J) time and memory.
    pub fn explain(
        &self,
        bitext: &Bitext,
        n: usize,
        cancel: &CancelToken,
    ) -> Result<Option<Evidence>> {
        let sides = [bitext.source(), bitext.target()];
        if n >= bitext.len() || !bitext.usable()[n] {
            return Ok(None);
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
            return Ok(None);
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
            cancel.check()?;
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
            emissions.model_1(options.warm_up_null, cancel, &mut posteriors)?;
        } else {
            let ids =
                [0, 1].map(|side: usize| words[side].iter().map(|w| w.id).collect::<Vec<_>>());
            let mut spaces: [Workspace; 2] = Default::default();
            emissions.hmm(
                [&ids[0], &ids[1]],
                &self.inference(cancel),
                &mut spaces,
                &mut posteriors,
            )?;
            emissions.spread(&spaces, &mut posteriors);
            for (direction, space) in spaces.iter().enumerate() {
                let p0 = options.null_probability;
                found.jumps[direction] =
                    arrivals(&emissions, direction, p0, &space.transitions, cancel)?;
            }
        }
        found.posteriors = posteriors.links;
        Ok(Some(found))
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
    cancel: &CancelToken,
) -> Result<Vec<f32>> {
    let (given, emitted) = (
        emissions.lengths[direction],
        emissions.lengths[1 - direction],
    );
    let mut found = vec![0.0; emissions.values.len()];
    let (mut alpha, mut right) = (vec![0.0; given + 1], vec![[0.0; 2]; given + 2]);
    alpha[0] = 1.0;
    for j in 0..emitted {
        cancel.check()?;
        let null = p0 * f64::from(emissions.nulls[direction][j]);
        let mut next: Vec<f64> = alpha.iter().map(|mass| mass * null).collect();
        // alpha p and alpha p^2 of a jump. All positions far to one side of `from` have the same p, as in the lattice.
        let give = |from: usize, bucket: usize| {
            let p = f64::from(transitions.rows[from * ROW + bucket]);
            [alpha[from] * p, alpha[from] * p * p]
        };
        for from in (0..=given).rev() {
            right[from] = add(right[from + 1], give(from, 0));
        }
        let (mut left, far) = ([0.0; 2], FAR as usize);
        for (to, mass) in next.iter_mut().enumerate().skip(1) {
            if let Some(from) = to.checked_sub(far) {
                left = add(left, give(from, BUCKETS - 1));
            }
            let mut sums = add(left, right[(to + far).min(given + 1)]);
            for from in (to + 1).saturating_sub(far)..(to + far).min(given + 1) {
                sums = add(sums, give(from, to + far - from));
            }
            let [once, twice] = sums;
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
    Ok(found)
}

fn add(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] + b[0], a[1] + b[1]]
}

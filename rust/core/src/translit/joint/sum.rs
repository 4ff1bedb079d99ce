//! The probability of a source word with a target: the sum over all ways to cut both into the same units.

use super::model::{COPIED, JointModel, UNCOVERED, Unknown, narrow};
use crate::numeric::{to_f64, to_u64};

/// Room for the sum of a pair.
#[derive(Debug, Default)]
pub(super) struct PairSum {
    /// Contexts with their masses for each pair of positions.
    cells: Vec<Vec<(u32, f64)>>,
    source_chunks: Vec<Option<u32>>,
    target_chunks: Vec<Option<u32>>,
}

impl PairSum {
    /// `ln P(S, T)`; minus infinity when no units make the pair. `guess` is about that, for instance the logarithm of its best way.
    ///
    /// # Complexity
    /// Time linear in the cells (i, j) that units reach, times contexts in a cell, times chunks that match.
    pub fn ln_sum(
        &mut self,
        model: &JointModel,
        unknown: Unknown,
        source: &[u32],
        target: &[u32],
        guess: f64,
    ) -> f64 {
        let width = target.len() + 1;
        let count = (source.len() + 1) * width;
        for cell in &mut self.cells {
            cell.clear();
        }
        if self.cells.len() < count {
            self.cells.resize_with(count, Vec::new);
        }
        self.find_chunks(model, source, target);
        // An empty word has no symbols that could carry a factor.
        let symbols = to_f64(to_u64(source.len()));
        let rate = if source.is_empty() {
            0.0
        } else {
            -guess / symbols
        };
        let factors: Vec<f64> = (0..=narrow(model.longest.max(1)))
            .map(|length| libm::exp(rate * f64::from(length)))
            .collect();
        self.cells[0].push((model.start, 1.0));
        for i in 0..source.len() {
            for j in 0..width {
                let here = std::mem::take(&mut self.cells[i * width + j]);
                if !here.is_empty() {
                    self.leave(model, unknown, (source, target), (i, j), &here, &factors);
                }
                self.cells[i * width + j] = here;
            }
        }
        let total: f64 = self.cells[count - 1]
            .iter()
            .map(|&(context, mass)| mass * libm::exp(model.contexts[context as usize].log_end))
            .sum();
        libm::log(total) - rate * symbols
    }

    /// Numbers of the chunks of both words by where they start and their lengths.
    fn find_chunks(&mut self, model: &JointModel, source: &[u32], target: &[u32]) {
        self.source_chunks.clear();
        for i in 0..source.len() {
            for a in 1..=model.longest {
                let chunk = source.get(i..i + a);
                self.source_chunks
                    .push(chunk.and_then(|chunk| model.units.sources.find(chunk)));
            }
        }
        self.target_chunks.clear();
        for j in 0..=target.len() {
            for b in 0..=model.widest {
                let chunk = target.get(j..j + b);
                self.target_chunks
                    .push(chunk.and_then(|chunk| model.units.targets.find(chunk)));
            }
        }
    }

    fn leave(
        &mut self,
        model: &JointModel,
        unknown: Unknown,
        (source, target): (&[u32], &[u32]),
        (i, j): (usize, usize),
        here: &[(u32, f64)],
        factors: &[f64],
    ) {
        let width = target.len() + 1;
        let mut covers_one = false;
        let longest = model.longest.min(source.len() - i);
        for (a, &factor) in factors.iter().enumerate().take(longest + 1).skip(1) {
            let Some(from) = self.source_chunks[i * model.longest + a - 1] else {
                continue;
            };
            covers_one |= a == 1 && !model.units_of(from).is_empty();
            for b in 0..=model.widest.min(target.len() - j) {
                let Some(to) = self.target_chunks[j * (model.widest + 1) + b] else {
                    continue;
                };
                if let Some(unit) = model.units.find(from, to) {
                    let cell = &mut self.cells[(i + a) * width + j + b];
                    take(model, unit, here, factor, cell);
                }
            }
        }
        if !covers_one {
            // A source symbol that no unit covers alone: nothing, or itself.
            let consumed = usize::from(unknown == Unknown::Copy);
            if consumed == 0 || target.get(j) == Some(&(COPIED | narrow(i))) {
                let cell = &mut self.cells[(i + 1) * width + j + consumed];
                take(model, UNCOVERED, here, factors[1], cell);
            }
        }
    }
}

/// Adds what a unit makes of the masses of a cell.
fn take(
    model: &JointModel,
    unit: u32,
    here: &[(u32, f64)],
    factor: f64,
    cell: &mut Vec<(u32, f64)>,
) {
    for &(context, mass) in here {
        let (probability, next) = model.step(context, unit);
        let mass = mass * probability * factor;
        match cell.iter_mut().find(|entry| entry.0 == next) {
            Some(entry) => entry.1 += mass,
            None => cell.push((next, mass)),
        }
    }
}

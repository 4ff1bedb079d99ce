//! The error surface along a line: piecewise constant.

use super::objective::Objective;
use super::problem::Changes;
use std::ops::Range;

/// A place on the line where statistics change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Change {
    pub x: f64,
    /// The row of what they change by.
    pub row: usize,
}

/// All statistics of a corpus along a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    /// Where they change, rising. The pieces lie between them, the first and the last without an end.
    pub breakpoints: Vec<f64>,
    /// The statistics of each piece, row after row: one more row than there are breakpoints.
    pub statistics: Vec<i64>,
}

/// The best piece of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piece {
    /// BLEU on it.
    pub score: f64,
    /// A point inside.
    pub x: f64,
    /// How wide it is, where one without an end counts as it is cut.
    pub width: f64,
}

impl Surface {
    /// Sorts the changes and adds them up. Changes at the same place are one.
    ///
    /// # Complexity
    /// O(n log n + n width) for n changes.
    #[must_use]
    pub fn new(mut changes: Changes, width: usize) -> Self {
        // Sums of integers have no order, so that equal places need none.
        changes.places.sort_unstable_by(|a, b| a.x.total_cmp(&b.x));
        let mut here = changes.first;
        let mut statistics = Vec::with_capacity((changes.places.len() + 1) * width);
        let mut breakpoints: Vec<f64> = Vec::with_capacity(changes.places.len());
        for change in &changes.places {
            // The two zeros are equal.
            let is_new = breakpoints.last().is_none_or(|&last| last < change.x);
            if is_new {
                statistics.extend_from_slice(&here);
                breakpoints.push(change.x);
            }
            let delta = &changes.deltas[change.row * width..(change.row + 1) * width];
            for (sum, delta) in here.iter_mut().zip(delta) {
                *sum += delta;
            }
        }
        statistics.extend_from_slice(&here);
        Self {
            breakpoints,
            statistics,
        }
    }

    /// The best piece, and a point inside.
    ///
    /// Neighbours that are equally good are one piece. Of several pieces that are equally good, the one with 0 inside is taken, else the widest, else the
    /// first. The point is the middle. A piece without an end is cut at a width of `scale`, or of its distance from 0 if that is more, so that the point
    /// stays where the data is. Pieces that are narrower than 1e-10 of that are left out: rounding could miss them.
    ///
    /// `scale` is what counts as far from 0: the ratio of the lengths of the weights and of the direction.
    ///
    /// # Complexity
    /// O(n width) for n pieces; BLEU is computed only where the precisions do not rule it out.
    #[must_use]
    pub fn best(&self, objective: &Objective, scale: f64) -> Option<Piece> {
        let width = self.statistics.len() / (self.breakpoints.len() + 1);
        let mut best = Best {
            surface: self,
            scale,
            found: None,
        };
        // Neighbours with one score, so far.
        let mut run: Option<(f64, Range<usize>)> = None;
        for (n, statistics) in self.statistics.chunks_exact(width).enumerate() {
            let score = if objective.is_clearly_below(statistics, best.score()) {
                None
            } else {
                Some(objective.value(statistics))
            };
            match (&mut run, score) {
                (Some((last, pieces)), Some(score)) if last.total_cmp(&score).is_eq() => {
                    pieces.end = n + 1;
                }
                _ => {
                    best.take(run.take());
                    run = score.map(|score| (score, n..n + 1));
                }
            }
        }
        best.take(run);
        best.found.map(|(piece, _)| piece)
    }

    /// The width and the middle of some neighbours, and whether 0 is inside.
    fn piece(&self, score: f64, pieces: &Range<usize>, scale: f64) -> (Piece, bool) {
        let left = (pieces.start > 0).then(|| self.breakpoints[pieces.start - 1]);
        let right = self.breakpoints.get(pieces.end - 1).copied();
        let has_zero = left.is_none_or(|x| x < 0.0) && right.is_none_or(|x| 0.0 < x);
        let cut = |x: f64| scale.max(x.abs());
        let (left, right) = match (left, right) {
            (None, None) => (-scale, scale),
            (None, Some(right)) => (right - cut(right), right),
            (Some(left), None) => (left, left + cut(left)),
            (Some(left), Some(right)) => (left, right),
        };
        let piece = Piece {
            score,
            x: left + 0.5 * (right - left),
            width: right - left,
        };
        (piece, has_zero)
    }
}

/// The best run of pieces so far, and whether 0 is inside.
struct Best<'a> {
    surface: &'a Surface,
    scale: f64,
    found: Option<(Piece, bool)>,
}

impl Best<'_> {
    /// BLEU that others must have to be better.
    fn score(&self) -> f64 {
        self.found.map_or(0.0, |(piece, _)| piece.score)
    }

    fn take(&mut self, run: Option<(f64, Range<usize>)>) {
        let Some((score, pieces)) = run else { return };
        let (piece, has_zero) = self.surface.piece(score, &pieces, self.scale);
        let resolution = 1e-10 * self.scale.max(piece.x.abs());
        if !has_zero && piece.width <= resolution {
            return;
        }
        let is_better = match &self.found {
            None => true,
            Some((other, _)) if piece.score < other.score => false,
            Some((other, _)) if piece.score > other.score => true,
            // There is one with 0 inside at most.
            Some((other, other_has_zero)) => {
                has_zero || (!other_has_zero && piece.width > other.width)
            }
        };
        if is_better {
            self.found = Some((piece, has_zero));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minrisk::bleu::Smoothing;

    #[test]
    fn changes_at_one_place_are_one_and_sums_are_exact() {
        let mut changes = Changes {
            first: vec![1, 4, 4],
            ..Changes::default()
        };
        changes.push(2.0, &[0, 2, 2], &[2, 2, 2]);
        changes.push(-1.0, &[1, 2, 2], &[0, 2, 2]);
        changes.push(2.0, &[0, 2, 2], &[1, 3, 2]);
        // Nothing changes.
        changes.push(0.0, &[1, 1, 1], &[1, 1, 1]);
        let surface = Surface::new(changes, 3);
        assert_eq!(surface.breakpoints, [-1.0, 2.0]);
        assert_eq!(surface.statistics, [1, 4, 4, 0, 4, 4, 3, 5, 4]);
        let objective = Objective {
            smoothing: Smoothing::None,
        };
        let best = surface.best(&objective, 1.0).expect("one that is wide");
        assert!((best.score - 0.6).abs() < 1e-15);
        // From 2 to 4: as wide as it is far from 0.
        assert!((best.x - 3.0).abs() < 1e-15 && (best.width - 2.0).abs() < 1e-15);
    }
}

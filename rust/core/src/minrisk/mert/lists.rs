//! N-best lists with their features and statistics.

use super::problem::{Changes, LARGEST, Problem, Scores, check_vector};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::to_index;
use crate::parallel;
use crate::semiring::{HullBuffers, Line, upper_hull};
use std::ops::Range;

/// Segments that one thread takes at a time.
const BLOCK: usize = 16;

/// The hypotheses of each segment, with the values of all features and a row of statistics.
#[derive(Debug, Clone, PartialEq)]
pub struct Lists {
    /// The hypotheses of segment s are `starts[s] .. starts[s + 1]`.
    starts: Vec<usize>,
    features: usize,
    /// Segment after segment; within one, feature after feature, so that a coordinate is one slice.
    values: Vec<f64>,
    width: usize,
    /// Row after row.
    statistics: Vec<i64>,
}

impl Lists {
    /// Takes rows of features and of statistics, by hypothesis. O(values).
    ///
    /// A segment without hypotheses adds nothing.
    ///
    /// # Errors
    /// [`Error::Hypergraph`] for starts that do not rise from 0 to the number of rows, rows of other lengths, a feature that is not finite or above 1e30 in
    /// size, and statistics that are negative or too large to be summed.
    pub fn new(
        starts: &[u64],
        rows: &[f64],
        features: usize,
        statistics: Vec<i64>,
        width: usize,
    ) -> Result<Self> {
        let wrong = |place: &str, problem: String, found: String| Error::Hypergraph {
            place: place.to_owned(),
            problem,
            found,
        };
        let starts: Vec<usize> = starts.iter().map(|&start| to_index(start)).collect();
        let count = starts.last().copied().unwrap_or(0);
        if starts.first() != Some(&0) || !starts.is_sorted() {
            return Err(wrong(
                "the starts of the lists",
                "must rise from 0".to_owned(),
                format!("{count} at the end"),
            ));
        }
        if rows.len() != count * features {
            let problem = format!("must be {count} rows of {features}");
            return Err(wrong(
                "the features",
                problem,
                format!("{} values", rows.len()),
            ));
        }
        if statistics.len() != count * width || width < 3 || width.is_multiple_of(2) {
            let problem = format!("must be {count} rows of 2 order + 1 numbers");
            return Err(wrong(
                "the statistics",
                problem,
                format!("{} numbers", statistics.len()),
            ));
        }
        if let Some(n) = rows.iter().position(|x| x.is_nan() || x.abs() > LARGEST) {
            let place = format!("feature {} of hypothesis {}", n % features, n / features);
            let problem =
                "must be finite, and at most 1e30 in size; leave the hypothesis out".to_owned();
            return Err(wrong(&place, problem, rows[n].to_string()));
        }
        if let Some(n) = statistics.iter().position(|&x| !(0..=1 << 40).contains(&x)) {
            let place = format!(
                "number {} of the statistics of hypothesis {}",
                n % width,
                n / width
            );
            return Err(wrong(
                &place,
                "must be from 0 to 2^40".to_owned(),
                statistics[n].to_string(),
            ));
        }
        let mut values = vec![0.0; rows.len()];
        for row in starts.windows(2) {
            let (range, count) = (row[0] * features..row[1] * features, row[1] - row[0]);
            let (from, to) = (&rows[range.clone()], &mut values[range]);
            for (n, row) in from.chunks_exact(features.max(1)).enumerate() {
                for (feature, &value) in row.iter().enumerate() {
                    to[feature * count + n] = value;
                }
            }
        }
        Ok(Self {
            starts,
            features,
            values,
            width,
            statistics,
        })
    }

    /// The number of segments.
    #[must_use]
    pub fn segments(&self) -> usize {
        self.starts.len() - 1
    }

    /// One feature of the hypotheses of a segment.
    fn column(&self, segment: usize, feature: usize) -> &[f64] {
        let (start, end) = (self.starts[segment], self.starts[segment + 1]);
        let (start, count) = (start * self.features, end - start);
        &self.values[start + feature * count..start + (feature + 1) * count]
    }

    /// Adds the scalar products of the hypotheses of a segment with a vector.
    fn add_products(&self, segment: usize, vector: &[f64], sums: &mut [f64]) {
        for (feature, &factor) in vector.iter().enumerate() {
            if factor != 0.0 {
                for (sum, value) in sums.iter_mut().zip(self.column(segment, feature)) {
                    *sum += factor * value;
                }
            }
        }
    }

    fn row(&self, hypothesis: usize) -> &[i64] {
        &self.statistics[hypothesis * self.width..(hypothesis + 1) * self.width]
    }

    fn blocks(&self) -> Vec<Range<usize>> {
        let starts = (0..self.segments()).step_by(BLOCK);
        starts
            .map(|start| start..(start + BLOCK).min(self.segments()))
            .collect()
    }

    /// How the statistics of a segment change, given the scores and what they change by.
    fn envelope(
        &self,
        segment: usize,
        slopes: &[f64],
        scores: &[f64],
        scratch: &mut Scratch,
        changes: &mut Changes,
    ) {
        let (slopes, scores) = (&slopes[..scores.len()], scores);
        let line = |n: usize| Line {
            slope: slopes[n],
            intercept: scores[n],
        };
        let Scratch { buffers, kept, .. } = scratch;
        upper_hull(scores.len(), line, buffers, kept);
        let Some(&first) = kept.first() else { return };
        let start = self.starts[segment];
        for (sum, number) in changes.first.iter_mut().zip(self.row(start + first)) {
            *sum += number;
        }
        let mut last = f64::NEG_INFINITY;
        for pair in kept.windows(2) {
            let [before, after] = [pair[0], pair[1]];
            // Crossings rise; rounding must not turn them.
            last = line(before).crossing(line(after)).max(last);
            changes.push(last, self.row(start + before), self.row(start + after));
        }
    }
}

/// Buffers of the segments of one block.
#[derive(Default)]
struct Scratch {
    buffers: HullBuffers,
    kept: Vec<usize>,
    slopes: Vec<f64>,
}

impl Problem for Lists {
    fn features(&self) -> usize {
        self.features
    }

    fn width(&self) -> usize {
        self.width
    }

    /// # Complexity
    /// O(values).
    fn evaluate(&self, weights: &[f64], threads: usize, cancel: &CancelToken) -> Result<Vec<i64>> {
        check_vector("weights", weights, self.features)?;
        let scores = self.scores(weights, threads, cancel)?;
        let mut sums = vec![0; self.width];
        for (block, scores) in self.blocks().into_iter().zip(&scores.0) {
            let first = self.starts[block.start];
            for segment in block {
                let (start, end) = (self.starts[segment], self.starts[segment + 1]);
                let scores = &scores[start - first..end - first];
                let mut best = 0;
                for (n, &score) in scores.iter().enumerate() {
                    if score > scores[best] {
                        best = n;
                    }
                }
                if start < end {
                    for (sum, number) in sums.iter_mut().zip(self.row(start + best)) {
                        *sum += number;
                    }
                }
            }
        }
        Ok(sums)
    }

    fn scores(&self, weights: &[f64], threads: usize, cancel: &CancelToken) -> Result<Scores> {
        check_vector("weights", weights, self.features)?;
        let blocks = parallel::map(threads, cancel, self.blocks(), |_, block| {
            let first = self.starts[block.start];
            let mut scores = vec![0.0; self.starts[block.end] - first];
            for segment in block {
                let range = self.starts[segment] - first..self.starts[segment + 1] - first;
                self.add_products(segment, weights, &mut scores[range]);
            }
            Ok(scores)
        })?;
        Ok(Scores(blocks))
    }

    /// # Complexity
    /// O(hypotheses) for each feature of the direction that is not 0, and O(k log k) for the k hypotheses of a segment that are not clearly below others.
    fn changes(
        &self,
        scores: &Scores,
        direction: &[f64],
        threads: usize,
        cancel: &CancelToken,
    ) -> Result<Changes> {
        check_vector("direction", direction, self.features)?;
        let coordinate = coordinate(direction);
        let items: Vec<_> = self.blocks().into_iter().zip(&scores.0).collect();
        let parts = parallel::map(threads, cancel, items, |_, (block, scores)| {
            let first = self.starts[block.start];
            let mut changes = Changes {
                first: vec![0; self.width],
                ..Changes::default()
            };
            let mut scratch = Scratch::default();
            for segment in block {
                let scores =
                    &scores[self.starts[segment] - first..self.starts[segment + 1] - first];
                if let Some(feature) = coordinate {
                    let slopes = self.column(segment, feature);
                    self.envelope(segment, slopes, scores, &mut scratch, &mut changes);
                } else {
                    let mut slopes = std::mem::take(&mut scratch.slopes);
                    slopes.clear();
                    slopes.resize(scores.len(), 0.0);
                    self.add_products(segment, direction, &mut slopes);
                    self.envelope(segment, &slopes, scores, &mut scratch, &mut changes);
                    scratch.slopes = slopes;
                }
            }
            Ok(changes)
        })?;
        let mut all = Changes {
            first: vec![0; self.width],
            ..Changes::default()
        };
        for part in parts {
            all.append(part, self.width);
        }
        Ok(all)
    }
}

/// The feature whose unit vector a direction is.
fn coordinate(direction: &[f64]) -> Option<usize> {
    let mut others = direction.iter().enumerate().filter(|(_, x)| **x != 0.0);
    match (others.next(), others.next()) {
        (Some((feature, x)), None) if x.total_cmp(&1.0).is_eq() => Some(feature),
        _ => None,
    }
}

//! Forests with references.

use super::problem::{Changes, LARGEST, Problem, Scores, check_vector};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::hypergraph::{Features, Hypergraph, Yields, envelopes, viterbi};
use crate::minrisk::bleu::{ReferenceLength, References};
use crate::numeric::{to_index, to_u64};
use crate::parallel;
use std::sync::Arc;

/// The translations of one segment.
#[derive(Debug, Clone)]
pub struct ForestSegment {
    graph: Arc<Hypergraph>,
    /// By place, as are ids and values.
    starts: Vec<u32>,
    ids: Vec<u32>,
    values: Vec<f64>,
    /// What no weight changes, by place.
    base: Option<Vec<f64>>,
    yields: Yields,
    references: References,
    /// The statistics of the empty translation, for a forest without derivations.
    empty: Vec<i64>,
}

impl ForestSegment {
    /// Checks a forest and arranges what is beside its edges, given by number. O(edges + values).
    ///
    /// Edges score `base` plus the products of features and weights. A base of -infinity is an edge that is not there.
    ///
    /// # Errors
    /// [`Error::Cycle`] on a cyclic hypergraph; [`Error::Hypergraph`] for dense features, a feature that is not finite or above 1e30 in size, a base that is
    /// no number, or arrays of other lengths.
    pub fn new(
        graph: Arc<Hypergraph>,
        features: Features<'_>,
        base: Option<&[f64]>,
        yields: Yields,
        references: References,
        length: ReferenceLength,
    ) -> Result<Self> {
        let wrong = |place: String, problem: &str, found: String| {
            let problem = problem.to_owned();
            Err(Error::Hypergraph {
                place,
                problem,
                found,
            })
        };
        if let Some(cycle) = graph.cycle() {
            let problem =
                "lines are only searched where no node derives itself; break the cycle".to_owned();
            return Err(Error::Cycle { cycle, problem });
        }
        features.check(graph.edges())?;
        let Features::Sparse {
            starts: rows,
            ids: all,
            values: numbers,
            ..
        } = features
        else {
            return wrong(
                "the features".to_owned(),
                "must be sparse",
                "dense rows".to_owned(),
            );
        };
        if let Some(x) = numbers.iter().find(|x| x.is_nan() || x.abs() > LARGEST) {
            return wrong(
                "a feature".to_owned(),
                "must be at most 1e30 in size",
                x.to_string(),
            );
        }
        let (mut starts, mut ids, mut values) = (
            vec![0],
            Vec::with_capacity(all.len()),
            Vec::with_capacity(all.len()),
        );
        for place in 0..graph.edges() {
            let edge = to_index(u64::from(graph.edge_number(place)));
            let row = to_index(rows[edge])..to_index(rows[edge + 1]);
            ids.extend_from_slice(&all[row.clone()]);
            values.extend_from_slice(&numbers[row]);
            starts.push(u32::try_from(ids.len()).map_err(|_| Error::TooLarge {
                what: "the number of features of a forest",
                limit: u64::from(u32::MAX),
            })?);
        }
        let base = match base {
            None => None,
            Some(base) => {
                let base = graph.arrange_weights(base)?.into_owned();
                if let Some(x) = base.iter().find(|x| x.is_finite() && x.abs() > LARGEST) {
                    return wrong(
                        "a base score".to_owned(),
                        "must be at most 1e30 in size",
                        x.to_string(),
                    );
                }
                Some(base)
            }
        };
        let empty = references.statistics(&[], length);
        Ok(Self {
            graph,
            starts,
            ids,
            values,
            base,
            yields,
            references,
            empty,
        })
    }

    /// The scalar product of each edge's features with a vector, by place, added to `sums`.
    fn add_products(&self, vector: &[f64], sums: &mut [f64]) {
        for (sum, row) in sums.iter_mut().zip(self.starts.windows(2)) {
            let row = to_index(u64::from(row[0]))..to_index(u64::from(row[1]));
            let mut total = 0.0;
            for (&id, value) in self.ids[row.clone()].iter().zip(&self.values[row]) {
                total += vector[to_index(u64::from(id))] * value;
            }
            *sum += total;
        }
    }

    fn scores(&self, weights: &[f64]) -> Vec<f64> {
        let mut scores = match &self.base {
            Some(base) => base.clone(),
            None => vec![0.0; self.graph.edges()],
        };
        self.add_products(weights, &mut scores);
        scores
    }
}

/// The forests of a corpus, with references.
#[derive(Debug, Clone)]
pub struct Forests {
    features: usize,
    width: usize,
    length: ReferenceLength,
    segments: Vec<ForestSegment>,
}

impl Forests {
    /// The problem of some forests whose features are numbered alike, with references of one order.
    ///
    /// # Errors
    /// [`Error::Hypergraph`] where a feature is not below their number, or orders differ.
    pub fn new(
        segments: Vec<ForestSegment>,
        features: usize,
        order: usize,
        length: ReferenceLength,
    ) -> Result<Self> {
        let width = 2 * order + 1;
        for (n, segment) in segments.iter().enumerate() {
            let place = format!("forest {n}");
            if let Some(id) = segment
                .ids
                .iter()
                .find(|&&id| to_index(u64::from(id)) >= features)
            {
                let problem = format!("features are numbered below {features}");
                return Err(Error::Hypergraph {
                    place,
                    problem,
                    found: id.to_string(),
                });
            }
            if segment.empty.len() != width {
                let problem = format!("references must be of order {order}");
                return Err(Error::Hypergraph {
                    place,
                    problem,
                    found: format!("{} statistics", segment.empty.len()),
                });
            }
        }
        Ok(Self {
            features,
            width,
            length,
            segments,
        })
    }

    fn statistics(&self, segment: &ForestSegment, words: &[i32]) -> Vec<i64> {
        // Words are not negative.
        let words: Vec<u32> = words.iter().map(|word| word.unsigned_abs()).collect();
        segment.references.statistics(&words, self.length)
    }

    /// The statistics of the best derivation of one forest.
    fn best(
        &self,
        segment: &ForestSegment,
        weights: &[f64],
        cancel: &CancelToken,
    ) -> Result<Vec<i64>> {
        let best = viterbi(&segment.graph, &segment.scores(weights), cancel)?;
        let Some(best) = best.derivation(&segment.graph, cancel)? else {
            return Ok(segment.empty.clone());
        };
        let words = segment.yields.of(&segment.graph, &best.edges, cancel)?;
        Ok(self.statistics(segment, &words))
    }

    /// How the statistics of one forest change.
    fn line(
        &self,
        segment: &ForestSegment,
        scores: &[f64],
        direction: &[f64],
        cancel: &CancelToken,
    ) -> Result<Changes> {
        let graph = &segment.graph;
        let mut slopes = vec![0.0; graph.edges()];
        segment.add_products(direction, &mut slopes);
        let found = envelopes(graph, &slopes, scores, cancel)?;
        let root = graph.root();
        let lines = found.lines(root);
        let mut changes = Changes {
            first: segment.empty.clone(),
            ..Changes::default()
        };
        let mut before = Vec::new();
        let mut last = f64::NEG_INFINITY;
        for (n, line) in lines.iter().enumerate() {
            let words = found.words(graph, &segment.yields, root, n, cancel)?;
            let after = self.statistics(segment, &words);
            if n == 0 {
                changes.first.clone_from(&after);
            } else {
                let below = lines[n - 1];
                last = below.crossing(*line).max(last);
                changes.push(last, &before, &after);
            }
            before = after;
        }
        Ok(changes)
    }

    /// Lines of the roots of all forests together along a line through some weights: how many derivations are best somewhere.
    ///
    /// # Errors
    /// [`Error::Cancelled`], and for vectors of other lengths.
    pub fn count_lines(
        &self,
        weights: &[f64],
        direction: &[f64],
        threads: usize,
        cancel: &CancelToken,
    ) -> Result<u64> {
        check_vector("weights", weights, self.features)?;
        check_vector("direction", direction, self.features)?;
        let items: Vec<&ForestSegment> = self.segments.iter().collect();
        let counts = parallel::map(threads, cancel, items, |_, segment| {
            let mut slopes = vec![0.0; segment.graph.edges()];
            segment.add_products(direction, &mut slopes);
            let found = envelopes(&segment.graph, &slopes, &segment.scores(weights), cancel)?;
            Ok(to_u64(found.lines(segment.graph.root()).len()))
        })?;
        Ok(counts.into_iter().sum())
    }
}

impl Problem for Forests {
    fn features(&self) -> usize {
        self.features
    }

    fn width(&self) -> usize {
        self.width
    }

    /// # Complexity
    /// That of [`viterbi`].
    fn evaluate(&self, weights: &[f64], threads: usize, cancel: &CancelToken) -> Result<Vec<i64>> {
        check_vector("weights", weights, self.features)?;
        let items: Vec<&ForestSegment> = self.segments.iter().collect();
        let rows = parallel::map(threads, cancel, items, |_, segment| {
            self.best(segment, weights, cancel)
        })?;
        let mut sums = vec![0; self.width];
        for row in rows {
            for (sum, number) in sums.iter_mut().zip(row) {
                *sum += number;
            }
        }
        Ok(sums)
    }

    fn scores(&self, weights: &[f64], threads: usize, cancel: &CancelToken) -> Result<Scores> {
        check_vector("weights", weights, self.features)?;
        let items: Vec<&ForestSegment> = self.segments.iter().collect();
        let scores = parallel::map(threads, cancel, items, |_, segment| {
            Ok(segment.scores(weights))
        })?;
        Ok(Scores(scores))
    }

    /// # Complexity
    /// That of [`envelopes`], and O(words) for each line of a root.
    fn changes(
        &self,
        scores: &Scores,
        direction: &[f64],
        threads: usize,
        cancel: &CancelToken,
    ) -> Result<Changes> {
        check_vector("direction", direction, self.features)?;
        let items: Vec<_> = self.segments.iter().zip(&scores.0).collect();
        let parts = parallel::map(threads, cancel, items, |_, (segment, scores)| {
            self.line(segment, scores, direction, cancel)
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

//! Derivations drawn at random.

use super::derivation::unfold;
use super::structure::{Hypergraph, index};
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::numeric::{to_f64, to_u64};
use crate::parallel;
use crate::rng::Stream;

/// Samples that one thread draws before it looks for more work.
const BLOCK: u64 = 64;

/// Draws derivations with probabilities proportional to their weights.
#[derive(Debug, Clone)]
pub struct Sampler<'a> {
    graph: &'a Hypergraph,
    /// For each edge, by place, the sum of the local probabilities of the edges into its head up to it.
    cumulative: Vec<f64>,
}

/// Derivations, one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Samples {
    /// Row s of `edges`; one more than there are samples.
    pub starts: Vec<u64>,
    /// The edges of all samples, by place, each sample in prefix order.
    pub edges: Vec<u32>,
}

impl<'a> Sampler<'a> {
    /// Prepares the choices of all nodes. O(edges); 8 bytes for each edge.
    ///
    /// `local`, by place, has for each edge the share of the weight of its head that the edge brings, `k_e prod beta(u) / beta(v)`, or anything in
    /// proportion to that among the edges into a node: not negative.
    ///
    /// # Panics
    /// If there are not as many shares as edges.
    ///
    /// # Errors
    /// [`crate::error::Error::Cycle`] on a cyclic hypergraph.
    pub fn new(graph: &'a Hypergraph, local: &[f64]) -> Result<Self> {
        assert_eq!(
            local.len(),
            graph.edges(),
            "shares must be those of the edges"
        );
        graph.refuse_cycles("derivations are only drawn where no node derives itself")?;
        let mut cumulative = Vec::with_capacity(local.len());
        for node in 0..graph.nodes() {
            let mut sum = 0.0;
            cumulative.extend(local[graph.edges_into(node)].iter().map(|share| {
                sum += share;
                sum
            }));
        }
        Ok(Self { graph, cumulative })
    }

    /// One derivation of the root, edges by place in prefix order; nothing if there is none.
    ///
    /// Choice n, in prefix order, takes number n of the stream. O(edges of the derivation log(edges into a node)).
    ///
    /// # Errors
    /// [`crate::error::Error::TooLarge`] for a derivation of more than 2^28 edges; [`crate::error::Error::Cancelled`].
    ///
    /// # Panics
    /// If the shares make a node without derivations part of one.
    pub fn draw(&self, stream: Stream, cancel: &CancelToken) -> Result<Option<Vec<u32>>> {
        let root = self.graph.root();
        if self.choose(root, 0.0).is_none() {
            return Ok(None);
        }
        let mut choices = 0;
        let edges = unfold(root, cancel, |node, waiting| {
            let edge = self
                .choose(node, unit(stream, choices))
                .expect("the inside weight of a tail node is a factor of the share");
            choices += 1;
            let tail = self.graph.tail(edge);
            waiting.extend(tail.iter().map(|&node| index(node)));
            u32::try_from(edge).expect("numbers of edges fit 32 bits")
        })?;
        Ok(Some(edges))
    }

    /// Many derivations of the root; none if there are none. Sample s has the stream (seed, s): what is drawn depends on nothing else.
    ///
    /// # Errors
    /// As [`Sampler::draw`]; [`crate::error::Error::Cancelled`].
    pub fn sample(
        &self,
        count: u64,
        seed: u64,
        threads: usize,
        cancel: &CancelToken,
    ) -> Result<Samples> {
        let blocks: Vec<u64> = (0..count.div_ceil(BLOCK)).collect();
        let drawn = parallel::map(threads, cancel, blocks, |_, block| {
            let mut samples = Samples::default();
            for n in block * BLOCK..count.min((block + 1) * BLOCK) {
                if let Some(edges) = self.draw(Stream::new(&[seed, n]), cancel)? {
                    samples.edges.extend(edges);
                    samples.starts.push(to_u64(samples.edges.len()));
                }
            }
            Ok(samples)
        })?;
        let mut all = Samples::default();
        for block in drawn {
            let from = to_u64(all.edges.len());
            all.edges.extend(block.edges);
            all.starts
                .extend(block.starts[1..].iter().map(|start| from + start));
        }
        Ok(all)
    }

    /// The edge into a node where the sum of shares passes a part of the whole; nothing if there are no shares.
    fn choose(&self, node: usize, part: f64) -> Option<usize> {
        let row = self.graph.edges_into(node);
        let sums = &self.cumulative[row.clone()];
        let total = sums.last().copied().filter(|&total| total > 0.0)?;
        // An edge without a share adds nothing to the sum, so that it is not the first to pass anything. The product may round up to the total.
        let passed = sums.partition_point(|&sum| sum <= part * total);
        let last = sums.partition_point(|&sum| sum < total);
        Some(row.start + passed.min(last))
    }
}

impl Default for Samples {
    fn default() -> Self {
        Self {
            starts: vec![0],
            edges: Vec::new(),
        }
    }
}

impl Samples {
    /// The number of samples.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are no samples.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }
}

/// A uniform number in [0, 1) with 53 bits.
fn unit(stream: Stream, n: u64) -> f64 {
    const STEP: f64 = 1.0 / 9_007_199_254_740_992.0;
    to_f64(stream.bits(n) >> 11) * STEP
}

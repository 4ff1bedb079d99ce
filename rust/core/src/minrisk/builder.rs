//! Forests into blocks.

use super::block::{Block, HAS_BASE, HAS_NUMBERS, HAS_PAIRS, HAS_ROWS, HEADER, WIDE};
use super::rows::Rows;
use super::tails::paired;
use crate::error::{Error, Result};
use crate::hypergraph::{Features, Hypergraph};

/// The arrays of a [`Block`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BlockArrays {
    /// The number of forests.
    pub forests: usize,
    /// What has 64 bits.
    pub doubles: Vec<f64>,
    /// What has 32 bits.
    pub words: Vec<u32>,
    /// What has 16 bits.
    pub shorts: Vec<u16>,
}

impl BlockArrays {
    /// The block, whose first forest has this number in the training set.
    #[must_use]
    pub fn block(&self, first: u64) -> Block<'_> {
        Block {
            first,
            forests: self.forests,
            doubles: &self.doubles,
            words: &self.words,
            shorts: &self.shorts,
        }
    }
}

/// Puts forests into a block.
#[derive(Debug, Clone, Default)]
pub struct BlockBuilder {
    made: BlockArrays,
}

impl BlockBuilder {
    /// Adds a forest; returns whether it is empty: without a derivation. All arrays are by number.
    ///
    /// Empty forests keep their place, and nothing else. Rows of features are put in order: rising, each feature once, without those of value 0.
    ///
    /// # Errors
    /// [`Error::Cycle`] for a cyclic hypergraph; [`Error::Hypergraph`] for arrays that are not those of so many edges, and for a loss, score or value of a feature
    /// that is not finite; [`Error::TooLarge`]. Nothing is added then.
    ///
    /// # Complexity
    /// O(edges + tail nodes + values of features), with the logarithm of the length of a row.
    pub fn add(
        &mut self,
        graph: &Hypergraph,
        features: Features<'_>,
        losses: &[f64],
        base: Option<&[f64]>,
    ) -> Result<bool> {
        let edges = graph.edges();
        graph.refuse_cycles("the derivations of a forest must be finitely many")?;
        features.check(edges)?;
        finite_column("loss", losses, edges)?;
        if let Some(base) = base {
            finite_column("base score", base, edges)?;
        }
        let has_any = graph.productive_nodes()[graph.root()];
        if has_any {
            let rows = Rows::new(graph, features)?;
            self.put(graph, &rows, losses, base)?;
        } else {
            self.made.words.extend([0; HEADER]);
        }
        self.made.forests += 1;
        Ok(!has_any)
    }

    /// The size so far, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.made.block(0).bytes()
    }

    /// Takes the block; the next one is empty.
    #[must_use]
    pub fn take(&mut self) -> BlockArrays {
        std::mem::take(&mut self.made)
    }

    fn put(
        &mut self,
        graph: &Hypergraph,
        rows: &Rows,
        losses: &[f64],
        base: Option<&[f64]>,
    ) -> Result<()> {
        let (nodes, edges) = (graph.nodes(), graph.edges());
        let valued = rows.valued.len();
        let pairs = paired(graph);
        let sizes = [
            nodes,
            edges,
            pairs.as_ref().map_or(graph.tail_nodes(), Vec::len),
            graph.root(),
            rows.count,
            rows.ids.len(),
            rows.ones.len(),
            valued,
            rows.dense,
        ];
        let mut header = [0_u32; HEADER];
        for (place, size) in header.iter_mut().zip(sizes) {
            *place = u32::try_from(size).map_err(|_| Error::TooLarge {
                what: "the values of the features of a forest",
                limit: u64::from(u32::MAX),
            })?;
        }
        let at = self.made.words.len();
        self.made.words.extend(header);
        let mut flags = if base.is_some() { HAS_BASE } else { 0 };
        let degrees = (0..nodes).map(|node| short(graph.edges_into(node).len()));
        let arities = (0..edges).map(|edge| short(graph.tail(edge).len()));
        let tails = || (0..edges).flat_map(|edge| graph.tail(edge)).copied();
        let has_pairs = pairs.is_some();
        let mut put = |made: &mut BlockArrays, n: u32, numbers: Vec<u32>| {
            if numbers.iter().any(|&number| number > u32::from(u16::MAX)) {
                flags |= WIDE << n;
                made.words.extend(numbers);
            } else {
                // All fit.
                let shorts = numbers.iter().map(|&n| u16::try_from(n).unwrap_or(0));
                made.shorts.extend(shorts);
            }
        };
        put(&mut self.made, 0, degrees.collect());
        put(&mut self.made, 1, only(!has_pairs, arities.collect()));
        put(
            &mut self.made,
            2,
            pairs.unwrap_or_else(|| tails().collect()),
        );
        let is_identity = |numbers: &[u32]| (0..).zip(numbers).all(|(place, &n)| place == n);
        let has_rows = !is_identity(&rows.row_of) || rows.count != edges;
        put(&mut self.made, 3, only(has_rows, rows.row_of.clone()));
        let numbers = graph.edge_numbers().unwrap_or(&[]);
        put(&mut self.made, 4, numbers.to_vec());
        self.made.words.extend(&rows.ids);
        put(&mut self.made, 5, rows.one_counts.clone());
        put(&mut self.made, 6, rows.ones.clone());
        put(&mut self.made, 7, rows.value_counts.clone());
        put(&mut self.made, 8, rows.valued.clone());
        flags |= if has_pairs { HAS_PAIRS } else { 0 };
        flags |= if has_rows { HAS_ROWS } else { 0 };
        flags |= if numbers.is_empty() { 0 } else { HAS_NUMBERS };
        self.made.words[at + HEADER - 1] = flags;
        let doubles = &mut self.made.doubles;
        doubles.extend(&*graph.arrange_edges(losses));
        if let Some(base) = base {
            doubles.extend(&*graph.arrange_edges(base));
        }
        doubles.extend(&rows.columns);
        doubles.extend(&rows.values);
        Ok(())
    }
}

/// A length that fits: the hypergraph has fewer edges and tail nodes than 2^32.
fn short(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

fn only(is_kept: bool, numbers: Vec<u32>) -> Vec<u32> {
    if is_kept { numbers } else { Vec::new() }
}

fn finite_column(what: &str, values: &[f64], edges: usize) -> Result<()> {
    if values.len() != edges {
        return Err(Error::Hypergraph {
            place: format!("the {what} of each edge"),
            problem: format!("there must be one for each of the {edges} edges"),
            found: values.len().to_string(),
        });
    }
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(edge) => Err(Error::Hypergraph {
            place: format!("edge {edge}"),
            problem: format!("its {what} must be finite"),
            found: values[edge].to_string(),
        }),
    }
}

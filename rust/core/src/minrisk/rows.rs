//! The rows of features of a forest: each different one once, dense and sparse parts apart.

use crate::error::{Error, Result};
use crate::hypergraph::{Features, Hypergraph};
use crate::numeric::to_index;
use std::collections::HashMap;

/// Rows of features by place, as a block holds them.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// The row of each edge, by place.
    pub row_of: Vec<u32>,
    /// The features that occur: the dense ones, then the others; rising within each part.
    pub ids: Vec<u32>,
    /// How many of them are dense.
    pub dense: usize,
    /// Where the features of value 1 of each row start.
    pub one_starts: Vec<u32>,
    /// Those features, by place in `ids`.
    pub ones: Vec<u32>,
    /// Where the other features of each row start.
    pub value_starts: Vec<u32>,
    /// Those features, by place in `ids`.
    pub valued: Vec<u32>,
    /// Their values.
    pub values: Vec<f64>,
    /// Dense features, column after column.
    pub columns: Vec<f64>,
}

/// A row: features and the bits of their values.
type Row = Vec<(u32, u64)>;

const ONE: u64 = 1_f64.to_bits();

impl Rows {
    /// Those of a forest. Features have been checked.
    pub fn new(graph: &Hypergraph, features: Features<'_>) -> Result<Self> {
        let mut made = Self::default();
        let mut known: HashMap<Row, u32> = HashMap::new();
        let mut rows: Vec<Row> = Vec::new();
        for place in 0..graph.edges() {
            let row = ordered(features, to_index(u64::from(graph.edge_number(place))))?;
            let next = u32::try_from(rows.len()).unwrap_or(u32::MAX);
            let number = *known.entry(row).or_insert_with_key(|row| {
                rows.push(row.clone());
                next
            });
            made.row_of.push(number);
        }
        made.number(&rows);
        made.spread(&rows);
        Ok(made)
    }

    /// The number of different rows.
    pub fn count(&self) -> usize {
        self.one_starts.len() - 1
    }

    /// Collects the features. Dense are those that half of the rows or more have with another value than 1.
    fn number(&mut self, rows: &[Row]) {
        let mut uses: Vec<(u32, bool)> = rows
            .iter()
            .flatten()
            .map(|&(id, value)| (id, value != ONE))
            .collect();
        uses.sort_unstable();
        let mut sparse = Vec::new();
        for run in uses.chunk_by(|a, b| a.0 == b.0) {
            let valued = run.iter().filter(|(_, is_valued)| *is_valued).count();
            if 2 * valued >= rows.len() {
                self.ids.push(run[0].0);
            } else {
                sparse.push(run[0].0);
            }
        }
        self.dense = self.ids.len();
        self.ids.extend(sparse);
    }

    fn spread(&mut self, rows: &[Row]) {
        let places: HashMap<u32, u32> = self.ids.iter().copied().zip(0..).collect();
        self.columns = vec![0.0; self.dense * rows.len()];
        (self.one_starts, self.value_starts) = (vec![0], vec![0]);
        for (n, row) in rows.iter().enumerate() {
            for (id, bits) in row {
                let place = places[id];
                if to_index(u64::from(place)) < self.dense {
                    self.columns[to_index(u64::from(place)) * rows.len() + n] =
                        f64::from_bits(*bits);
                } else if *bits == ONE {
                    self.ones.push(place);
                } else {
                    self.valued.push(place);
                    self.values.push(f64::from_bits(*bits));
                }
            }
            self.one_starts.push(length(self.ones.len()));
            self.value_starts.push(length(self.valued.len()));
        }
    }
}

/// The row of an edge, by number: features rise, each occurs once, none is 0.
fn ordered(features: Features<'_>, edge: usize) -> Result<Row> {
    let mut row: Vec<(u32, f64)> = match features {
        Features::Dense { values, count } => (0..)
            .zip(values[edge * count..(edge + 1) * count].iter().copied())
            .collect(),
        Features::Sparse {
            starts,
            ids,
            values,
            ..
        } => {
            let row = to_index(starts[edge])..to_index(starts[edge + 1]);
            let ids = ids[row.clone()].iter().copied();
            ids.zip(values[row].iter().copied()).collect()
        }
    };
    row.sort_by_key(|(id, _)| *id);
    row.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        if is_same {
            kept.1 += next.1;
        }
        is_same
    });
    row.retain(|(_, value)| *value != 0.0);
    if let Some((id, value)) = row.iter().find(|(_, value)| !value.is_finite()) {
        return Err(Error::Hypergraph {
            place: format!("edge {edge}"),
            problem: format!("the sum of the values of feature {id} must be finite"),
            found: value.to_string(),
        });
    }
    Ok(row
        .into_iter()
        .map(|(id, value)| (id, value.to_bits()))
        .collect())
}

/// Of what does not fit, the builder finds out.
fn length(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

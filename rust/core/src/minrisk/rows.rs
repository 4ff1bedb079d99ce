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
    /// In how many rows each of the other features is 1.
    pub one_counts: Vec<u32>,
    /// Those rows, feature after feature.
    pub ones: Vec<u32>,
    /// In how many rows each has another value.
    pub value_counts: Vec<u32>,
    /// Those rows.
    pub valued: Vec<u32>,
    /// The values there.
    pub values: Vec<f64>,
    /// Dense features, column after column.
    pub columns: Vec<f64>,
    /// The number of different rows.
    pub count: usize,
}

/// A row: features and the bits of their values.
type Row = Vec<(u32, u64)>;

/// A feature, a row, and the bits of the value there.
type Use = (u32, u32, u64);

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
        made.put(&rows);
        Ok(made)
    }

    /// Collects the features. Dense are those that half of the rows or more have with another value than 1.
    fn put(&mut self, rows: &[Row]) {
        self.count = rows.len();
        let mut uses: Vec<Use> = (0..)
            .zip(rows)
            .flat_map(|(n, row)| row.iter().map(move |&(id, value)| (id, n, value)))
            .collect();
        uses.sort_unstable();
        let mut sparse = Vec::new();
        for run in uses.chunk_by(|a, b| a.0 == b.0) {
            let valued = run.iter().filter(|use_| use_.2 != ONE).count();
            if 2 * valued >= rows.len() {
                self.ids.push(run[0].0);
                let start = self.columns.len();
                self.columns.resize(start + rows.len(), 0.0);
                for &(_, row, bits) in run {
                    self.columns[start + to_index(u64::from(row))] = f64::from_bits(bits);
                }
            } else {
                sparse.push(run);
            }
        }
        self.dense = self.ids.len();
        for run in sparse {
            self.ids.push(run[0].0);
            let (ones, others): (Vec<Use>, Vec<Use>) = run.iter().partition(|use_| use_.2 == ONE);
            self.one_counts.push(length(ones.len()));
            self.ones.extend(ones.iter().map(|use_| use_.1));
            self.value_counts.push(length(others.len()));
            self.valued.extend(others.iter().map(|use_| use_.1));
            let values = others.iter().map(|use_| f64::from_bits(use_.2));
            self.values.extend(values);
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

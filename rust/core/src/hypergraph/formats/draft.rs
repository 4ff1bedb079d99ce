//! A forest that is being read.

use super::super::forest::{Column, Forest, Forests, NO_INTEGER, NO_TEXT, Values};
use crate::error::{Error, Result};
use crate::numeric::to_u64;
use crate::text::interner::Interner;
use crate::text::lines::reserve;

/// The words and names of the file so far.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub features: Interner,
    pub words: Interner,
    pub texts: Interner,
}

impl Names {
    pub fn feature(&mut self, name: &str) -> Result<u32> {
        Ok(self.features.intern(name)?.as_u32())
    }

    /// The item of a word.
    pub fn word(&mut self, word: &str) -> Result<i32> {
        let id = self.words.intern(word)?.as_u32();
        i32::try_from(id).map_err(|_| Error::TooLarge {
            what: "the number of word types",
            limit: 1 << 31,
        })
    }

    pub fn text(&mut self, text: &str) -> Result<u32> {
        Ok(self.texts.intern(text)?.as_u32())
    }

    pub fn into_forests(self, list: Vec<Forest>) -> Forests {
        Forests {
            features: self.features.into_vocabulary(),
            words: self.words.into_vocabulary(),
            texts: self.texts.into_vocabulary(),
            list,
        }
    }
}

/// Tail node `position` of the edge, as an item of its yield; tails have fewer than 2^31 nodes in whatever fits memory as text.
pub(super) fn variable(position: usize) -> i32 {
    i32::try_from(position).map_or(i32::MIN, |position| -1 - position)
}

/// A forest whose edges come one by one: first what stands in the edge, then [`Draft::end_edge`].
#[derive(Debug)]
pub(super) struct Draft {
    pub forest: Forest,
    /// For each feature one more than the last edge that has it.
    seen: Vec<u32>,
    weights: Vec<f64>,
}

impl Default for Draft {
    fn default() -> Self {
        Self {
            forest: Forest {
                tail_starts: vec![0],
                feature_starts: vec![0],
                item_starts: vec![0],
                ..Forest::default()
            },
            seen: Vec::new(),
            weights: Vec::new(),
        }
    }
}

impl Draft {
    pub fn edges(&self) -> usize {
        self.forest.edges()
    }

    pub fn tail(&mut self, node: u32) -> Result<()> {
        push(&mut self.forest.tails, node, "the tails of edges")
    }

    /// How many tail nodes the edge has so far.
    pub fn arity(&self) -> usize {
        let start = self.forest.tail_starts.last().copied().unwrap_or(0);
        self.forest.tails.len() - crate::numeric::to_index(start)
    }

    /// How many features the edge has so far.
    pub fn open_features(&self) -> usize {
        let start = self.forest.feature_starts.last().copied().unwrap_or(0);
        self.forest.feature_ids.len() - crate::numeric::to_index(start)
    }

    /// The weight that was given last; nothing if none was.
    pub fn last_weight(&self) -> Option<f64> {
        self.weights.last().copied()
    }

    pub fn item(&mut self, item: i32) -> Result<()> {
        push(&mut self.forest.items, item, "the yields of edges")
    }

    /// Adds a feature to the edge; false if the edge has it already.
    pub fn feature(&mut self, id: u32, value: f64) -> Result<bool> {
        let index = super::super::structure::index(id);
        let mark = u32::try_from(self.edges() + 1).unwrap_or(u32::MAX);
        if index >= self.seen.len() {
            let more = index + 1 - self.seen.len();
            reserve(&mut self.seen, more, "the features")?;
            self.seen.resize(index + 1, 0);
        }
        if std::mem::replace(&mut self.seen[index], mark) == mark {
            return Ok(false);
        }
        push(&mut self.forest.feature_ids, id, "the features of edges")?;
        push(
            &mut self.forest.feature_values,
            value,
            "the features of edges",
        )?;
        Ok(true)
    }

    /// The natural logarithm of the weight of the edge, when the file gives weights: of every edge, then, or 0.
    pub fn weight(&mut self, ln: f64) -> Result<()> {
        let edges = self.edges();
        let more = edges + 1 - self.weights.len();
        reserve(&mut self.weights, more, "the weights")?;
        self.weights.resize(edges, 0.0);
        self.weights.push(ln);
        Ok(())
    }

    /// Ends the edge and returns its number.
    pub fn end_edge(&mut self, head: u32) -> Result<usize> {
        let number = self.edges();
        if number >= super::super::structure::index(u32::MAX) - 1 {
            return Err(Error::TooLarge {
                what: "the number of edges",
                limit: u64::from(u32::MAX) - 1,
            });
        }
        let forest = &mut self.forest;
        push(&mut forest.heads, head, "the edges")?;
        push(
            &mut forest.tail_starts,
            to_u64(forest.tails.len()),
            "the edges",
        )?;
        push(
            &mut forest.feature_starts,
            to_u64(forest.feature_ids.len()),
            "the edges",
        )?;
        push(
            &mut forest.item_starts,
            to_u64(forest.items.len()),
            "the edges",
        )?;
        Ok(number)
    }

    /// An edge without tail that is a property of the node in the file.
    pub fn axiom(&mut self, head: u32) -> Result<usize> {
        let edge = self.end_edge(head)?;
        let number = u32::try_from(edge).unwrap_or(u32::MAX);
        push(&mut self.forest.axioms, number, "the edges")?;
        Ok(edge)
    }

    pub fn node_text(&mut self, name: &str, node: usize, id: u32) -> Result<()> {
        set_text(&mut self.forest.node_columns, name, node, id)
    }

    pub fn edge_text(&mut self, name: &str, edge: usize, id: u32) -> Result<()> {
        set_text(&mut self.forest.edge_columns, name, edge, id)
    }

    pub fn node_integers(&mut self, name: &str, node: usize, row: &[i64]) -> Result<()> {
        set_integers(&mut self.forest.node_columns, name, node, row)
    }

    pub fn edge_integers(&mut self, name: &str, edge: usize, row: &[i64]) -> Result<()> {
        set_integers(&mut self.forest.edge_columns, name, edge, row)
    }

    pub fn property(&mut self, name: &str, value: &str) {
        self.forest
            .properties
            .push((name.to_owned(), value.to_owned()));
    }

    /// The forest, with so many nodes, of which one is the root.
    pub fn finish(mut self, nodes: usize, root: u32) -> Forest {
        let edges = self.edges();
        pad(&mut self.forest.node_columns, nodes);
        pad(&mut self.forest.edge_columns, edges);
        if !self.weights.is_empty() {
            self.weights.resize(edges, 0.0);
            self.forest.weights = Some(self.weights);
        }
        Forest {
            nodes,
            root,
            ..self.forest
        }
    }
}

pub(super) fn push<T>(items: &mut Vec<T>, item: T, what: &'static str) -> Result<()> {
    reserve(items, 1, what)?;
    items.push(item);
    Ok(())
}

fn set_text(columns: &mut Vec<Column>, name: &str, at: usize, id: u32) -> Result<()> {
    let column = column(columns, name, || Values::Texts(Vec::new()));
    if let Values::Texts(ids) = column {
        if at >= ids.len() {
            reserve(ids, at + 1 - ids.len(), "the texts of a forest")?;
            ids.resize(at + 1, NO_TEXT);
        }
        ids[at] = id;
    }
    Ok(())
}

fn set_integers(columns: &mut Vec<Column>, name: &str, at: usize, row: &[i64]) -> Result<()> {
    let column = column(columns, name, || Values::Integers {
        width: row.len(),
        values: Vec::new(),
    });
    if let Values::Integers { width, values } = column {
        let end = (at + 1) * *width;
        if end > values.len() {
            reserve(values, end - values.len(), "the numbers of a forest")?;
            values.resize(end, NO_INTEGER);
        }
        values[end - *width..end].copy_from_slice(row);
    }
    Ok(())
}

/// The column of this name. There are a handful.
fn column<'a>(
    columns: &'a mut Vec<Column>,
    name: &str,
    empty: impl Fn() -> Values,
) -> &'a mut Values {
    let at = columns.iter().position(|column| column.name == name);
    let at = at.unwrap_or_else(|| {
        columns.push(Column {
            name: name.to_owned(),
            values: empty(),
        });
        columns.len() - 1
    });
    &mut columns[at].values
}

fn pad(columns: &mut [Column], rows: usize) {
    for column in columns {
        match &mut column.values {
            Values::Texts(ids) => ids.resize(rows, NO_TEXT),
            Values::Integers { width, values } => values.resize(rows * *width, NO_INTEGER),
        }
    }
}

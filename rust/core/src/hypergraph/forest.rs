//! Forests: a hypergraph with what programs keep beside it, as files hold it.

use super::build::Parts;
use super::structure::Hypergraph;
use crate::error::{Error, Result};
use crate::numeric::{to_index, to_u64};
use crate::text::Vocabulary;
use std::ops::Range;

/// In a column of texts: no text.
pub const NO_TEXT: u32 = u32::MAX;
/// In a column of whole numbers: no number.
pub const NO_INTEGER: i64 = i64::MIN;

/// Values of a column, a row for each node or edge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Values {
    /// Ids of [`Forests::texts`], or [`NO_TEXT`].
    Texts(Vec<u32>),
    /// Whole numbers, so many a row, or [`NO_INTEGER`].
    Integers {
        /// Numbers of one row.
        width: usize,
        /// All rows, end to end.
        values: Vec<i64>,
    },
}

/// What a file says of each node or edge beyond structure, features and yields: categories, rules, spans.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The name; the documentation of the formats lists those in use.
    pub name: String,
    /// The values.
    pub values: Values,
}

/// One forest, by the numbers of the file. Words, names of features and texts are ids of the [`Forests`] that it belongs to.
///
/// The *yield* of an edge is a sequence of items: one that is not negative is a word, the item -(k+1) is the yield of tail node k, from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Forest {
    /// The number of nodes.
    pub nodes: usize,
    /// The node whose derivations are those of the forest.
    pub root: u32,
    /// The head of each edge.
    pub heads: Vec<u32>,
    /// Row e of `tails`; one more than there are edges.
    pub tail_starts: Vec<u64>,
    /// The tails of all edges, end to end.
    pub tails: Vec<u32>,
    /// Edges that stand in the file as a property of their node, rising: the node that a lattice ends in, a node without edges that counts as given.
    pub axioms: Vec<u32>,
    /// Row e of the features.
    pub feature_starts: Vec<u64>,
    /// Ids of [`Forests::features`], each once in a row, in the order of the file.
    pub feature_ids: Vec<u32>,
    /// Finite values.
    pub feature_values: Vec<f64>,
    /// The natural logarithm of the weight of each edge, where the file gives weights and not only features.
    pub weights: Option<Vec<f64>>,
    /// Row e of the yields.
    pub item_starts: Vec<u64>,
    /// Words and tail positions.
    pub items: Vec<i32>,
    /// Columns with a row for each node.
    pub node_columns: Vec<Column>,
    /// Columns with a row for each edge.
    pub edge_columns: Vec<Column>,
    /// What the file says of the whole forest, in its order.
    pub properties: Vec<(String, String)>,
}

/// The forests of one file, with the words and names that they share.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Forests {
    /// Names of features.
    pub features: Vocabulary,
    /// Words of yields.
    pub words: Vocabulary,
    /// Texts of columns.
    pub texts: Vocabulary,
    /// The forests, in the order of the file.
    pub list: Vec<Forest>,
}

/// An item of a yield.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// A word of [`Forests::words`].
    Word(u32),
    /// The yield of this node of the tail, from 0.
    Tail(usize),
}

impl Item {
    /// What an item of [`Forest::items`] is.
    #[must_use]
    pub fn of(item: i32) -> Self {
        // -1 - item is not negative where the item is.
        u32::try_from(item).map_or_else(
            |_| Self::Tail(to_index(u64::from((!item).unsigned_abs()))),
            Self::Word,
        )
    }
}

impl Forest {
    /// The number of edges, axioms among them.
    #[must_use]
    pub fn edges(&self) -> usize {
        self.heads.len()
    }

    /// The structure, checked and ordered. Linear time.
    ///
    /// # Errors
    /// As [`Hypergraph::new`].
    pub fn graph(&self) -> Result<Hypergraph> {
        Hypergraph::new(Parts {
            nodes: self.nodes,
            heads: &self.heads,
            tail_starts: &self.tail_starts,
            tails: &self.tails,
            root: Some(self.root),
        })
    }

    /// The tail of an edge.
    #[must_use]
    pub fn tail(&self, edge: usize) -> &[u32] {
        &self.tails[row(&self.tail_starts, edge)]
    }

    /// The features of an edge: ids of names, and values.
    #[must_use]
    pub fn features(&self, edge: usize) -> impl ExactSizeIterator<Item = (u32, f64)> + '_ {
        let row = row(&self.feature_starts, edge);
        let values = &self.feature_values[row.clone()];
        self.feature_ids[row]
            .iter()
            .copied()
            .zip(values.iter().copied())
    }

    /// The items of the yield of an edge.
    #[must_use]
    pub fn items(&self, edge: usize) -> impl ExactSizeIterator<Item = Item> + '_ {
        self.items[row(&self.item_starts, edge)]
            .iter()
            .map(|&item| Item::of(item))
    }

    /// Whether an edge is an axiom.
    #[must_use]
    pub fn is_axiom(&self, edge: usize) -> bool {
        u32::try_from(edge).is_ok_and(|edge| self.axioms.binary_search(&edge).is_ok())
    }

    /// Ids of texts in a column of the edges; nothing without the column.
    #[must_use]
    pub fn edge_texts(&self, name: &str) -> Option<&[u32]> {
        texts(&self.edge_columns, name)
    }

    /// Ids of texts in a column of the nodes; nothing without the column.
    #[must_use]
    pub fn node_texts(&self, name: &str) -> Option<&[u32]> {
        texts(&self.node_columns, name)
    }

    /// Rows of whole numbers in a column of the edges; nothing without a column of this width.
    #[must_use]
    pub fn edge_integers(&self, name: &str, width: usize) -> Option<&[i64]> {
        integers(&self.edge_columns, name, width)
    }

    /// Rows of whole numbers in a column of the nodes; nothing without a column of this width.
    #[must_use]
    pub fn node_integers(&self, name: &str, width: usize) -> Option<&[i64]> {
        integers(&self.node_columns, name, width)
    }

    /// A property of the whole forest.
    #[must_use]
    pub fn property(&self, name: &str) -> Option<&str> {
        let found = self.properties.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }
}

impl Forests {
    /// Checks everything that the types leave open, so that what comes from elsewhere can be used like what was read: lengths, ids, items, numbers.
    ///
    /// # Errors
    /// [`Error::Hypergraph`] with the forest, the edge and what was found.
    ///
    /// # Complexity
    /// Linear time.
    pub fn check(&self) -> Result<()> {
        for (number, forest) in self.list.iter().enumerate() {
            forest.graph()?;
            self.check_edges(forest)
                .and_then(|()| self.check_columns(forest))
                .map_err(|(place, problem, found)| Error::Hypergraph {
                    place: format!("forest {number}, {place}"),
                    problem,
                    found,
                })?;
        }
        Ok(())
    }

    fn check_edges(&self, forest: &Forest) -> std::result::Result<(), Problem> {
        let edges = forest.edges();
        check_starts(
            "features",
            edges,
            &forest.feature_starts,
            forest.feature_ids.len(),
        )?;
        check_starts("yields", edges, &forest.item_starts, forest.items.len())?;
        check_length(
            "values of features",
            forest.feature_ids.len(),
            forest.feature_values.len(),
        )?;
        let names = to_u64(self.features.len());
        for (edge, (id, value)) in (0..edges).flat_map(|e| forest.features(e).map(move |f| (e, f)))
        {
            if u64::from(id) >= names {
                return Err(problem(
                    edge,
                    format!("there are {names} features, numbered from 0"),
                    id,
                ));
            }
            if !value.is_finite() {
                return Err(problem(edge, "features must be finite".to_owned(), value));
            }
        }
        for (edge, item) in (0..edges).flat_map(|e| forest.items(e).map(move |item| (e, item))) {
            match item {
                Item::Word(id) if to_index(u64::from(id)) >= self.words.len() => {
                    let expected = format!("there are {} words, numbered from 0", self.words.len());
                    return Err(problem(edge, expected, id));
                }
                Item::Tail(k) if k >= forest.tail(edge).len() => {
                    let expected = format!("the tail has {} nodes", forest.tail(edge).len());
                    return Err(problem(edge, expected, format!("the item -{}", k + 1)));
                }
                _ => {}
            }
        }
        if let Some(weights) = &forest.weights {
            check_length("weights", edges, weights.len())?;
            if let Some(edge) = weights
                .iter()
                .position(|w| w.is_nan() || *w == f64::INFINITY)
            {
                let expected = "the logarithm of a weight must be below infinity";
                return Err(problem(edge, expected.to_owned(), weights[edge]));
            }
        }
        let is_rising = forest.axioms.windows(2).all(|pair| pair[0] < pair[1]);
        let last = forest.axioms.last().copied().unwrap_or(0);
        if !is_rising
            || to_index(u64::from(last)) >= edges.max(1)
            || (edges == 0 && !forest.axioms.is_empty())
        {
            let expected = format!("axioms must be rising numbers of the {edges} edges");
            return Err(("the axioms".to_owned(), expected, last.to_string()));
        }
        Ok(())
    }

    fn check_columns(&self, forest: &Forest) -> std::result::Result<(), Problem> {
        let nodes = forest
            .node_columns
            .iter()
            .map(|column| (column, forest.nodes));
        let edges = forest
            .edge_columns
            .iter()
            .map(|column| (column, forest.edges()));
        for (column, rows) in nodes.chain(edges) {
            match &column.values {
                Values::Texts(ids) => {
                    check_length(&column.name, rows, ids.len())?;
                    let bad =
                        |&&id: &&u32| id != NO_TEXT && to_index(u64::from(id)) >= self.texts.len();
                    if let Some(id) = ids.iter().find(bad) {
                        let expected =
                            format!("there are {} texts, numbered from 0", self.texts.len());
                        return Err((
                            format!("the column {}", column.name),
                            expected,
                            id.to_string(),
                        ));
                    }
                }
                Values::Integers { width, values } => {
                    check_length(&column.name, rows.saturating_mul(*width), values.len())?;
                }
            }
        }
        Ok(())
    }
}

/// Place, problem, found.
type Problem = (String, String, String);

fn problem(edge: usize, problem: String, found: impl std::fmt::Display) -> Problem {
    (format!("edge {edge}"), problem, found.to_string())
}

fn check_length(what: &str, expected: usize, found: usize) -> std::result::Result<(), Problem> {
    if expected == found {
        return Ok(());
    }
    let place = format!("the {what}");
    Err((
        place,
        format!("there must be {expected}"),
        found.to_string(),
    ))
}

fn check_starts(
    what: &str,
    rows: usize,
    starts: &[u64],
    length: usize,
) -> std::result::Result<(), Problem> {
    check_length(&format!("starts of {what}"), rows + 1, starts.len())?;
    if starts[0] == 0 && starts[rows] == to_u64(length) && starts.is_sorted() {
        return Ok(());
    }
    let expected = format!("must rise from 0 to {length}");
    Err((
        format!("the starts of {what}"),
        expected,
        "others".to_owned(),
    ))
}

fn row(starts: &[u64], edge: usize) -> Range<usize> {
    to_index(starts[edge])..to_index(starts[edge + 1])
}

fn texts<'a>(columns: &'a [Column], name: &str) -> Option<&'a [u32]> {
    columns.iter().find_map(|column| match &column.values {
        Values::Texts(ids) if column.name == name => Some(ids.as_slice()),
        _ => None,
    })
}

fn integers<'a>(columns: &'a [Column], name: &str, wanted: usize) -> Option<&'a [i64]> {
    columns.iter().find_map(|column| match &column.values {
        Values::Integers { width, values } if column.name == name && *width == wanted => {
            Some(values.as_slice())
        }
        _ => None,
    })
}

//! The one error type of the core: variants carry data, never formatted advice about Python objects.

use thiserror::Error;

/// What can go wrong in the core. Line numbers and columns are 1-based; byte offsets are 0-based.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// A line of text cannot be read as asked.
    #[error("line {line}, column {column}: {problem}; found {found}")]
    Text {
        /// 1-based line number.
        line: u64,
        /// 1-based column, in characters.
        column: u64,
        /// What is wrong, and what was expected.
        problem: String,
        /// The offending text, escaped for display.
        found: String,
    },
    /// Two things that must run in parallel have different lengths.
    #[error("{shorter} ends after {shorter_len} lines but {longer} has {longer_len}")]
    UnequalLength {
        /// Name of the shorter side.
        shorter: &'static str,
        /// Its number of lines.
        shorter_len: u64,
        /// Name of the longer side.
        longer: &'static str,
        /// Its number of lines.
        longer_len: u64,
    },
    /// The links of one sentence pair cannot be used as asked.
    #[error("sentence pair {sentence}: {problem}; found {found}")]
    Links {
        /// 1-based number of the sentence pair.
        sentence: u64,
        /// What is wrong, what was expected, and the remedy.
        problem: String,
        /// The offending link or value.
        found: String,
    },
    /// An option has a value outside its range.
    #[error("{name} must be {expected}; found {found}")]
    Config {
        /// Name of the option, as the user writes it.
        name: &'static str,
        /// The values that are allowed.
        expected: String,
        /// The value that was given.
        found: String,
    },
    /// A saved model holds what no trained model can.
    #[error("{part} of the model {problem}")]
    Model {
        /// Name of the array.
        part: &'static str,
        /// What is wrong, and what was expected.
        problem: String,
    },
    /// A hypergraph, or an array beside it, cannot be used as asked.
    #[error("{place}: {problem}; found {found}")]
    Hypergraph {
        /// Where: a node, an edge, an array.
        place: String,
        /// What is wrong, what was expected, and the remedy.
        problem: String,
        /// The offending value.
        found: String,
    },
    /// An example of a classifier cannot be used as asked.
    #[error("{}: {problem}; found {found}", place(*example))]
    Examples {
        /// 1-based number of the example; 0 for all of them.
        example: u64,
        /// What is wrong, what was expected, and the remedy.
        problem: String,
        /// The offending value.
        found: String,
    },
    /// A hypergraph has a cycle where none is allowed, or one that cannot be closed.
    #[error("nodes {} form a cycle: {problem}", arrows(cycle))]
    Cycle {
        /// The nodes of one cycle, heads first, without the first one again.
        cycle: Vec<u32>,
        /// Why that is a problem, and the remedy.
        problem: String,
    },
    /// A count or an id does not fit the type that holds it.
    #[error("{what} exceeds the limit of {limit}")]
    TooLarge {
        /// What was counted.
        what: &'static str,
        /// The largest value that fits.
        limit: u64,
    },
    /// There is no memory for a buffer whose size depends on the input.
    #[error("no memory for {what} ({bytes} bytes)")]
    Memory {
        /// What was to be held.
        what: &'static str,
        /// The bytes it would take.
        bytes: u64,
    },
    /// Temporary storage cannot be written or read.
    #[error("temporary storage: {problem}")]
    Storage {
        /// The number of the system's error, if it is one.
        code: Option<i32>,
        /// What is wrong.
        problem: String,
    },
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
}

impl Error {
    /// An option whose value is out of range.
    #[must_use]
    pub fn config(name: &'static str, expected: &str, found: impl std::fmt::Display) -> Self {
        Self::Config {
            name,
            expected: expected.to_owned(),
            found: found.to_string(),
        }
    }
}

/// Where an example stands.
fn place(example: u64) -> String {
    match example {
        0 => "the examples".to_owned(),
        number => format!("example {number}"),
    }
}

/// A cycle for display: `2 <- 5 <- 2`; the middle of a long one is left out.
fn arrows(cycle: &[u32]) -> String {
    const SHOWN: usize = 12;
    let mut names: Vec<String> = cycle.iter().take(SHOWN).map(u32::to_string).collect();
    if cycle.len() > SHOWN {
        names.push(format!("({} more)", cycle.len() - SHOWN));
    }
    names.extend(cycle.first().map(u32::to_string));
    names.join(" <- ")
}

/// Result of a core function.
pub type Result<T> = std::result::Result<T, Error>;

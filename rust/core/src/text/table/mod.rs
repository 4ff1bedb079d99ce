//! Tables of words and numbers as lines of text: lexical tables, shortlists, priors.
//!
//! A table has columns; a line holds one field of each. Words are numbered, so that a table of millions of lines costs 4 bytes a word and 8 a
//! number. [`TableReader`] takes the lines of one kind of file, described by a [`Layout`], and refuses what does not fit with line and column.
//! [`write_rows`] makes lines of columns and fixed text, so that it serves every format.

pub(crate) mod number;
mod read;
mod write;

pub use number::NumberFormat;
pub use read::{Column, ColumnKind, Layout, Record, Separator, TableReader, Tables, Values};
pub use write::{Field, write_rows};

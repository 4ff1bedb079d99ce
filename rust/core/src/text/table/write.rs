//! Columns as lines of a table.

use super::number::{self, NumberFormat};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::ids::WordId;
use crate::parallel;
use crate::text::Vocabulary;
use std::io::Write;

/// Rows that one thread writes at a time.
const ROWS_PER_PIECE: usize = 1 << 14;

/// A part of every line.
#[derive(Debug, Clone, Copy)]
pub enum Field<'a> {
    /// The same text in every line: separators, keywords.
    Text(&'a str),
    /// A word of each row.
    Words {
        /// The words by id.
        words: &'a Vocabulary,
        /// The id of each row.
        ids: &'a [u32],
    },
    /// A whole number of each row.
    Integers(&'a [i64]),
    /// A real number of each row.
    Numbers {
        /// The number of each row.
        values: &'a [f64],
        /// How it is written.
        format: NumberFormat,
    },
}

impl Field<'_> {
    fn rows(self) -> Option<usize> {
        match self {
            Self::Text(_) => None,
            Self::Words { ids, .. } => Some(ids.len()),
            Self::Integers(values) => Some(values.len()),
            Self::Numbers { values, .. } => Some(values.len()),
        }
    }

    /// Checks once, so that the rows need no checks.
    fn check(self, rows: usize) -> Result<()> {
        let error = |expected: String, found: String| {
            Err(Error::Config {
                name: "fields",
                expected,
                found,
            })
        };
        match self {
            _ if self.rows().is_some_and(|own| own != rows) => error(
                format!("columns of {rows} rows"),
                format!("one of {}", self.rows().unwrap_or(0)),
            ),
            Self::Words { words, ids } => match ids
                .iter()
                .find(|&&id| usize::try_from(id).map_or(true, |index| index >= words.len()))
            {
                Some(id) => error(format!("ids of {} words", words.len()), id.to_string()),
                None => Ok(()),
            },
            Self::Numbers { values, .. } => match values.iter().find(|v| !v.is_finite()) {
                Some(value) => error("finite numbers".to_owned(), value.to_string()),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn push(self, out: &mut Vec<u8>, row: usize) {
        match self {
            Self::Text(text) => out.extend_from_slice(text.as_bytes()),
            Self::Words { words, ids } => {
                let word = words.word(WordId::from_u32(ids[row])).unwrap_or_default();
                out.extend_from_slice(word.as_bytes());
            }
            Self::Integers(values) => {
                // Writing to a vector does not fail.
                let _ = write!(out, "{}", values[row]);
            }
            Self::Numbers { values, format } => number::push(out, values[row], format),
        }
    }
}

/// One line for each row: the fields one after the other, and `\n`.
///
/// # Errors
/// [`Error::Config`] when columns have different lengths, an id has no word, or a number is not finite; [`Error::Cancelled`].
///
/// # Complexity
/// Linear time and memory in the text; a fixed number of rows is written at a time by each thread.
pub fn write_rows(fields: &[Field<'_>], threads: usize, cancel: &CancelToken) -> Result<Vec<u8>> {
    let rows = fields.iter().find_map(|field| field.rows()).unwrap_or(0);
    for field in fields {
        field.check(rows)?;
    }
    let starts: Vec<usize> = (0..rows).step_by(ROWS_PER_PIECE).collect();
    let pieces = parallel::map(threads, cancel, starts, |_, start| {
        let mut out = Vec::new();
        for row in start..rows.min(start + ROWS_PER_PIECE) {
            for field in fields {
                field.push(&mut out, row);
            }
            out.push(b'\n');
        }
        Ok(out)
    })?;
    Ok(pieces.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_the_same_for_any_number_of_threads() {
        let words = Vocabulary::from_words(vec!["the".to_owned(), "ü".to_owned()]);
        let ids: Vec<u32> = (0..40_000).map(|n| n % 2).collect();
        let jumps: Vec<i64> = (0..40_000).map(|n| n - 20_000).collect();
        let values: Vec<f64> = (0..40_000).map(|n| f64::from(n) / 8.0).collect();
        let fields = [
            Field::Text("X\t"),
            Field::Words {
                words: &words,
                ids: &ids,
            },
            Field::Text(" "),
            Field::Integers(&jumps),
            Field::Text(" "),
            Field::Numbers {
                values: &values,
                format: NumberFormat::General,
            },
        ];
        let cancel = CancelToken::new();
        let one = write_rows(&fields, 1, &cancel).expect("good columns");
        assert!(one.starts_with("X\tthe -20000 0\nX\tü -19999 0.125\n".as_bytes()));
        assert_eq!(one.split(|&b| b == b'\n').count(), 40_001);
        assert_eq!(write_rows(&fields, 3, &cancel), Ok(one));
    }

    #[test]
    fn columns_that_do_not_fit_are_refused() {
        let words = Vocabulary::from_words(vec!["a".to_owned()]);
        let cancel = CancelToken::new();
        let bad = [
            vec![Field::Integers(&[1, 2]), Field::Integers(&[1])],
            vec![Field::Words {
                words: &words,
                ids: &[0, 1],
            }],
            vec![Field::Numbers {
                values: &[f64::NAN],
                format: NumberFormat::Shortest,
            }],
        ];
        for fields in bad {
            assert!(matches!(
                write_rows(&fields, 1, &cancel),
                Err(Error::Config { .. })
            ));
        }
        assert_eq!(write_rows(&[Field::Text("x")], 1, &cancel), Ok(Vec::new()));
    }
}

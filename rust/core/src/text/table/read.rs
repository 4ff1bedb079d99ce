//! Lines of a table as columns.

use crate::error::{Error, Result};
use crate::text::Vocabulary;
use crate::text::decode::{column_after, quote};
use crate::text::interner::Interner;
use crate::text::lines::LineCutter;

/// What stands between the fields of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Separator {
    /// One tab. Fields may be empty.
    Tab,
    /// Any number of spaces or tabs.
    Space,
}

impl Separator {
    fn name(self) -> &'static str {
        match self {
            Self::Tab => "tabs",
            Self::Space => "spaces",
        }
    }
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// A word, numbered in this vocabulary of the reader. It has no space in it.
    Word {
        /// Index of the vocabulary.
        vocabulary: usize,
        /// Whether the empty field is a word too.
        may_be_empty: bool,
    },
    /// A whole number of at least this.
    Integer {
        /// The least number that is allowed.
        least: i64,
    },
    /// A finite number of at least 0.
    Number,
}

/// A column: its name, for messages, and what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The name, for messages.
    pub name: String,
    /// What it holds.
    pub kind: ColumnKind,
}

/// A kind of line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// What its lines start with, as a field of its own; nothing when the table has one kind of line.
    pub keyword: Option<String>,
    /// The fields after the keyword.
    pub columns: Vec<Column>,
}

/// A kind of file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// What stands between fields.
    pub separator: Separator,
    /// What the first line must be, if it is not a record.
    pub header: Option<String>,
    /// The kinds of lines: one without keyword, or several with.
    pub records: Vec<Record>,
    /// What to do about a bad line, for messages.
    pub remedy: String,
}

/// The values of a column, in the order of the lines.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Ids of words.
    Words(Vec<u32>),
    /// Whole numbers.
    Integers(Vec<i64>),
    /// Real numbers.
    Numbers(Vec<f64>),
}

/// What a file held.
#[derive(Debug, Clone, PartialEq)]
pub struct Tables {
    /// The words of each vocabulary, in order of first occurrence.
    pub vocabularies: Vec<Vocabulary>,
    /// For each kind of record its columns.
    pub records: Vec<Vec<Values>>,
}

/// Reads a table from byte blocks.
///
/// # Complexity
/// Linear time; memory for the columns and for each distinct word once.
#[derive(Debug)]
pub struct TableReader {
    cutter: LineCutter,
    content: Content,
}

/// All but the cutter, which calls back into it.
#[derive(Debug)]
struct Content {
    layout: Layout,
    vocabularies: Vec<Interner>,
    records: Vec<Vec<Values>>,
    lines: u64,
}

impl TableReader {
    /// A reader of files of this kind.
    #[must_use]
    pub fn new(layout: Layout) -> Self {
        let kinds = || layout.records.iter().flat_map(|record| &record.columns);
        let vocabularies = kinds()
            .filter_map(|column| match column.kind {
                ColumnKind::Word { vocabulary, .. } => Some(vocabulary + 1),
                _ => None,
            })
            .max();
        let records = layout.records.iter().map(|record| {
            let empty = |column: &Column| match column.kind {
                ColumnKind::Word { .. } => Values::Words(Vec::new()),
                ColumnKind::Integer { .. } => Values::Integers(Vec::new()),
                ColumnKind::Number => Values::Numbers(Vec::new()),
            };
            record.columns.iter().map(empty).collect()
        });
        let content = Content {
            vocabularies: vec![Interner::default(); vocabularies.unwrap_or(0)],
            records: records.collect(),
            layout,
            lines: 0,
        };
        Self {
            cutter: LineCutter::default(),
            content,
        }
    }

    /// Takes the next bytes of the file.
    ///
    /// # Errors
    /// [`Error::Text`] for a line that does not fit the layout: another number of fields, an unknown keyword, a word that is empty or has a space in
    /// it, a number that is none, negative or not finite, bytes that are not UTF-8. [`Error::Memory`], [`Error::TooLarge`].
    pub fn feed(&mut self, block: &[u8]) -> Result<()> {
        let content = &mut self.content;
        self.cutter
            .feed(block, |line, bytes| content.take(line, bytes))
    }

    /// The tables, after the last block.
    ///
    /// # Errors
    /// As [`TableReader::feed`]; [`Error::Text`] when a header is asked for and the file is empty.
    pub fn finish(mut self) -> Result<Tables> {
        let content = &mut self.content;
        self.cutter
            .finish(|line, bytes| content.take(line, bytes))?;
        if let (0, Some(header)) = (content.lines, &content.layout.header) {
            return Err(bad_header(header, &content.layout.remedy, "an empty file"));
        }
        Ok(Tables {
            vocabularies: self
                .content
                .vocabularies
                .into_iter()
                .map(Interner::into_vocabulary)
                .collect(),
            records: self.content.records,
        })
    }
}

impl Content {
    fn take(&mut self, number: u64, bytes: &[u8]) -> Result<()> {
        self.lines = number;
        let layout = &self.layout;
        let text = std::str::from_utf8(bytes).map_err(|problem| {
            let (good, bad) = bytes.split_at(problem.valid_up_to());
            let bad = &bad[..problem.error_len().unwrap_or(bad.len())];
            Error::Text {
                line: number,
                column: column_after(&String::from_utf8_lossy(good)),
                problem: "the text is not UTF-8 here; convert the file (for instance with iconv -f latin1 -t utf-8)".to_owned(),
                found: format!("byte {}", bad.escape_ascii()),
            }
        })?;
        if let (1, Some(header)) = (number, &layout.header) {
            return if text == header {
                Ok(())
            } else {
                Err(bad_header(header, &layout.remedy, &quote(text)))
            };
        }
        let line = Line {
            number,
            text,
            layout,
        };
        let (kind, fields) = line.record()?;
        let columns = self.records[kind].iter_mut();
        for ((field, column), values) in fields.zip(&layout.records[kind].columns).zip(columns) {
            line.store(field, column, values, &mut self.vocabularies)?;
        }
        Ok(())
    }
}

/// One line, for its errors.
#[derive(Clone, Copy)]
struct Line<'a> {
    number: u64,
    text: &'a str,
    layout: &'a Layout,
}

impl<'a> Line<'a> {
    fn fields(self) -> impl Iterator<Item = &'a str> {
        let is_tab = self.layout.separator == Separator::Tab;
        self.text
            .split(move |c| c == '\t' || (!is_tab && c == ' '))
            .filter(move |field| is_tab || !field.is_empty())
    }

    /// The kind of the line, and its fields after the keyword, as many as the kind has columns.
    fn record(self) -> Result<(usize, impl Iterator<Item = &'a str>)> {
        let layout = self.layout;
        let first = self.fields().next().unwrap_or_default();
        let kind = layout
            .records
            .iter()
            .position(|r| r.keyword.as_deref().is_none_or(|keyword| keyword == first));
        let Some(kind) = kind else {
            let keywords: Vec<&str> = layout
                .records
                .iter()
                .filter_map(|r| r.keyword.as_deref())
                .collect();
            let problem = format!("a line starts with one of {}", keywords.join(", "));
            return Err(self.error(self.text, &problem));
        };
        let record = &layout.records[kind];
        let skipped = usize::from(record.keyword.is_some());
        let expected = skipped + record.columns.len();
        if self.fields().count() == expected {
            return Ok((kind, self.fields().skip(skipped)));
        }
        let names = record.keyword.iter().map(String::as_str);
        let names: Vec<&str> = names
            .chain(record.columns.iter().map(|c| c.name.as_str()))
            .collect();
        let problem = format!(
            "expected {expected} fields separated by {} ({}), found {}",
            layout.separator.name(),
            names.join(", "),
            self.fields().count(),
        );
        Err(self.error(self.text, &problem))
    }

    fn store(
        self,
        field: &'a str,
        column: &Column,
        values: &mut Values,
        vocabularies: &mut [Interner],
    ) -> Result<()> {
        let name = &column.name;
        match (values, column.kind) {
            (
                Values::Words(ids),
                ColumnKind::Word {
                    vocabulary,
                    may_be_empty,
                },
            ) => {
                if field.is_empty() && !may_be_empty {
                    return Err(self.error(field, &format!("the {name} is empty")));
                }
                if field.contains(' ') {
                    return Err(self.error(field, &format!("the {name} has a space in it")));
                }
                ids.push(vocabularies[vocabulary].intern(field)?.as_u32());
            }
            (Values::Integers(numbers), ColumnKind::Integer { least }) => {
                match field.parse::<i64>() {
                    Ok(value) if value >= least => numbers.push(value),
                    _ => {
                        let bound = if least == i64::MIN {
                            String::new()
                        } else {
                            format!(" of at least {least}")
                        };
                        let problem = format!("the {name} must be a whole number{bound}");
                        return Err(self.error(field, &problem));
                    }
                }
            }
            (Values::Numbers(numbers), ColumnKind::Number) => match field.parse::<f64>() {
                Ok(value) if value.is_finite() && value >= 0.0 => numbers.push(value),
                _ => {
                    let problem = format!("the {name} must be a number of at least 0");
                    return Err(self.error(field, &problem));
                }
            },
            // The values were made for these kinds.
            _ => unreachable!("a column has values of its kind"),
        }
        Ok(())
    }

    /// The error at a part of the line.
    fn error(self, part: &str, problem: &str) -> Error {
        let start = part.as_ptr().addr() - self.text.as_ptr().addr();
        Error::Text {
            line: self.number,
            column: column_after(&self.text[..start]),
            problem: format!("{problem}; {}", self.layout.remedy),
            found: quote(part),
        }
    }
}

fn bad_header(header: &str, remedy: &str, found: &str) -> Error {
    Error::Text {
        line: 1,
        column: 1,
        problem: format!("the first line must be {header:?}; {remedy}"),
        found: found.to_owned(),
    }
}

#[cfg(test)]
mod tests;

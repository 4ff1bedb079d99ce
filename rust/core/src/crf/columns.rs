//! Files of columns, as those of `CoNLL`'s shared tasks: a line for each position, cells between spaces or tabs, the label last, an empty line after
//! each sequence.

use super::builder::{Built, DatasetBuilder};
use super::template::Template;
use crate::error::{Error, Result};
use crate::text::decode::decode_strictly;
use crate::text::lines::LineCutter;

/// How many cells of a line are there to make attributes of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Columns {
    /// All but the last one, the label; the first line tells how many.
    Labelled,
    /// This many; a line may have a label behind them, and then all lines must.
    Known(usize),
    /// This many, others that no template names, and a label at the end where there are more: what CRF++ takes.
    AtLeast(usize),
}

/// Reads files of columns, block by block.
#[derive(Debug)]
pub struct ColumnReader {
    lines: LineCutter,
    sequence: Open,
}

/// The sequence whose end has not come yet.
#[derive(Debug)]
struct Open {
    builder: DatasetBuilder,
    template: Option<Template>,
    columns: Columns,
    /// Cells of each line: set by the first one.
    width: Option<usize>,
    text: String,
    /// Where each cell ends in `text`.
    ends: Vec<usize>,
    rows: usize,
    name: String,
}

impl ColumnReader {
    /// A reader that adds to what `builder` has. Without templates it takes [`Template::window`].
    #[must_use]
    pub fn new(builder: DatasetBuilder, template: Option<Template>, columns: Columns) -> Self {
        Self {
            lines: LineCutter::default(),
            sequence: Open {
                builder,
                template,
                columns,
                width: None,
                text: String::new(),
                ends: Vec::new(),
                rows: 0,
                name: String::new(),
            },
        }
    }

    /// Reads a block of bytes of any size.
    ///
    /// # Errors
    /// [`Error::Text`] for a line that is not UTF-8, or has more or fewer cells than it should; [`Error::TooLarge`]; [`Error::Memory`].
    pub fn feed(&mut self, block: &[u8]) -> Result<()> {
        let Self { lines, sequence } = self;
        lines.feed(block, |number, line| sequence.line(number, line))
    }

    /// Reads what is left and returns everything, the templates that were used, and the number of cells that attributes are made of.
    ///
    /// # Errors
    /// Those of [`feed`](Self::feed).
    pub fn finish(self) -> Result<(Built, Template, usize)> {
        let Self {
            mut lines,
            mut sequence,
        } = self;
        lines.finish(|number, line| sequence.line(number, line))?;
        sequence.close()?;
        let columns = match (sequence.columns, sequence.width) {
            (Columns::Known(columns), _) | (Columns::AtLeast(columns), None) => columns,
            (Columns::AtLeast(columns), Some(width)) => columns.max(width - 1),
            (Columns::Labelled, width) => width.unwrap_or(1) - 1,
        };
        let template = sequence
            .template
            .unwrap_or_else(|| Template::window(columns));
        Ok((sequence.builder.finish(), template, columns))
    }
}

impl Open {
    fn line(&mut self, number: u64, line: &[u8]) -> Result<()> {
        let line = decode_strictly(number, line)?;
        let before = self.ends.len();
        for cell in line.split([' ', '\t']).filter(|cell| !cell.is_empty()) {
            self.text.push_str(cell);
            self.ends.push(self.text.len());
        }
        let found = self.ends.len() - before;
        if found == 0 {
            return self.close();
        }
        self.rows += 1;
        self.check_width(number, found)
    }

    fn check_width(&mut self, number: u64, found: usize) -> Result<()> {
        let refuse = |problem: String| {
            Err(Error::Text {
                line: number,
                column: 1,
                problem,
                found: format!("{found} cells"),
            })
        };
        if let Some(width) = self.width {
            return if width == found {
                Ok(())
            } else {
                refuse(format!(
                    "the lines before have {width} cells, and all must have as many"
                ))
            };
        }
        match self.columns {
            Columns::Known(columns) if found != columns && found != columns + 1 => {
                return refuse(format!(
                    "{columns} cells are needed, as in training, or one more with the label"
                ));
            }
            Columns::AtLeast(columns) if found < columns => {
                return refuse(format!("at least {columns} cells are needed"));
            }
            Columns::Labelled if found < 2 => {
                return refuse("a line has at least one cell, and the label behind".to_owned());
            }
            _ => {}
        }
        let columns = match self.columns {
            Columns::Known(columns) | Columns::AtLeast(columns) => columns,
            Columns::Labelled => found - 1,
        };
        let template = self
            .template
            .get_or_insert_with(|| Template::window(columns));
        if template.columns() > columns {
            let last = template.columns() - 1;
            return refuse(format!(
                "the templates name column {last}, but lines have columns 0 to {} before the label",
                columns - 1
            ));
        }
        self.width = Some(found);
        Ok(())
    }

    /// Makes the positions of the sequence that is open.
    fn close(&mut self) -> Result<()> {
        let (Some(template), Some(width)) = (&self.template, self.width) else {
            return Ok(());
        };
        if self.rows == 0 {
            return Ok(());
        }
        let cell = |row: usize, column: usize| {
            let at = row * width + column;
            let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
            &self.text[start..self.ends[at]]
        };
        let has_label = match self.columns {
            Columns::Labelled => true,
            Columns::Known(columns) | Columns::AtLeast(columns) => width > columns,
        };
        for row in 0..self.rows {
            let builder = &mut self.builder;
            template.expand(row, self.rows, cell, &mut self.name, |name, is_pairing| {
                if is_pairing {
                    builder.pair_feature(name, 1.0)
                } else {
                    builder.feature(name, 1.0)
                }
            })?;
            builder.end_position(has_label.then(|| cell(row, width - 1)))?;
        }
        self.builder.end_sequence();
        self.text.clear();
        self.ends.clear();
        self.rows = 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crf::dataset::NO_LABEL;

    fn read(text: &str, columns: Columns) -> Result<Built> {
        let template = Template::parse("U0:%x[0,0]/%x[1,0]\n")?;
        let mut reader = ColumnReader::new(DatasetBuilder::default(), Some(template), columns);
        reader.feed(text.as_bytes())?;
        reader.finish().map(|(built, ..)| built)
    }

    #[test]
    fn sequences_end_at_empty_lines() {
        let built = read("\na X\r\nb\tY\n\n  \nc X", Columns::Labelled).expect("sound");
        assert_eq!(built.sequences.starts(), [0, 2, 3]);
        assert_eq!(built.sequences.labels(), [0, 1, 0]);
        assert_eq!(
            built.attributes.iter().collect::<Vec<_>>(),
            ["U0:a/b", "U0:b/_B+1", "U0:c/_B+1"]
        );
    }

    #[test]
    fn other_columns_may_stand_before_the_label() {
        let built = read("a x y X\nb x y Y\n", Columns::AtLeast(1)).expect("sound");
        assert_eq!(built.labels.iter().collect::<Vec<_>>(), ["X", "Y"]);
        assert_eq!(built.attributes.name(0), "U0:a/b");
        let built = read("a\nb\n", Columns::AtLeast(1)).expect("sound");
        assert_eq!(built.sequences.labels(), [NO_LABEL, NO_LABEL]);
        let error = read("a\n", Columns::AtLeast(2)).expect_err("narrow");
        assert!(matches!(error, Error::Text { line: 1, .. }), "{error}");
        let mut reader = ColumnReader::new(DatasetBuilder::default(), None, Columns::AtLeast(1));
        reader.feed(b"a b X\n").expect("sound");
        assert_eq!(reader.finish().map(|(.., columns)| columns), Ok(2));
    }

    #[test]
    fn labels_may_be_missing_where_the_columns_are_known() {
        let built = read("a\nb\n", Columns::Known(1)).expect("sound");
        assert_eq!(built.sequences.labels(), [NO_LABEL, NO_LABEL]);
        let error = read("a X\nb\n", Columns::Known(1)).expect_err("uneven");
        assert!(matches!(error, Error::Text { line: 2, .. }), "{error}");
    }
}

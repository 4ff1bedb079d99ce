//! CRF++'s feature templates: which cells around a position make its attributes.
//!
//! A line that begins with `U` makes an attribute at each position: its text, with `%x[row,column]` replaced by the cell `row` lines below the
//! position. A line that begins with `B` and has such cells makes an attribute whose weights are for pairs of labels: that of the position and the one before. Before the first line of a sequence stand `_B-1`, `_B-2` and so on (backwards), behind the last `_B+1`, `_B+2` .. .
//! A line `B` without cells asks for weights of pairs of neighbouring labels. Lines that are empty or begin with `#` say nothing.

use crate::error::{Error, Result};
use crate::text::decode::{column_after, quote};
use std::fmt::Write;

/// A piece of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Cell { row: isize, column: usize },
}

/// Templates of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    attributes: Vec<Vec<Part>>,
    pair_attributes: Vec<Vec<Part>>,
    has_transitions: bool,
    columns: usize,
    text: String,
}

impl Template {
    /// Reads templates.
    ///
    /// # Errors
    /// [`Error::Text`] for a line that is none of those above.
    pub fn parse(text: &str) -> Result<Self> {
        let mut made = Self {
            attributes: Vec::new(),
            pair_attributes: Vec::new(),
            has_transitions: false,
            columns: 0,
            text: text.to_owned(),
        };
        for (line, number) in text.lines().zip(1..) {
            let trimmed = line.trim();
            match trimmed.as_bytes().first() {
                None | Some(b'#') => {}
                Some(b'U') => made.attributes.push(parse_line(number, trimmed)?),
                Some(b'B') if !trimmed.contains('%') => made.has_transitions = true,
                Some(b'B') => made.pair_attributes.push(parse_line(number, trimmed)?),
                Some(_) => {
                    return Err(refuse(
                        number,
                        1,
                        "a template begins with U, B or #",
                        trimmed,
                    ));
                }
            }
        }
        made.columns = made
            .attributes
            .iter()
            .chain(&made.pair_attributes)
            .flatten()
            .filter_map(|part| match part {
                Part::Cell { column, .. } => Some(column + 1),
                Part::Text(_) => None,
            })
            .max()
            .unwrap_or(0);
        Ok(made)
    }

    /// The templates for files that come without: in each column the cells from two before to two behind, and the pairs with the cell of the position.
    #[must_use]
    pub fn window(columns: usize) -> Self {
        let mut text = String::new();
        for column in 0..columns {
            for (number, row) in (-2..=2).enumerate() {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "U{column}{number}:%x[{row},{column}]");
            }
            let _ = writeln!(text, "U{column}5:%x[-1,{column}]/%x[0,{column}]");
            let _ = writeln!(text, "U{column}6:%x[0,{column}]/%x[1,{column}]");
        }
        text.push_str("B\n");
        Self::parse(&text).unwrap_or(Self {
            attributes: Vec::new(),
            pair_attributes: Vec::new(),
            has_transitions: true,
            columns: 0,
            text,
        })
    }

    /// Whether pairs of neighbouring labels have weights.
    #[must_use]
    pub fn has_transitions(&self) -> bool {
        self.has_transitions
    }

    /// Number of columns that are looked at: one more than the largest number.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The text that was read.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether a name of CRF++ that begins with B is that of a line without cells: of weights of pairs of labels alone.
    #[must_use]
    pub(super) fn is_plain(&self, name: &str) -> bool {
        let mut lines = self.text.lines().map(str::trim);
        lines.any(|line| line == name && !line.contains('%'))
    }

    /// Calls `each` with every attribute of a position, and whether its weights are for pairs of labels; there are none of those at the first position.
    /// `cell(row, column)` must be there for rows below `rows`.
    pub(super) fn expand<'c>(
        &self,
        position: usize,
        rows: usize,
        cell: impl Fn(usize, usize) -> &'c str,
        buffer: &mut String,
        mut each: impl FnMut(&str, bool) -> Result<()>,
    ) -> Result<()> {
        let single = self.attributes.iter().map(|template| (template, false));
        let pairs = self.pair_attributes.iter().map(|template| (template, true));
        for (template, is_pairing) in single.chain(pairs.filter(|_| position > 0)) {
            buffer.clear();
            for part in template {
                match part {
                    Part::Text(text) => buffer.push_str(text),
                    Part::Cell { row, column } => match position.checked_add_signed(*row) {
                        Some(at) if at < rows => buffer.push_str(cell(at, *column)),
                        Some(at) => {
                            let _ = write!(buffer, "_B+{}", at - rows + 1);
                        }
                        None => {
                            let _ = write!(buffer, "_B-{}", row.unsigned_abs() - position);
                        }
                    },
                }
            }
            each(buffer, is_pairing)?;
        }
        Ok(())
    }
}

fn refuse(line: u64, column: u64, problem: &str, found: &str) -> Error {
    Error::Text {
        line,
        column,
        problem: problem.to_owned(),
        found: quote(found),
    }
}

fn parse_line(number: u64, line: &str) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    let mut rest = line;
    while let Some(start) = rest.find("%x") {
        if start > 0 {
            parts.push(Part::Text(rest[..start].to_owned()));
        }
        let (cell, behind) = parse_cell(&rest[start + 2..]).ok_or_else(|| {
            let before = line.len() - rest.len() + start;
            refuse(
                number,
                column_after(&line[..before]),
                "a cell is %x[row,column], a whole number and one from 0",
                &rest[start..],
            )
        })?;
        parts.push(cell);
        rest = behind;
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest.to_owned()));
    }
    Ok(parts)
}

fn parse_cell(text: &str) -> Option<(Part, &str)> {
    let (inside, behind) = text.strip_prefix('[')?.split_once(']')?;
    let (row, column) = inside.split_once(',')?;
    let row: i32 = row.trim().parse().ok()?;
    let column: u16 = column.trim().parse().ok()?;
    let cell = Part::Cell {
        row: isize::try_from(row).ok()?,
        column: usize::from(column),
    };
    Some((cell, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_around_a_position_make_its_attributes() {
        let template =
            Template::parse("# words\nU0:%x[-2,0]/%x[0,1]\n\nU1:%x[1,0]x\nB\nB1:%x[-1,0]%x[0,0]\n")
                .expect("sound");
        assert!(template.has_transitions());
        assert_eq!(template.columns(), 2);
        let rows = [["a", "A"], ["b", "B"], ["c", "C"]];
        let mut found = Vec::new();
        for position in 0..3 {
            template
                .expand(
                    position,
                    3,
                    |row, column| rows[row][column],
                    &mut String::new(),
                    |name, is_pairing| {
                        assert_eq!(is_pairing, name.starts_with('B'));
                        found.push(name.to_owned());
                        Ok(())
                    },
                )
                .expect("no error");
        }
        assert_eq!(
            found,
            [
                "U0:_B-2/A",
                "U1:bx",
                "U0:_B-1/B",
                "U1:cx",
                "B1:ab",
                "U0:a/C",
                "U1:_B+1x",
                "B1:bc",
            ]
        );
    }

    #[test]
    fn what_is_no_template_is_refused_with_its_place() {
        for (text, line, column) in [
            ("U0:%x[0,0]\nV", 2, 1),
            ("U0:%x[0,0]/%x[a,0]", 1, 12),
            ("U0:%x[0,-1]", 1, 4),
            ("U0:%x[0,0", 1, 4),
            ("U0:%x[0,0]\nB1:%x[0]", 2, 4),
        ] {
            let error = Template::parse(text).expect_err("not sound");
            assert!(
                matches!(error, Error::Text { line: l, column: c, .. } if (l, c) == (line, column)),
                "{text}: {error}"
            );
        }
    }
}

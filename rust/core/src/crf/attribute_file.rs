//! `CRFsuite`'s text: a line for each position, `label TAB attribute TAB attribute:value ..`, an empty line after each sequence.
//!
//! A colon in the name of an attribute is written `\:`, a backslash `\\`. The value is 1 where there is none.

use super::builder::{Built, DatasetBuilder};
use crate::error::{Error, Result};
use crate::text::decode::{column_after, decode_strictly, quote};
use crate::text::lines::LineCutter;

/// Reads attribute files, block by block.
#[derive(Debug, Default)]
pub struct AttributeReader {
    lines: LineCutter,
    builder: DatasetBuilder,
    name: String,
}

impl AttributeReader {
    /// A reader that adds to what `builder` has.
    #[must_use]
    pub fn new(builder: DatasetBuilder) -> Self {
        Self {
            builder,
            ..Self::default()
        }
    }

    /// Reads a block of bytes of any size.
    ///
    /// # Errors
    /// [`Error::Text`] for a line that is not UTF-8, or a value that is no finite number; [`Error::TooLarge`]; [`Error::Memory`].
    pub fn feed(&mut self, block: &[u8]) -> Result<()> {
        let Self {
            lines,
            builder,
            name,
        } = self;
        lines.feed(block, |number, line| read(builder, name, number, line))
    }

    /// Reads what is left and returns everything.
    ///
    /// # Errors
    /// Those of [`feed`](Self::feed).
    pub fn finish(self) -> Result<Built> {
        let Self {
            mut lines,
            mut builder,
            mut name,
        } = self;
        lines.finish(|number, line| read(&mut builder, &mut name, number, line))?;
        Ok(builder.finish())
    }
}

fn read(builder: &mut DatasetBuilder, name: &mut String, number: u64, line: &[u8]) -> Result<()> {
    let line = decode_strictly(number, line)?;
    if line.trim_matches([' ', '\t']).is_empty() {
        if builder.open_positions() > 0 {
            builder.end_sequence();
        }
        return Ok(());
    }
    let mut fields = line.split('\t');
    let label = fields.next().unwrap_or_default();
    if label.is_empty() {
        return Err(Error::Text {
            line: number,
            column: 1,
            problem: "a line begins with a label and a tab".to_owned(),
            found: quote(line),
        });
    }
    for field in fields.filter(|field| !field.is_empty()) {
        let value = split(field, name).map_err(|problem| Error::Text {
            line: number,
            column: column_of(line, field),
            problem,
            found: quote(field),
        })?;
        builder.feature(name, value)?;
    }
    builder.end_position(Some(label))
}

/// The column of a part of a line.
fn column_of(line: &str, part: &str) -> u64 {
    let start = part.as_ptr().addr() - line.as_ptr().addr();
    column_after(&line[..start])
}

/// Writes the name of an attribute without escapes to `name` and returns its value.
fn split(field: &str, name: &mut String) -> std::result::Result<f64, String> {
    name.clear();
    if !field.contains([':', '\\']) {
        name.push_str(field);
        return Ok(1.0);
    }
    let mut rest = field.chars();
    while let Some(character) = rest.next() {
        match character {
            '\\' => name.push(rest.next().unwrap_or('\\')),
            ':' => {
                return match rest.as_str().parse::<f64>() {
                    Ok(value) if value.is_finite() => Ok(value),
                    _ => Err(
                        "what follows ':' is a finite number; write \\: for a colon in a name"
                            .to_owned(),
                    ),
                };
            }
            other => name.push(other),
        }
    }
    Ok(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(text: &str) -> Result<Built> {
        let mut reader = AttributeReader::default();
        for byte in text.as_bytes() {
            reader.feed(&[*byte])?;
        }
        reader.finish()
    }

    #[test]
    fn names_values_and_sequences_are_read() {
        let built = read_all("B\ta\tb\\:c:2\n\n\nI\ta:0.5\r\nB\tx\\\\y\t\n \t\n").expect("sound");
        assert_eq!(
            built.attributes.iter().collect::<Vec<_>>(),
            ["a", "b:c", "x\\y"]
        );
        assert_eq!(built.labels.iter().collect::<Vec<_>>(), ["B", "I"]);
        assert_eq!(built.sequences.starts(), [0, 1, 3]);
        let mut found = Vec::new();
        for position in 0..3 {
            built
                .sequences
                .features(position, |id, value| found.push((id, value)));
        }
        assert_eq!(found, [(0, 1.0), (1, 2.0), (0, 0.5), (2, 1.0)]);
    }

    #[test]
    fn a_value_that_is_no_number_is_refused_with_its_place() {
        for text in [
            "B\ta\n\nB\ta\tb:x\n",
            "B\ta\n\nB\ta\tb:nan\n",
            "B\ta\n\nB\ta\tb:\n",
        ] {
            let error = read_all(text).expect_err("no number");
            assert!(
                matches!(
                    error,
                    Error::Text {
                        line: 3,
                        column: 5,
                        ..
                    }
                ),
                "{error}"
            );
        }
    }
}

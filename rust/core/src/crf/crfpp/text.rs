//! CRF++'s models as text, which `crf_learn -t` writes beside the binary ones.
//!
//! Five parts with an empty line after each: `version`, `cost-factor`, `maxid` and `xsize` (columns before the label); the labels; the templates; a line
//! `id name` for each attribute; a weight a line.

use super::{CrfppModel, Parts, VERSION, unsound};
use crate::crf::Template;
use crate::error::{Error, Result};
use crate::numeric::{to_index, to_u64};
use crate::text::decode::{column_after, decode_strictly, quote};
use crate::text::lines::{LineCutter, reserve};

/// The first bytes of a model.
pub const TEXT_MAGIC: &[u8] = b"version: ";

/// Reads models, block by block.
#[derive(Debug, Default)]
pub struct CrfppReader {
    lines: LineCutter,
    open: Open,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Part {
    #[default]
    Head,
    Labels,
    Templates,
    Attributes,
    Weights,
}

impl Part {
    fn next(self) -> Self {
        match self {
            Self::Head => Self::Labels,
            Self::Labels => Self::Templates,
            Self::Templates => Self::Attributes,
            Self::Attributes | Self::Weights => Self::Weights,
        }
    }
}

#[derive(Debug, Default)]
struct Open {
    /// The part that is read now.
    at: Part,
    version: Option<u64>,
    cost_factor: Option<f64>,
    weight_count: Option<u64>,
    columns: Option<u64>,
    parts: Parts,
}

impl CrfppReader {
    /// Reads a block of bytes of any size.
    ///
    /// # Errors
    /// [`Error::Text`] for a line that cannot be read; [`Error::Memory`].
    pub fn feed(&mut self, block: &[u8]) -> Result<()> {
        let Self { lines, open } = self;
        lines.feed(block, |number, line| open.line(number, line))
    }

    /// Reads what is left and returns the model.
    ///
    /// # Errors
    /// Those of [`feed`](Self::feed); [`Error::Model`] for a model that is cut short, or whose parts do not fit each other.
    ///
    /// # Complexity
    /// Time n log n for n attributes, linear in all else.
    pub fn finish(self) -> Result<CrfppModel> {
        let Self {
            mut lines,
            mut open,
        } = self;
        lines.finish(|number, line| open.line(number, line))?;
        let (Some(count), Some(columns), Some(factor)) =
            (open.weight_count, open.columns, open.cost_factor)
        else {
            return unsound("the head", "is cut short".to_owned());
        };
        let found = to_u64(open.parts.weights.len());
        if found != count {
            return unsound("the weights", format!("are {found}, but maxid is {count}"));
        }
        open.parts.finish(factor, to_index(columns))
    }
}

fn refuse<T>(line: u64, column: u64, problem: &str, found: &str) -> Result<T> {
    Err(Error::Text {
        line,
        column,
        problem: problem.to_owned(),
        found: quote(found),
    })
}

impl Open {
    fn line(&mut self, number: u64, line: &[u8]) -> Result<()> {
        let line = decode_strictly(number, line)?;
        if line.is_empty() {
            if self.at == Part::Head {
                self.check_head(number)?;
            }
            self.at = self.at.next();
            return Ok(());
        }
        match self.at {
            Part::Head => self.head(number, line),
            Part::Labels => {
                self.parts.labels.push(line.to_owned());
                Ok(())
            }
            Part::Templates => self.template(number, line),
            Part::Attributes => self.attribute(number, line),
            Part::Weights => self.weight(number, line),
        }
    }

    fn head(&mut self, number: u64, line: &str) -> Result<()> {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.trim();
        let whole = value.parse().ok();
        let is_read = match name {
            "version" => set(&mut self.version, whole),
            "maxid" => set(&mut self.weight_count, whole),
            "xsize" => set(&mut self.columns, whole),
            "cost-factor" => {
                let factor: Option<f64> = value.parse().ok();
                set(
                    &mut self.cost_factor,
                    factor.filter(|factor| factor.is_finite()),
                )
            }
            _ => false,
        };
        if !is_read {
            return refuse(
                number,
                1,
                "a model begins with version, cost-factor, maxid and xsize, each with a number behind a colon",
                line,
            );
        }
        match self.version {
            None | Some(VERSION) => Ok(()),
            Some(_) => refuse(
                number,
                column_after("version: "),
                "models of version 100 can be read; train again with CRF++ 0.5x",
                value,
            ),
        }
    }

    fn check_head(&self, number: u64) -> Result<()> {
        let is_whole = self.version.is_some()
            && self.cost_factor.is_some()
            && self.weight_count.is_some()
            && self.columns.is_some_and(|columns| columns > 0);
        if is_whole {
            Ok(())
        } else {
            refuse(
                number,
                1,
                "version, cost-factor, maxid and an xsize above 0 stand before the first empty line",
                "",
            )
        }
    }

    fn template(&mut self, number: u64, line: &str) -> Result<()> {
        // Its error has the line in the template.
        Template::parse(line).map_err(|problem| match problem {
            Error::Text {
                column,
                problem,
                found,
                ..
            } => Error::Text {
                line: number,
                column,
                problem,
                found,
            },
            other => other,
        })?;
        self.parts.templates.push_str(line);
        self.parts.templates.push('\n');
        Ok(())
    }

    fn attribute(&mut self, number: u64, line: &str) -> Result<()> {
        let found = line.split_once(' ').and_then(|(id, name)| {
            let is_sound = name.starts_with(['U', 'B']);
            Some((id.parse().ok()?, is_sound.then(|| name.to_owned())?))
        });
        let Some(found) = found else {
            let problem = "a line of an attribute is its number, a space, and its name, which begins with U or B";
            return refuse(number, 1, problem, line);
        };
        reserve(&mut self.parts.attributes, 1, "the attributes of a model")?;
        self.parts.attributes.push(found);
        Ok(())
    }

    fn weight(&mut self, number: u64, line: &str) -> Result<()> {
        let Some(weight) = line
            .trim()
            .parse()
            .ok()
            .filter(|weight: &f64| weight.is_finite())
        else {
            return refuse(number, 1, "a weight is a finite number", line);
        };
        reserve(&mut self.parts.weights, 1, "the weights of a model")?;
        self.parts.weights.push(weight);
        Ok(())
    }
}

/// Whether a value was there and the slot was empty.
fn set<T>(slot: &mut Option<T>, value: Option<T>) -> bool {
    let is_new = slot.is_none() && value.is_some();
    if is_new {
        *slot = value;
    }
    is_new
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SOUND: &str = "version: 100\ncost-factor: 2\nmaxid: 8\nxsize: 2\n\nX\nY\n\nU0:%x[0,0]\nU1:%x[-1,1]\nB\n\n\
        2 B\n0 U0:a\n6 U1:_B-1 x\n\n0.5\n-1.25\n0\n1\n0\n-2e-1\n0\n0.0000\n";

    fn read(text: &[u8], block: usize) -> Result<CrfppModel> {
        let mut reader = CrfppReader::default();
        for part in text.chunks(block) {
            reader.feed(part)?;
        }
        reader.finish()
    }

    #[test]
    fn weights_names_and_templates_are_read() {
        for block in [1, 7, 1000] {
            let found = read(SOUND.as_bytes(), block).expect("sound");
            let model = &found.model;
            assert_eq!((found.columns, found.template.columns()), (2, 2));
            assert_eq!(found.template.text(), "U0:%x[0,0]\nU1:%x[-1,1]\nB\n");
            assert_eq!(model.labels().iter().collect::<Vec<_>>(), ["X", "Y"]);
            // All weights of the other attribute are 0.
            assert_eq!(model.attributes().iter().collect::<Vec<_>>(), ["U0:a"]);
            let pairs: Vec<_> = model.features().label_pairs().collect();
            assert_eq!(pairs, [(0, 1, 2), (1, 1, 3)]);
            assert_eq!(model.weights(), [1.0, -2.5, 2.0, -0.4]);
        }
    }

    #[test]
    fn attributes_of_pairs_of_labels_are_triples() {
        let text = SOUND
            .replace("maxid: 8", "maxid: 12")
            .replace("B\n\n", "B\nB1:%x[0,0]\n\n")
            .replace("6 U1:_B-1 x", "6 U1:_B-1 x\n8 B1:a")
            + "0\n0.5\n0\n-1\n";
        let found = read(text.as_bytes(), 100).expect("sound").model;
        let names: Vec<_> = found.attributes().iter().collect();
        assert_eq!(names, ["U0:a", "B1:a"]);
        let features = found.features();
        assert_eq!(features.triples().of(0), 0..0);
        assert_eq!(features.triples().of(1), 0..2);
        assert_eq!(features.triples().labels(), [(0, 1), (1, 1)]);
        assert_eq!(found.weights(), [1.0, -2.5, 2.0, -0.4, 1.0, -2.0]);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (old, new, line, message) in [
            ("version: 100", "version: 99", 1, "version 100"),
            ("xsize: 2", "size: 2", 4, "a model begins with"),
            ("xsize: 2\n", "", 4, "before the first empty line"),
            ("maxid: 8", "maxid: many", 3, "a model begins with"),
            (
                "cost-factor: 2",
                "cost-factor: inf",
                2,
                "a model begins with",
            ),
            ("B\n\n", "B1:%x[0]\n\n", 11, "a cell is %x[row,column]"),
            ("0 U0:a", "U0:a", 14, "a line of an attribute"),
            ("-1.25", "nan", 18, "a weight is a finite number"),
        ] {
            let error = read(SOUND.replace(old, new).as_bytes(), 100).expect_err("not sound");
            assert!(
                matches!(error, Error::Text { line: found, .. } if found == line),
                "{error}"
            );
            assert!(error.to_string().contains(message), "{error}");
        }
    }

    #[test]
    fn parts_must_fit_each_other() {
        for (old, new, message) in [
            ("maxid: 8", "maxid: 9", "are 8, but maxid is 9"),
            ("2 B", "3 B", "with the number 3, where 2 is needed"),
            ("\nX\nY\n", "\nX\n", "where 1 is needed"),
            ("\nX\nY\n", "\nX\nX\n", "\"X\" twice"),
            ("xsize: 2", "xsize: 1", "names column 1, but xsize is 1"),
        ] {
            let error = read(SOUND.replace(old, new).as_bytes(), 100).expect_err("not sound");
            assert!(matches!(error, Error::Model { .. }), "{error}");
            assert!(error.to_string().contains(message), "{error}");
        }
    }

    #[test]
    fn a_model_that_is_cut_short_is_an_error() {
        let last = SOUND.len() - "0.0000\n".len();
        for length in 0..=last {
            read(&SOUND.as_bytes()[..length], 100).expect_err("cut short");
        }
    }

    proptest! {
        #[test]
        fn changed_bytes_never_panic(at in 0..SOUND.len(), byte: u8) {
            let mut bytes = SOUND.as_bytes().to_vec();
            bytes[at] = byte;
            let _ = read(&bytes, 5);
        }
    }
}

//! Statistics files, written as Moses writes them.

use super::{Blocks, Kind};
use crate::numeric::to_index;
use std::fmt::Write as _;

/// Writes a file: numbers in the fewest digits that give them back.
///
/// # Panics
/// If there are not as many starts as segments and one more, or values are missing.
#[must_use]
pub fn write<T: Written>(kind: Kind, blocks: &Blocks<T>) -> String {
    let (word, mut out) = (kind.word(), String::new());
    for (&segment, row) in blocks.segments.iter().zip(blocks.starts.windows(2)) {
        // Writing to a string does not fail.
        let _ = write!(
            out,
            "{word}_TXT_BEGIN_0 {segment} {} {}",
            row[1] - row[0],
            blocks.width
        );
        for name in &blocks.names {
            let _ = write!(out, " {name}");
        }
        // As Moses: a blank after each name of a feature and each value, none after the name of the score.
        if kind == Kind::Features {
            out.push(' ');
        }
        out.push('\n');
        for row in row[0]..row[1] {
            let start = to_index(row) * blocks.width;
            for value in &blocks.values[start..start + blocks.width] {
                value.write(&mut out);
                out.push(' ');
            }
            out.push('\n');
        }
        let _ = writeln!(out, "{word}_TXT_END_0");
    }
    out
}

/// Numbers as the files have them.
pub trait Written {
    /// Appends the number.
    fn write(&self, out: &mut String);
}

impl Written for i64 {
    fn write(&self, out: &mut String) {
        let _ = write!(out, "{self}");
    }
}

impl Written for f64 {
    fn write(&self, out: &mut String) {
        let size = self.abs();
        // As C++ writes them: an exponent of a sign and two digits where the number is small or large.
        let _ = if size == 0.0 {
            write!(out, "0")
        } else if (1e-5..1e16).contains(&size) {
            write!(out, "{self}")
        } else {
            let text = format!("{self:e}");
            match text.split_once('e') {
                Some((digits, power)) => match power.strip_prefix('-') {
                    Some(power) => write!(out, "{digits}e-{power:0>2}"),
                    None => write!(out, "{digits}e+{power:0>2}"),
                },
                None => write!(out, "{text}"),
            }
        };
    }
}

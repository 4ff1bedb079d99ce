//! Where the two sides are in the lines of a stream.

use super::decode::{column_after, quote};
use crate::error::{Error, Result};

/// The token between source and target in the joint format of `fast_align` and eflomal.
const SEPARATOR: &str = "|||";

/// How source and target come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// In two streams.
    Separate,
    /// `source ||| target` on one line.
    Joint,
    /// Two of the tab-separated columns of a line, 0-based.
    Columns { source: usize, target: usize },
}

impl Layout {
    /// The two sides of a line that holds both.
    pub(super) fn split(self, line: u64, text: &str) -> Result<(&str, &str)> {
        match self {
            // The builder never asks this of separate streams; a line of one is all source.
            Self::Separate => Ok((text, "")),
            Self::Joint => split_joint(line, text),
            Self::Columns { source, target } => {
                Ok((column(line, text, source)?, column(line, text, target)?))
            }
        }
    }
}

fn split_joint(line: u64, text: &str) -> Result<(&str, &str)> {
    let mut separators = text.match_indices(SEPARATOR).filter(|&(at, _)| {
        let before = text[..at].bytes().next_back();
        let after = text[at + SEPARATOR.len()..].bytes().next();
        [before, after]
            .into_iter()
            .flatten()
            .all(|byte| byte == b' ' || byte == b'\t')
    });
    let Some((at, _)) = separators.next() else {
        return Err(no_separator(line, text));
    };
    if let Some((second, _)) = separators.next() {
        return Err(Error::Text {
            line,
            column: column_after(&text[..second]),
            problem: "a line holds the separator ||| once; escape the one that belongs to the text, give the sides as two files \
                (where ||| is a word like any other), or choose on-error skip"
                .to_owned(),
            found: "a second |||".to_owned(),
        });
    }
    Ok((&text[..at], &text[at + SEPARATOR.len()..]))
}

fn no_separator(line: u64, text: &str) -> Error {
    let Some(at) = text.find(SEPARATOR) else {
        return Error::Text {
            line,
            column: 1,
            problem:
                "a line holds source, the separator ||| and target; write it between spaces even when a side is empty, \
                give the sides as two files, or choose on-error skip"
                    .to_owned(),
            found: if text.is_empty() { "an empty line".to_owned() } else { quote(text) },
        };
    };
    let is_space = |c: char| c == ' ' || c == '\t';
    let start = text[..at].rfind(is_space).map_or(0, |space| space + 1);
    let end = text[at..]
        .find(is_space)
        .map_or(text.len(), |space| at + space);
    Error::Text {
        line,
        column: column_after(&text[..start]),
        problem:
            "the separator ||| stands between spaces or tabs; put a space on both sides, or choose on-error skip"
                .to_owned(),
        found: quote(&text[start..end]),
    }
}

fn column(line: u64, text: &str, index: usize) -> Result<&str> {
    text.split('\t').nth(index).ok_or_else(|| {
        let found = text.split('\t').count();
        let plural = if found == 1 { "" } else { "s" };
        Error::Text {
            line,
            column: column_after(text),
            problem: format!(
                "column {} is missing; separate columns by tabs, choose other columns, or choose on-error skip",
                index + 1
            ),
            found: format!("{found} column{plural}"),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(result: Result<(&str, &str)>) -> (u64, u64, String) {
        match result {
            Err(Error::Text {
                line,
                column,
                found,
                ..
            }) => (line, column, found),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_separator_is_a_token_and_sides_may_be_empty() {
        let joint = |text| Layout::Joint.split(3, text);
        assert_eq!(
            joint("the house ||| das Haus"),
            Ok(("the house ", " das Haus"))
        );
        assert_eq!(joint("|||"), Ok(("", "")));
        assert_eq!(joint("a |||"), Ok(("a ", "")));
        assert_eq!(joint("|||\tb"), Ok(("", "\tb")));
        assert_eq!(joint("a |||| ||| b|||"), Ok(("a |||| ", " b|||")));
    }

    #[test]
    fn a_missing_glued_or_second_separator_is_placed() {
        let joint = |text| place(Layout::Joint.split(3, text));
        assert_eq!(joint("é foo||| bar"), (3, 3, "\"foo|||\"".to_owned()));
        assert_eq!(joint("é ||| b ||| c"), (3, 9, "a second |||".to_owned()));
        assert_eq!(joint("a b"), (3, 1, "\"a b\"".to_owned()));
        assert_eq!(joint(""), (3, 1, "an empty line".to_owned()));
        // Without its own spaces a no-break space does not make a token of the bars.
        assert_eq!(joint("a\u{a0}||| b").1, 1);
    }

    #[test]
    fn columns_are_cut_at_tabs() {
        let layout = Layout::Columns {
            source: 2,
            target: 0,
        };
        assert_eq!(layout.split(1, "a b\tx\tc"), Ok(("c", "a b")));
        assert_eq!(layout.split(1, "\t\t"), Ok(("", "")));
        assert_eq!(
            place(layout.split(4, "aé\tb")),
            (4, 5, "2 columns".to_owned())
        );
    }
}

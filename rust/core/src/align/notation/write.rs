//! Links to lines.

use crate::align::blocks::blocks;
use crate::align::links::Links;
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::parallel;
use std::io::Write;

/// One Pharaoh line per sentence pair: `i-j`, or `i-j:p` when probabilities are wanted and present, separated by single spaces.
///
/// A probability is written with the fewest digits that read back as the same single-precision number.
///
/// # Errors
/// [`crate::error::Error::Cancelled`].
///
/// # Complexity
/// Linear time; memory for twice the text.
pub fn write_pharaoh(
    links: &Links,
    with_probabilities: bool,
    threads: usize,
    cancel: &CancelToken,
) -> Result<Vec<u8>> {
    lines(links, threads, cancel, |n, out| {
        let probabilities = links
            .sentence_probabilities(n)
            .filter(|_| with_probabilities);
        for (k, link) in links.sentence(n).iter().enumerate() {
            if k > 0 {
                out.push(b' ');
            }
            push_number(out, link.source);
            out.push(b'-');
            push_number(out, link.target);
            if let Some(p) = probabilities {
                out.push(b':');
                push_float(out, p[k]);
            }
        }
    })
}

/// One JSON object per sentence pair: `{"links": [[i, j], ..], "probabilities": [p, ..]}`, the latter when the links have them.
///
/// # Errors
/// [`crate::error::Error::Cancelled`].
///
/// # Complexity
/// Linear time; memory for twice the text.
pub fn write_jsonl(links: &Links, threads: usize, cancel: &CancelToken) -> Result<Vec<u8>> {
    lines(links, threads, cancel, |n, out| {
        out.extend_from_slice(b"{\"links\": [");
        for (k, link) in links.sentence(n).iter().enumerate() {
            out.extend_from_slice(if k == 0 { b"[" } else { b", [" });
            push_number(out, link.source);
            out.extend_from_slice(b", ");
            push_number(out, link.target);
            out.push(b']');
        }
        out.push(b']');
        if let Some(probabilities) = links.sentence_probabilities(n) {
            out.extend_from_slice(b", \"probabilities\": [");
            for (k, &p) in probabilities.iter().enumerate() {
                if k > 0 {
                    out.extend_from_slice(b", ");
                }
                push_float(out, p);
            }
            out.push(b']');
        }
        out.push(b'}');
    })
}

fn lines(
    links: &Links,
    threads: usize,
    cancel: &CancelToken,
    push_line: impl Fn(usize, &mut Vec<u8>) + Sync,
) -> Result<Vec<u8>> {
    let parts = parallel::map(threads, cancel, blocks(links.len()), |_, block| {
        let mut out = Vec::new();
        for n in block {
            push_line(n, &mut out);
            out.push(b'\n');
        }
        Ok(out)
    })?;
    Ok(parts.concat())
}

/// Writes a number in decimal; several times faster than the formatting machinery, which is most of the cost of writing links.
fn push_number(out: &mut Vec<u8>, mut number: u32) {
    let mut digits = [b'0'; 10];
    let mut start = digits.len();
    loop {
        start -= 1;
        // A remainder of 10 is one digit.
        digits[start] = b'0' + u8::try_from(number % 10).unwrap_or(0);
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[start..]);
}

fn push_float(out: &mut Vec<u8>, value: f32) {
    // Writing to memory cannot fail.
    let _ = write!(out, "{value}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::align::links::{Link, LinksBuilder};

    fn example() -> Links {
        let mut builder = LinksBuilder::new(true);
        builder.push(Link::new(0, 1), 0.5);
        builder.push(Link::new(10, 2_147_483_647), 1.0);
        builder.finish_sentence();
        builder.finish_sentence();
        builder.finish()
    }

    #[test]
    fn pharaoh_has_one_line_per_pair() {
        let cancel = CancelToken::new();
        let text = |with| write_pharaoh(&example(), with, 2, &cancel);
        assert_eq!(text(false), Ok(b"0-1 10-2147483647\n\n".to_vec()));
        assert_eq!(text(true), Ok(b"0-1:0.5 10-2147483647:1\n\n".to_vec()));
    }

    #[test]
    fn json_lines_have_links_and_probabilities() {
        let cancel = CancelToken::new();
        let text = write_jsonl(&example(), 1, &cancel).unwrap_or_default();
        let expected = "{\"links\": [[0, 1], [10, 2147483647]], \"probabilities\": [0.5, 1]}\n{\"links\": [], \"probabilities\": []}\n";
        assert_eq!(String::from_utf8_lossy(&text), expected);
        let plain = Links {
            probabilities: None,
            ..example()
        };
        let text = write_jsonl(&plain, 1, &cancel).unwrap_or_default();
        assert!(text.starts_with(b"{\"links\": [[0, 1], [10, 2147483647]]}\n"));
    }
}

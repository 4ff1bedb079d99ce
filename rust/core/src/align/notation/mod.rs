//! Text forms of links: Pharaoh lines, read and written, and JSON lines, written.
//!
//! A Pharaoh line holds the links of one sentence pair, separated by spaces or tabs:
//!
//! - `i-j` a (sure) link between source position `i` and target position `j`, 0-based;
//! - `i?j` or `ipj` a possible link of a gold standard;
//! - either may end in `:p`, the probability of the link.
//!
//! A line ends at `\n` (a `\r` before it is dropped); an empty line is a sentence pair without links.

mod parse;
mod write;

pub use parse::{ParseOptions, Parsed, parse};
pub(crate) use parse::{characters, links_of_line, show};
pub use write::{write_jsonl, write_pharaoh};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::align::links::{Link, Links, LinksBuilder};
    use crate::cancel::CancelToken;
    use proptest::prelude::*;

    fn any_links() -> impl Strategy<Value = Links> {
        let link = (0u32..=Link::MAX_POSITION, 0u32..300, 0.0f32..=1.0);
        let sentence = prop::collection::vec(link, 0..6);
        (
            prop::collection::vec(sentence, 0..20),
            any::<bool>(),
            1usize..400,
        )
            .prop_map(|(sentences, with, copies)| {
                // Probabilities of an alignment without links cannot be told from their absence.
                let with = with && sentences.iter().any(|s| !s.is_empty());
                let mut builder = LinksBuilder::new(with);
                for sentence in sentences.iter().cycle().take(sentences.len() * copies) {
                    for &(i, j, p) in sentence {
                        builder.push(Link::new(i, j), p);
                    }
                    builder.finish_sentence();
                }
                builder.finish()
            })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn what_is_written_is_read_back(links in any_links(), threads in 1usize..4) {
            let cancel = CancelToken::new();
            let text = write_pharaoh(&links, true, threads, &cancel).unwrap_or_default();
            prop_assert_eq!(text.split(|&b| b == b'\n').count(), links.len() + 1);
            let options = ParseOptions { threads, ..ParseOptions::default() };
            let parsed = parse(&text, &options, &cancel).map(|p| p.links);
            prop_assert_eq!(parsed, Ok(links));
        }

        #[test]
        fn any_bytes_give_links_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let cancel = CancelToken::new();
            if let Ok(parsed) = parse(&bytes, &ParseOptions::default(), &cancel) {
                prop_assert_eq!(parsed.links.validate(), Ok(()));
            }
        }

        #[test]
        fn near_misses_give_links_or_an_error(text in "([0-9]{1,2}[-?p:. ][0-9]{0,2}[ \n\t]{0,2}){0,20}") {
            let options = ParseOptions { allow_possible: true, ..ParseOptions::default() };
            if let Ok(parsed) = parse(text.as_bytes(), &options, &CancelToken::new()) {
                prop_assert_eq!(parsed.links.validate(), Ok(()));
                prop_assert_eq!(parsed.sure.len(), parsed.links.links.len());
            }
        }
    }
}

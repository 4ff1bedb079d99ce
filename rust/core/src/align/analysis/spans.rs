//! The spans of phrase pairs in one sentence pair.

use crate::align::links::Link;
use crate::numeric::to_index;
use std::ops::Range;

/// The partners of a word that has none, and the neutral element when ranges are joined.
const NOTHING: Range<usize> = Range {
    start: usize::MAX,
    end: 0,
};

/// Calls back with the source and target span of each phrase pair of a sentence pair, once each.
///
/// As Moses does: for each target span, the source span of its links is the smallest candidate; it must have no link to a target word outside; it then
/// grows over unlinked source words on both sides.
pub(super) fn for_each_phrase(
    links: &[Link],
    source_length: usize,
    target_length: usize,
    max_length: usize,
    mut found: impl FnMut(Range<usize>, Range<usize>),
) {
    // The outermost partners of each word, as a half-open range; an unlinked word has an empty one.
    let mut of_source = vec![NOTHING; source_length];
    let mut of_target = vec![NOTHING; target_length];
    for link in links {
        let (i, j) = (to_index(link.source.into()), to_index(link.target.into()));
        of_source[i] = of_source[i].start.min(j)..of_source[i].end.max(j + 1);
        of_target[j] = of_target[j].start.min(i)..of_target[j].end.max(i + 1);
    }
    let is_linked = |i: usize| !of_source[i].is_empty();
    for start in 0..target_length {
        let mut span = NOTHING;
        for end in start + 1..=target_length.min(start.saturating_add(max_length)) {
            let partners = &of_target[end - 1];
            span = span.start.min(partners.start)..span.end.max(partners.end);
            if span.is_empty() {
                continue;
            }
            if span.len() > max_length {
                // More target words never make the source span shorter.
                break;
            }
            let inside = |i: usize| of_source[i].start >= start && of_source[i].end <= end;
            if !span.clone().all(inside) {
                continue;
            }
            let mut low = span.start;
            loop {
                let mut high = span.end;
                while high - low <= max_length {
                    found(low..high, start..end);
                    if high == source_length || is_linked(high) {
                        break;
                    }
                    high += 1;
                }
                if low == 0 || is_linked(low - 1) || span.end - low >= max_length {
                    break;
                }
                low -= 1;
            }
        }
    }
}

//! One alignment from several alignments of the same corpus.
//!
//! Mermer, Saraçlar and Sarikaya 2013 (section IV) combine alignments by concatenation: the corpus is replicated, once per alignment, and
//! phrases are extracted from the whole; EM(Co) is EM-5 + EM-20 + EM-80, GS(Co) is GS-5 + GS-80 + GS-N, and EM(Co)+GS(Co) all six.
//! [`Links::concatenate`] does that. The two functions here keep one line per sentence pair instead: [`vote`] and [`average`] (ours).

use super::blocks::build;
use super::links::{Link, Links, LinksBuilder, check_same_length};
use super::symmetrize::check_threshold;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::to_f32;

/// Keeps the links that more than `threshold` of the alignments have (0.5: a majority); a link's probability is its share of the votes.
///
/// The comparison is strict, so half of the votes is no majority. Probabilities of the inputs play no part.
///
/// # Errors
/// [`Error::Config`] when there is no alignment or the threshold is not a number from 0 to 1; [`Error::UnequalLength`] when the alignments have
/// different numbers of sentence pairs; [`Error::Cancelled`].
///
/// # Complexity
/// `O(n log n)` time in the links of a sentence pair over all alignments; memory for the result.
pub fn vote(
    alignments: &[&Links],
    threshold: f64,
    threads: usize,
    cancel: &CancelToken,
) -> Result<Links> {
    check(alignments, threshold)?;
    merge(alignments, threshold, threads, cancel, |_| 1.0)
}

/// Keeps the links whose mean probability over the alignments is above `threshold`; the mean is the link's new probability.
///
/// A link that an alignment lacks counts as 0. The comparison is strict.
///
/// # Errors
/// As [`vote`], and [`Error::Config`] when an alignment has no probabilities.
///
/// # Complexity
/// As [`vote`].
pub fn average(
    alignments: &[&Links],
    threshold: f64,
    threads: usize,
    cancel: &CancelToken,
) -> Result<Links> {
    check(alignments, threshold)?;
    if let Some(n) = alignments
        .iter()
        .position(|a| a.probabilities.is_none() && !a.links.is_empty())
    {
        return Err(Error::Config {
            name: "method",
            expected: "vote when an alignment has no probabilities".into(),
            found: format!(
                "average, and alignment {} of {} without probabilities",
                n + 1,
                alignments.len()
            ),
        });
    }
    merge(alignments, threshold, threads, cancel, f64::from)
}

fn check(alignments: &[&Links], threshold: f64) -> Result<()> {
    check_threshold(threshold)?;
    let Some(first) = alignments.first() else {
        return Err(Error::Config {
            name: "alignments",
            expected: "at least one alignment".into(),
            found: "none".into(),
        });
    };
    alignments.iter().try_for_each(|other| {
        check_same_length(
            ("the first alignment", first.len()),
            ("another alignment", other.len()),
        )
    })
}

fn merge(
    alignments: &[&Links],
    threshold: f64,
    threads: usize,
    cancel: &CancelToken,
    weight: impl Fn(f32) -> f64 + Sync,
) -> Result<Links> {
    let count = f64::from(
        u32::try_from(alignments.len()).map_err(|_| Error::TooLarge {
            what: "the number of alignments",
            limit: u64::from(u32::MAX),
        })?,
    );
    build(
        alignments[0].len(),
        true,
        threads,
        cancel,
        |n, all: &mut Vec<(Link, f64)>, builder| {
            all.clear();
            for links in alignments {
                let probabilities = links.sentence_probabilities(n);
                all.extend(
                    links
                        .sentence(n)
                        .iter()
                        .enumerate()
                        .map(|(k, link)| (*link, weight(probabilities.map_or(1.0, |p| p[k])))),
                );
            }
            // A stable sort keeps the order of the alignments, so that sums have the same bits however the alignments are cut.
            all.sort_by_key(|entry| entry.0);
            push_means(all, count, threshold, builder);
        },
    )
}

fn push_means(sorted: &[(Link, f64)], count: f64, threshold: f64, builder: &mut LinksBuilder) {
    for same in sorted.chunk_by(|a, b| a.0 == b.0) {
        // The sum is compared, not the mean: it is exact for votes.
        let sum: f64 = same.iter().map(|entry| entry.1).sum();
        if sum > threshold * count {
            builder.push(same[0].0, to_f32(sum / count));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    type Sentence = BTreeMap<(u32, u32), u8>;

    fn links(sentences: &[Sentence]) -> Links {
        let mut builder = LinksBuilder::new(true);
        for sentence in sentences {
            for (&(i, j), &p) in sentence {
                builder.push(Link::new(i, j), f32::from(p) / 8.0);
            }
            builder.finish_sentence();
        }
        builder.finish()
    }

    proptest! {
        #[test]
        fn both_equal_their_definition(
            corpora in prop::collection::vec(
                prop::collection::vec(prop::collection::btree_map((0u32..4, 0u32..4), 0u8..=8, 0..8), 3), 1..6),
            quarter in 0u8..=4,
        ) {
            let given: Vec<Links> = corpora.iter().map(|c| links(c)).collect();
            let refs: Vec<&Links> = given.iter().collect();
            let threshold = f64::from(quarter) / 4.0;
            let voted = vote(&refs, threshold, 2, &CancelToken::new()).unwrap_or_default();
            let averaged = average(&refs, threshold, 1, &CancelToken::new()).unwrap_or_default();
            let count = u8::try_from(refs.len()).unwrap_or(0);
            for n in 0..3 {
                for i in 0..4 {
                    for j in 0..4 {
                        let votes: u8 = corpora.iter().map(|c| u8::from(c[n].contains_key(&(i, j)))).sum();
                        let eighths: u8 = corpora.iter().filter_map(|c| c[n].get(&(i, j))).sum();
                        let has = |l: &Links| l.sentence(n).contains(&Link::new(i, j));
                        prop_assert_eq!(has(&voted), votes * 4 > quarter * count);
                        prop_assert_eq!(has(&averaged), u16::from(eighths) > u16::from(quarter) * 2 * u16::from(count));
                    }
                }
            }
            prop_assert!(voted.validate().is_ok() && averaged.validate().is_ok());
        }

        #[test]
        fn the_order_of_the_alignments_does_not_matter_to_a_vote(
            corpora in prop::collection::vec(
                prop::collection::vec(prop::collection::btree_map((0u32..4, 0u32..4), 0u8..=8, 0..8), 2), 1..5),
        ) {
            let given: Vec<Links> = corpora.iter().map(|c| links(c)).collect();
            let refs: Vec<&Links> = given.iter().collect();
            let turned: Vec<&Links> = given.iter().rev().collect();
            let cancel = CancelToken::new();
            prop_assert_eq!(vote(&refs, 0.5, 1, &cancel), vote(&turned, 0.5, 1, &cancel));
        }
    }

    #[test]
    fn bad_input_is_refused() {
        let cancel = CancelToken::new();
        let one = links(&[Sentence::new()]);
        let two = links(&[Sentence::new(), Sentence::new()]);
        assert!(matches!(
            vote(&[], 0.5, 1, &cancel),
            Err(Error::Config {
                name: "alignments",
                ..
            })
        ));
        assert!(matches!(
            vote(&[&one, &two], 0.5, 1, &cancel),
            Err(Error::UnequalLength { .. })
        ));
        assert!(matches!(
            vote(&[&one], f64::NAN, 1, &cancel),
            Err(Error::Config { .. })
        ));
        let mut plain = links(&[[((0, 0), 8)].into()]);
        plain.probabilities = None;
        assert!(
            average(&[&one, &plain], 0.5, 1, &cancel)
                .is_err_and(|e| e.to_string().contains("alignment 2 of 2"))
        );
    }
}

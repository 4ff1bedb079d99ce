use super::*;
use crate::align::links::{Link, LinksBuilder};
use proptest::prelude::*;
use std::collections::BTreeSet;

type Sentence = (Vec<u32>, Vec<u32>, BTreeSet<(usize, usize)>);

fn sentence() -> impl Strategy<Value = Sentence> {
    (
        prop::collection::vec(0u32..5, 0..7),
        prop::collection::vec(0u32..5, 0..7),
    )
        .prop_flat_map(|(e, f)| {
            let links = if e.is_empty() || f.is_empty() {
                Just(BTreeSet::new()).boxed()
            } else {
                prop::collection::btree_set((0..e.len(), 0..f.len()), 0..9).boxed()
            };
            (Just(e), Just(f), links)
        })
}

struct Made {
    source: (Vec<u32>, Vec<u64>),
    target: (Vec<u32>, Vec<u64>),
    links: Links,
}

fn made(corpus: &[Sentence]) -> Made {
    let mut builder = LinksBuilder::new(false);
    let (mut source, mut target) = ((vec![], vec![0]), (vec![], vec![0]));
    for (e, f, links) in corpus {
        source.0.extend(e);
        source.1.push(to_u64(source.0.len()));
        target.0.extend(f);
        target.1.push(to_u64(target.0.len()));
        for &(i, j) in links {
            let position = |p: usize| u32::try_from(p).unwrap_or(u32::MAX);
            builder.push(Link::new(position(i), position(j)), 1.0);
        }
        builder.finish_sentence();
    }
    Made {
        source,
        target,
        links: builder.finish(),
    }
}

fn figures(made: &Made, max_length: usize, threads: usize, at_a_time: u64) -> PhraseFigures {
    let tokens = |side: &'_ (Vec<u32>, Vec<u64>)| (side.0.clone(), side.1.clone());
    let (source, target) = (tokens(&made.source), tokens(&made.target));
    let side = |ids, offsets| Tokens::new(ids, offsets);
    side(&source.0, &source.1)
        .and_then(|s| {
            count(
                s,
                side(&target.0, &target.1)?,
                &made.links,
                max_length,
                threads,
                &CancelToken::new(),
                at_a_time,
            )
        })
        .unwrap_or_default()
}

/// The definition: all pairs of spans, each link asked.
fn twin(corpus: &[Sentence], max_length: usize) -> PhraseFigures {
    let mut distinct = BTreeSet::new();
    let (mut one_source, mut one_target) = (BTreeSet::new(), BTreeSet::new());
    let mut occurrences = 0;
    let spans = |length: usize| {
        (0..length).flat_map(move |start| {
            (start + 1..=length.min(start + max_length)).map(move |end| start..end)
        })
    };
    for (e, f, links) in corpus {
        for s in spans(e.len()) {
            for t in spans(f.len()) {
                let ends = links.iter().map(|l| (s.contains(&l.0), t.contains(&l.1)));
                if ends.clone().any(|end| end == (true, true))
                    && ends.clone().all(|(source, target)| source == target)
                {
                    occurrences += 1;
                    let (source, target) = (&e[s.clone()], &f[t]);
                    distinct.insert((source, target));
                    if source.len() == 1 {
                        one_source.insert(source);
                    }
                    if target.len() == 1 {
                        one_target.insert(target);
                    }
                }
            }
        }
    }
    PhraseFigures {
        occurrences,
        distinct: to_u64(distinct.len()),
        covered_source_types: to_u64(one_source.len()),
        covered_target_types: to_u64(one_target.len()),
    }
}

proptest! {
    #[test]
    fn figures_equal_the_definition(
        corpus in prop::collection::vec(sentence(), 0..5), max_length in 1usize..8, at_a_time in 1u64..40,
    ) {
        let given = made(&corpus);
        let expected = twin(&corpus, max_length);
        prop_assert_eq!(figures(&given, max_length, 1, FINGERPRINTS), expected);
        // Many passes and threads change nothing.
        prop_assert_eq!(figures(&given, max_length, 3, at_a_time), expected);
    }
}

#[test]
fn bad_input_is_refused() {
    assert!(Tokens::new(&[1, 2], &[0, 1]).is_err());
    assert!(Tokens::new(&[1, 2], &[0, 3, 2]).is_err());
    assert!(Tokens::new(&[], &[]).is_err());
    let given = made(&[(vec![1], vec![2], [(0, 0)].into())]);
    let of = |source: &[u32], source_offsets: &[u64], max_length| {
        phrase_figures(
            Tokens::new(source, source_offsets)?,
            Tokens::new(&given.target.0, &given.target.1)?,
            &given.links,
            max_length,
            1,
            &CancelToken::new(),
        )
    };
    assert!(of(&[1], &[0, 1], 7).is_ok());
    assert!(matches!(
        of(&[1], &[0, 1], 0),
        Err(Error::Config {
            name: "max_length",
            ..
        })
    ));
    assert!(matches!(
        of(&[1, 1], &[0, 1, 2], 7),
        Err(Error::UnequalLength { .. })
    ));
    assert!(matches!(of(&[], &[0, 0], 7), Err(Error::Links { .. })));
}

#[test]
fn a_huge_max_length_is_no_danger() {
    let given = made(&[(vec![1, 2], vec![3, 4], [(0, 0)].into())]);
    // (1 | 1 2) with (3 | 3 4).
    assert_eq!(figures(&given, usize::MAX, 1, FINGERPRINTS).distinct, 4);
}

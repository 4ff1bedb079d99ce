use super::*;
use crate::phrase::orientation::Orientation;
use proptest::prelude::*;

type Block = (usize, usize, usize, usize);

/// All consistent pairs of spans, by the definition.
fn blocks(source: usize, target: usize, links: &[Link]) -> Vec<Block> {
    let at = |value: u32| to_index(value.into());
    let mut all = Vec::new();
    for j1 in 0..target {
        for j2 in j1..target {
            for i1 in 0..source {
                for i2 in i1..source {
                    let inside = |l: &Link| {
                        (
                            (i1..=i2).contains(&at(l.source)),
                            (j1..=j2).contains(&at(l.target)),
                        )
                    };
                    if links.iter().all(|l| inside(l).0 == inside(l).1)
                        && links.iter().any(|l| inside(l) == (true, true))
                    {
                        all.push((i1, i2, j1, j2));
                    }
                }
            }
        }
    }
    all
}

/// "Previous" by the definition of phrases and blocks; for "next" the caller turns the sentence pair around.
fn previous(block: Block, links: &[Link], others: &[Block]) -> Orientation {
    let (i1, i2, j1, _) = block;
    if j1 == 0 {
        return if i1 == 0 {
            Orientation::Mono
        } else {
            Orientation::DiscontinuousRight
        };
    }
    let linked = |i: Option<usize>| {
        links
            .iter()
            .any(|l| Some(to_index(l.source.into())) == i && to_index(l.target.into()) == j1 - 1)
    };
    let (left, right) = (linked(i1.checked_sub(1)), linked(Some(i2 + 1)));
    let above = || others.iter().filter(|b| b.3 == j1 - 1);
    if (left && !right) || above().any(|b| b.1 + 1 == i1) {
        Orientation::Mono
    } else if (right && !left) || above().any(|b| b.0 == i2 + 1) {
        Orientation::Swap
    } else if above().any(|b| b.1 < i1) {
        Orientation::DiscontinuousRight
    } else if above().any(|b| b.0 > i2) {
        Orientation::DiscontinuousLeft
    } else {
        Orientation::DiscontinuousRight
    }
}

fn sentence() -> impl Strategy<Value = (usize, usize, Vec<Link>)> {
    (1usize..8, 1usize..8).prop_flat_map(|(source, target)| {
        let link = (0..source, 0..target).prop_map(|(i, j)| {
            Link::new(u32::try_from(i).unwrap_or(0), u32::try_from(j).unwrap_or(0))
        });
        (
            Just(source),
            Just(target),
            prop::collection::vec(link, 0..9),
        )
    })
}

proptest! {
    #[test]
    fn phrase_pairs_and_orientations_are_those_of_the_definitions(
        (source, target, links) in sentence(), max_length in 1usize..8,
    ) {
        let options = Options { max_length, ..Options::default() };
        let mut got = Vec::new();
        for_each(source, target, &links, &options, |pair| got.push(pair)).unwrap();
        let all = blocks(source, target, &links);
        let fits = |b: &&Block| b.1 - b.0 < max_length && b.3 - b.2 < max_length;
        let within: Vec<Block> = all.iter().filter(fits).copied().collect();
        let turned = |b: Block| (source - 1 - b.1, source - 1 - b.0, target - 1 - b.3, target - 1 - b.2);
        let turn = |all: &[Block]| all.iter().copied().map(turned).collect::<Vec<_>>();
        let turned_links: Vec<Link> = links
            .iter()
            .map(|l| {
                let other = |position: u32, length: usize| u32::try_from(length).unwrap() - 1 - position;
                Link::new(other(l.source, source), other(l.target, target))
            })
            .collect();
        let mut spans = Vec::new();
        for pair in &got {
            let block = (pair.source.start, pair.source.end - 1, pair.target.start, pair.target.end - 1);
            spans.push(block);
            prop_assert_eq!(pair.previous.phrase, previous(block, &links, &within));
            prop_assert_eq!(pair.previous.hier, previous(block, &links, &all));
            prop_assert_eq!(pair.next.phrase, previous(turned(block), &turned_links, &turn(&within)));
            prop_assert_eq!(pair.next.hier, previous(turned(block), &turned_links, &turn(&all)));
        }
        spans.sort_unstable();
        let mut expected = within.clone();
        expected.sort_unstable();
        prop_assert_eq!(spans, expected);
    }
}

#[test]
fn rows_wider_than_a_machine_word_keep_their_corners() {
    let (length, cut) = (200_u32, 130_u32);
    // Two halves in exchanged order, monotone inside.
    let links: Vec<Link> = (0..length)
        .map(|j| Link::new((j + cut) % length, j))
        .collect();
    let (mut swaps, mut count) = (0, 0);
    for_each(200, 200, &links, &Options::default(), |pair| {
        let is_at_border = pair.target.start == 70;
        count += usize::from(is_at_border);
        swaps += usize::from(is_at_border && pair.previous.hier == Orientation::DiscontinuousLeft);
    })
    .unwrap();
    assert_eq!((swaps, count), (7, 7));
}

#[test]
fn links_outside_and_sentences_too_long_are_refused() {
    let outside = for_each(2, 2, &[Link::new(2, 0)], &Options::default(), |_| {});
    assert!(matches!(outside, Err(Error::Links { .. })));
    let long = for_each(MAX_SENTENCE + 1, 2, &[], &Options::default(), |_| {});
    assert!(matches!(long, Err(Error::Links { .. })));
    assert!(for_each(0, 0, &[], &Options::default(), |_| {}).is_ok());
    let none = Options {
        max_length: 0,
        ..Options::default()
    };
    assert!(matches!(
        for_each(1, 1, &[], &none, |_| {}),
        Err(Error::Config { .. })
    ));
}

//! Slow twins of the heuristics, laws, and examples worked by hand.

use super::*;
use crate::align::links::LinksBuilder;
use proptest::prelude::*;
use std::collections::BTreeSet;

type Set = BTreeSet<(u32, u32)>;

fn links(sentences: &[Set]) -> Links {
    let mut builder = LinksBuilder::new(false);
    for sentence in sentences {
        for &(i, j) in sentence {
            builder.push(Link::new(i, j), 1.0);
        }
        builder.finish_sentence();
    }
    builder.finish()
}

fn set(links: &Links, n: usize) -> Set {
    links
        .sentence(n)
        .iter()
        .map(|l| (l.source, l.target))
        .collect()
}

fn run(forward: &Set, reverse: &Set, heuristic: Heuristic, variant: Variant) -> Set {
    let (a, b) = (
        links(std::slice::from_ref(forward)),
        links(std::slice::from_ref(reverse)),
    );
    let result = symmetrize(&a, &b, heuristic, variant, 1, &CancelToken::new());
    set(&result.unwrap_or_default(), 0)
}

/// The heuristics in the words of their definition: whole passes over sets until nothing changes.
fn twin(forward: &Set, reverse: &Set, heuristic: Heuristic, variant: Variant) -> Set {
    let both: Set = forward.intersection(reverse).copied().collect();
    let union: Set = forward.union(reverse).copied().collect();
    match heuristic {
        Heuristic::Intersection => return both,
        Heuristic::Union => return union,
        _ => {}
    }
    let source_free = |set: &Set, p: (u32, u32)| set.iter().all(|q| q.0 != p.0);
    let target_free = |set: &Set, p: (u32, u32)| set.iter().all(|q| q.1 != p.1);
    let mut current = both;
    // (target, source) distances, in the order of symal.
    let mut steps = vec![(-1, 0), (0, -1), (1, 0), (0, 1)];
    if matches!(
        heuristic,
        Heuristic::GrowDiag | Heuristic::GrowDiagFinal | Heuristic::GrowDiagFinalAnd
    ) {
        steps.extend([(-1, -1), (-1, 1), (1, -1), (1, 1)]);
    }
    let near = |p: (u32, u32), step: (i32, i32)| {
        Some((
            p.0.checked_add_signed(step.1)?,
            p.1.checked_add_signed(step.0)?,
        ))
    };
    let by_target = |set: &Set| {
        let mut sorted: Vec<_> = set.iter().copied().collect();
        sorted.sort_by_key(|p| (p.1, p.0));
        sorted
    };
    loop {
        let before = current.len();
        match variant {
            Variant::Symal => {
                let mut place = None;
                // The next link after `place` among those that are in now: the walk sees what it adds ahead of itself.
                while let Some(p) = by_target(&current)
                    .into_iter()
                    .find(|p| place.is_none_or(|last| (p.1, p.0) > last))
                {
                    place = Some((p.1, p.0));
                    for q in steps.iter().filter_map(|&s| near(p, s)) {
                        if union.contains(&q)
                            && (source_free(&current, q) || target_free(&current, q))
                        {
                            current.insert(q);
                        }
                    }
                }
            }
            Variant::Atools => {
                for &p in &union {
                    let touches = steps
                        .iter()
                        .filter_map(|&s| near(p, s))
                        .any(|q| current.contains(&q));
                    if touches && (source_free(&current, p) || target_free(&current, p)) {
                        current.insert(p);
                    }
                }
            }
        }
        if current.len() == before {
            break;
        }
    }
    for direction in [forward, reverse] {
        let order = match variant {
            Variant::Symal => by_target(direction),
            Variant::Atools => direction.iter().copied().collect(),
        };
        for p in order {
            let (source, target) = (source_free(&current, p), target_free(&current, p));
            let add = match heuristic {
                Heuristic::GrowDiagFinal | Heuristic::GrowFinal => source || target,
                Heuristic::GrowDiagFinalAnd | Heuristic::GrowFinalAnd => source && target,
                _ => false,
            };
            if add {
                current.insert(p);
            }
        }
    }
    current
}

const VARIANTS: [Variant; 2] = [Variant::Symal, Variant::Atools];

fn any_set() -> impl Strategy<Value = Set> {
    prop::collection::btree_set((0u32..9, 0u32..9), 0..22)
}

/// What aligners give: each target word has at most one source word.
fn function() -> impl Strategy<Value = Set> {
    prop::collection::vec(prop::option::of(0u32..12), 0..12).prop_map(|sources| {
        (0u32..)
            .zip(sources)
            .filter_map(|(j, i)| i.map(|i| (i, j)))
            .collect()
    })
}

fn transpose(set: &Set) -> Set {
    set.iter().map(|p| (p.1, p.0)).collect()
}

fn pairs() -> impl Strategy<Value = (Set, Set)> {
    prop_oneof![
        (any_set(), any_set()),
        (function(), function().prop_map(|s| transpose(&s)))
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn equals_the_slow_twin((forward, reverse) in pairs()) {
        for heuristic in Heuristic::ALL {
            for variant in VARIANTS {
                prop_assert_eq!(
                    run(&forward, &reverse, heuristic, variant),
                    twin(&forward, &reverse, heuristic, variant),
                    "{} {:?}", heuristic.name(), variant
                );
            }
        }
    }

    #[test]
    fn lies_between_intersection_and_union((forward, reverse) in pairs()) {
        let both: Set = forward.intersection(&reverse).copied().collect();
        let union: Set = forward.union(&reverse).copied().collect();
        for variant in VARIANTS {
            let of = |heuristic| run(&forward, &reverse, heuristic, variant);
            for heuristic in Heuristic::ALL {
                let result = of(heuristic);
                prop_assert!(both.is_subset(&result) && result.is_subset(&union));
            }
            let grown = of(Heuristic::GrowDiag);
            prop_assert!(grown.is_subset(&of(Heuristic::GrowDiagFinalAnd)));
            prop_assert!(grown.is_subset(&of(Heuristic::GrowDiagFinal)));
            prop_assert!(of(Heuristic::Grow).is_subset(&of(Heuristic::GrowFinalAnd)));
            prop_assert!(of(Heuristic::GrowFinalAnd).is_subset(&of(Heuristic::Union)));
            prop_assert!(of(Heuristic::Grow).is_subset(&of(Heuristic::GrowFinal)));
        }
    }

    #[test]
    fn a_final_step_leaves_no_link_that_it_could_add((forward, reverse) in pairs()) {
        let union: Set = forward.union(&reverse).copied().collect();
        for variant in VARIANTS {
            let sources = |set: &Set| set.iter().map(|p| p.0).collect::<BTreeSet<_>>();
            let targets = |set: &Set| set.iter().map(|p| p.1).collect::<BTreeSet<_>>();
            // -final: every word that the union aligns is aligned.
            let result = run(&forward, &reverse, Heuristic::GrowDiagFinal, variant);
            prop_assert_eq!(sources(&result), sources(&union));
            prop_assert_eq!(targets(&result), targets(&union));
            // -final-and: no link of the union has two unaligned words.
            let result = run(&forward, &reverse, Heuristic::GrowDiagFinalAnd, variant);
            let (s, t) = (sources(&result), targets(&result));
            prop_assert!(union.iter().all(|p| s.contains(&p.0) || t.contains(&p.1)));
        }
    }

    #[test]
    fn the_order_of_arguments_matters_only_to_the_final_step((forward, reverse) in pairs()) {
        for heuristic in [Heuristic::Intersection, Heuristic::Union, Heuristic::Grow, Heuristic::GrowDiag] {
            for variant in VARIANTS {
                prop_assert_eq!(
                    run(&forward, &reverse, heuristic, variant),
                    run(&reverse, &forward, heuristic, variant)
                );
            }
        }
    }

    #[test]
    fn intersection_and_union_commute_with_transposition((forward, reverse) in pairs()) {
        for heuristic in [Heuristic::Intersection, Heuristic::Union] {
            prop_assert_eq!(
                transpose(&run(&forward, &reverse, heuristic, Variant::Symal)),
                run(&transpose(&forward), &transpose(&reverse), heuristic, Variant::Symal)
            );
        }
    }

    #[test]
    fn two_equal_directions_give_themselves(forward in any_set()) {
        for heuristic in Heuristic::ALL {
            for variant in VARIANTS {
                prop_assert_eq!(&run(&forward, &forward, heuristic, variant), &forward);
            }
        }
    }

    #[test]
    fn sentences_and_threads_do_not_influence_each_other(
        corpus in prop::collection::vec(pairs(), 0..6), copies in 1usize..1500,
    ) {
        let repeated = || corpus.iter().cycle().take(corpus.len() * copies);
        let forward = links(&repeated().map(|p| p.0.clone()).collect::<Vec<_>>());
        let reverse = links(&repeated().map(|p| p.1.clone()).collect::<Vec<_>>());
        let of = |threads| symmetrize(
            &forward, &reverse, Heuristic::GrowDiagFinalAnd, Variant::Symal, threads, &CancelToken::new(),
        );
        let one = of(1).unwrap_or_default();
        prop_assert_eq!(one.len(), forward.len());
        prop_assert_eq!(of(3), Ok(one.clone()));
        for n in 0..one.len() {
            let (f, r) = &corpus[n % corpus.len()];
            prop_assert_eq!(set(&one, n), run(f, r, Heuristic::GrowDiagFinalAnd, Variant::Symal));
        }
    }

    #[test]
    fn soft_is_the_mean_over_the_threshold(
        cells in prop::collection::btree_map((0u32..6, 0u32..6), (prop::option::of(0u8..=8), prop::option::of(0u8..=8)), 0..30),
        threshold in 0u8..=16,
    ) {
        type Cell = (Option<u8>, Option<u8>);
        let direction = |pick: fn(&Cell) -> Option<u8>| {
            let mut builder = LinksBuilder::new(true);
            for (&(i, j), value) in &cells {
                if let Some(p) = pick(value) {
                    builder.push(Link::new(i, j), f32::from(p) / 8.0);
                }
            }
            builder.finish_sentence();
            builder.finish()
        };
        let result = soft(&direction(|v| v.0), &direction(|v| v.1), f64::from(threshold) / 16.0, 2, &CancelToken::new())
            .unwrap_or_default();
        // Means are whole sixteenths here, so equality with the threshold is common and must not be enough.
        let expected: Vec<((u32, u32), f32)> = cells
            .iter()
            .map(|(&place, v)| (place, u16::from(v.0.unwrap_or(0)) + u16::from(v.1.unwrap_or(0))))
            .filter(|entry| entry.1 > u16::from(threshold))
            .map(|(place, sum)| (place, f32::from(sum) / 16.0))
            .collect();
        let found: Vec<((u32, u32), f32)> = result
            .links
            .iter()
            .map(|l| (l.source, l.target))
            .zip(result.probabilities.unwrap_or_default())
            .collect();
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn the_two_tools_differ_where_the_order_decides() {
    // Around the certain link (1, 1), the corner (0, 0) can be added only while source 0 or target 0 is unaligned, and (0, 1) and (1, 0) only
    // while the same words are. symal looks at straight neighbours before diagonal ones; atools scans by source, so that the corner is first.
    let forward: Set = [(1, 1), (0, 0)].into();
    let reverse: Set = [(1, 1), (0, 1), (1, 0)].into();
    let of = |variant| run(&forward, &reverse, Heuristic::GrowDiag, variant);
    assert_eq!(of(Variant::Symal), [(0, 1), (1, 0), (1, 1)].into());
    assert_eq!(of(Variant::Atools), [(0, 0), (1, 1)].into());
}

#[test]
fn a_long_chain_against_the_walk_takes_no_quadratic_time() {
    // Only the last link is certain and each step of the growth goes backwards: one pass per link for a walk over everything.
    let length = 200_000u32;
    let chain = links(&[(0..length).map(|k| (k, k)).collect()]);
    let end = links(&[[(length - 1, length - 1)].into()]);
    for variant in VARIANTS {
        let grown = symmetrize(
            &chain,
            &end,
            Heuristic::GrowDiag,
            variant,
            1,
            &CancelToken::new(),
        );
        assert_eq!(grown.as_ref(), Ok(&chain));
    }
}

#[test]
fn positions_may_be_huge() {
    let far = Link::MAX_POSITION;
    let forward: Set = [(far, far), (far - 1, far)].into();
    let reverse: Set = [(far, far)].into();
    for variant in VARIANTS {
        assert_eq!(
            run(&forward, &reverse, Heuristic::GrowDiagFinal, variant),
            forward
        );
    }
}

#[test]
fn unequal_directions_and_bad_options_are_refused() {
    let (one, two) = (links(&[Set::new()]), links(&[Set::new(), Set::new()]));
    let cancel = CancelToken::new();
    assert!(matches!(
        symmetrize(&one, &two, Heuristic::Union, Variant::Symal, 1, &cancel),
        Err(Error::UnequalLength {
            shorter: "the forward direction",
            shorter_len: 1,
            longer_len: 2,
            ..
        })
    ));
    for threshold in [-0.1, 1.1, f64::NAN] {
        assert!(matches!(
            soft(&one, &one, threshold, 1, &cancel),
            Err(Error::Config {
                name: "threshold",
                ..
            })
        ));
    }
    let plain = links(&[[(0, 0)].into()]);
    assert!(matches!(
        soft(&plain, &one, 0.5, 1, &cancel),
        Err(Error::Config { name: "method", .. })
    ));
    assert!("grow-diag-finale".parse::<Heuristic>().is_err());
    for heuristic in Heuristic::ALL {
        assert_eq!(heuristic.name().parse(), Ok(heuristic));
    }
}

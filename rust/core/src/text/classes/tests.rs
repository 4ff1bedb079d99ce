//! The search against the definition of F, on small random texts.

use super::counts::{ClassCounts, Profile};
use super::*;
use crate::ids::WordId;
use crate::progress::Silent;
use crate::text::Vocabulary;
use proptest::prelude::*;
use std::collections::HashMap;

type Text = Vec<Vec<u32>>;

fn side(text: &Text, types: u32) -> Side {
    let words = (0..types).map(|n| format!("w{n}")).collect();
    let tokens: Vec<WordId> = text
        .iter()
        .flatten()
        .map(|&n| WordId::from_u32(n))
        .collect();
    let mut offsets = vec![0];
    for sentence in text {
        offsets.push(offsets[offsets.len() - 1] + sentence.len() as u64);
    }
    Side::new(Vocabulary::from_words(words), tokens, offsets)
}

/// F as the sum over the text of ln p(w | g(w)) p(g(w) | g(v)), with relative frequencies counted from scratch.
fn log_likelihood(text: &Text, classes: &[u16]) -> f64 {
    const BOUNDARY: (u32, u32) = (u32::MAX, u32::MAX);
    let known = |w: u32| (w, u32::from(classes[WordId::from_u32(w).index()]));
    let mut events = Vec::new();
    for sentence in text.iter().filter(|sentence| !sentence.is_empty()) {
        let mut left = BOUNDARY;
        for right in sentence.iter().map(|&w| known(w)).chain([BOUNDARY]) {
            events.push((left, right));
            left = right;
        }
    }
    let mut count: HashMap<(char, u32, u32), f64> = HashMap::new();
    for &((_, g), (w, h)) in &events {
        for key in [('p', g, h), ('l', g, 0), ('w', w, 0), ('c', h, 0)] {
            *count.entry(key).or_default() += 1.0;
        }
    }
    events
        .iter()
        .map(|&((_, g), (w, h))| {
            let class = count[&('p', g, h)] / count[&('l', g, 0)];
            let word = count[&('w', w, 0)] / count[&('c', h, 0)];
            (class * word).ln()
        })
        .sum()
}

fn options(classes: u16) -> ClassOptions {
    ClassOptions {
        classes,
        iterations: 30,
        runs: 1,
        seed: 1,
    }
}

fn run(text: &Text, types: u32, options: &ClassOptions, threads: usize) -> Clustering {
    cluster(
        &side(text, types),
        options,
        threads,
        &CancelToken::new(),
        &Silent,
    )
    .expect("a small text")
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs())
}

/// Texts of words that often repeat, with empty sentences and words beside themselves, and classes for the words.
fn texts() -> impl Strategy<Value = (Text, u32, u16, Vec<u16>)> {
    (1..9_u32, 1..5_u16).prop_flat_map(|(types, classes)| {
        let sentence = prop::collection::vec(0..types, 0..7);
        let text = prop::collection::vec(sentence, 0..8);
        let start = prop::collection::vec(0..classes, types as usize);
        (text, Just(types), Just(classes), start)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_gain_is_the_difference_of_log_likelihoods((text, types, count, classes) in texts()) {
        let side = side(&text, types);
        let bigrams = Bigrams::count(side.tokens(), side.offsets(), types as usize).expect("small");
        let entropy = Entropy::new().expect("small");
        let mut padded = classes.clone();
        padded.push(count);
        let mut counts = ClassCounts::new(&bigrams, &padded, usize::from(count), &entropy).expect("small");
        prop_assert!(close(counts.log_likelihood(&bigrams), log_likelihood(&text, &classes)));
        let mut profile = Profile::new(usize::from(count));
        let mut gains = vec![0.0; usize::from(count)];
        for word in 0..types as usize {
            let old = usize::from(classes[word]);
            profile.fill(word, &bigrams, &padded);
            counts.remove(&profile, old);
            counts.gains(&profile, &mut gains);
            for (class, number) in (0..count).enumerate() {
                let mut moved = classes.clone();
                moved[word] = number;
                let expected = log_likelihood(&text, &moved) - log_likelihood(&text, &classes);
                let found = gains[class] - gains[old];
                prop_assert!((found - expected).abs() < 1e-9, "word {word} to {class}: {found} for {expected}");
                // And the table itself is that of the moved text.
                counts.insert(&profile, class);
                prop_assert!(close(counts.log_likelihood(&bigrams), log_likelihood(&text, &moved)));
                counts.remove(&profile, class);
            }
            counts.insert(&profile, old);
        }
    }

    #[test]
    fn the_objective_never_falls_and_is_that_of_the_result((text, types, count, _) in texts(), runs in 1..4_u32) {
        let found = run(&text, types, &ClassOptions { runs, ..options(count) }, 1);
        prop_assert!(found.history.windows(2).all(|pair| pair[1] >= pair[0] - 1e-9 * (1.0 + pair[0].abs())));
        let last = found.history[found.history.len() - 1];
        prop_assert!(close(last, log_likelihood(&text, &found.classes)), "{last}");
        let used: std::collections::BTreeSet<u16> = found.classes.iter().copied().collect();
        prop_assert!(used.into_iter().eq(0..found.count), "numbers have no gap");
    }

    #[test]
    fn where_the_search_ends_no_single_move_helps((text, types, count, _) in texts()) {
        let found = run(&text, types, &options(count), 1);
        // The last of fewer than 30 iterations moved nothing.
        prop_assume!(found.history.len() < 31);
        let before = log_likelihood(&text, &found.classes);
        for word in 0..types as usize {
            for class in 0..count {
                let mut moved = found.classes.clone();
                moved[word] = class;
                prop_assert!(log_likelihood(&text, &moved) <= before + 1e-9 * (1.0 + before.abs()));
            }
        }
    }

    #[test]
    fn threads_change_nothing_and_more_runs_are_no_worse((text, types, count, _) in texts(), seed: u64) {
        let several = ClassOptions { runs: 5, seed, ..options(count) };
        let found = run(&text, types, &several, 1);
        prop_assert_eq!(&found, &run(&text, types, &several, 3));
        let once = run(&text, types, &options(count), 1);
        prop_assert!(found.history.last() >= once.history.last());
    }
}

#[test]
fn words_of_one_kind_share_a_class() {
    // determiner noun verb, 3 x 3 x 3 sentences in every combination.
    let mut text = Text::new();
    for n in 0..27 {
        text.push(vec![n % 3, 3 + n / 3 % 3, 6 + n / 9]);
    }
    let found = run(&text, 9, &options(3), 1);
    let kinds: Vec<&[u16]> = found.classes.chunks(3).collect();
    for kind in &kinds {
        assert!(kind.iter().all(|&class| class == kind[0]), "{kinds:?}");
    }
    assert_eq!(found.count, 3);
    // All words of a class are as likely, and the order of classes is certain: ln(1/3) for each word.
    let expected = 81.0 * (1.0_f64 / 3.0).ln();
    assert!((found.history[found.history.len() - 1] - expected).abs() < 1e-9);
    assert_eq!(found.events, 81 + 27);
}

#[test]
fn fewer_words_than_classes_have_a_class_each() {
    let found = run(&vec![vec![0, 1, 1], vec![1]], 2, &options(40), 1);
    assert_eq!(
        (found.classes.as_slice(), found.count),
        ([1, 0].as_slice(), 2)
    );
    let empty = run(&Text::new(), 0, &options(3), 1);
    assert_eq!((empty.classes.len(), empty.count, empty.events), (0, 0, 0));
}

#[test]
fn options_are_checked_and_a_cancelled_search_stops() {
    let side = side(&vec![vec![0, 1]], 2);
    let token = CancelToken::new();
    let attempt = |options: &ClassOptions| cluster(&side, options, 1, &token, &Silent);
    for (classes, runs, name) in [
        (0, 1, "classes"),
        (4097, 1, "classes"),
        (2, 0, "runs"),
        (2, 1001, "runs"),
    ] {
        let refused = attempt(&ClassOptions {
            runs,
            ..options(classes)
        });
        assert!(
            matches!(refused, Err(Error::Config { name: n, .. }) if n == name),
            "{refused:?}"
        );
    }
    token.cancel();
    assert_eq!(attempt(&options(2)), Err(Error::Cancelled));
}

#[test]
fn progress_rises_to_its_end() {
    struct Record(std::sync::Mutex<Vec<(String, u64, u64)>>);
    impl Progress for Record {
        fn report(&self, stage: &str, done: u64, total: u64, _figures: &[(&str, f64)]) {
            if let Ok(mut reports) = self.0.lock() {
                reports.push((stage.to_owned(), done, total));
            }
        }
    }
    let text: Text = (0..9000).map(|n| vec![n, n / 2]).collect();
    let record = Record(std::sync::Mutex::default());
    let several = ClassOptions {
        iterations: 2,
        runs: 3,
        ..options(3)
    };
    cluster(
        &side(&text, 9000),
        &several,
        2,
        &CancelToken::new(),
        &record,
    )
    .expect("small");
    let reports = record.0.into_inner().expect("no panic");
    assert_eq!(reports[0].0, "counting");
    let rest = &reports[1..];
    assert!(rest.iter().all(|r| r.0 == "clustering" && r.2 == 54_000));
    assert!(
        rest.windows(2).all(|pair| pair[0].1 < pair[1].1),
        "{rest:?}"
    );
    assert_eq!((rest[0].1, rest[rest.len() - 1].1), (0, 54_000));
}

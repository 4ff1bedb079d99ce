//! Laws that hold for every model.

use super::{Estimate, Model, Sequences, State, Unseen};
use crate::cancel::CancelToken;
use crate::progress::Silent;
use proptest::prelude::*;

/// A model of some sequences of words below a bound.
fn estimate(corpus: &[Vec<u32>], vocabulary: usize, options: &Estimate, threads: usize) -> Model {
    let mut starts = vec![0];
    let mut words = Vec::new();
    for sequence in corpus {
        words.extend(sequence);
        starts.push(words.len());
    }
    let sequences = Sequences::new(&starts, &words).expect("sound offsets");
    let cancel = CancelToken::new();
    Model::estimate(&sequences, vocabulary, options, threads, &cancel, &Silent)
        .expect("a corpus with a sequence")
}

/// The sum of the probabilities of all words, the unknown one and the end.
fn total(model: &Model, state: State) -> f64 {
    let vocabulary = u32::try_from(model.vocabulary()).expect("a few words");
    let known = (0..vocabulary).filter(|&word| model.knows(word));
    let words: f64 = known.map(|word| model.step(state, word).0.exp()).sum();
    words + model.step(state, vocabulary).0.exp() + model.end(state).exp()
}

fn corpora() -> impl Strategy<Value = Vec<Vec<u32>>> {
    prop::collection::vec(prop::collection::vec(0..6_u32, 0..12), 1..30)
}

proptest! {
    #[test]
    fn every_state_has_a_distribution(
        corpus in corpora(),
        order in 1..6_usize,
        is_closed: bool,
        prune in 0..3_u32,
    ) {
        let unseen = if is_closed { Unseen::Vocabulary } else { Unseen::Unknown };
        let prune = if order > 1 { vec![0, prune] } else { vec![0] };
        let options = Estimate { order, unseen, prune, ..Estimate::default() };
        let model = estimate(&corpus, 7, &options, 1);
        for state in 0..model.states() {
            let state = State(u32::try_from(state).expect("few states"));
            let sum = total(&model, state);
            prop_assert!((sum - 1.0).abs() < 1e-12, "{sum} after {state:?}");
        }
    }

    #[test]
    fn threads_change_no_bit(corpus in corpora(), order in 1..6_usize) {
        let options = Estimate { order, ..Estimate::default() };
        let one = estimate(&corpus, 6, &options, 1);
        prop_assert_eq!(&one, &estimate(&corpus, 6, &options, 3));
    }

    #[test]
    fn a_state_says_all_that_matters_of_the_past(corpus in corpora(), order in 1..5_usize) {
        let model = estimate(&corpus, 6, &Estimate { order, ..Estimate::default() }, 1);
        for sequence in &corpus {
            let mut state = model.start();
            for (at, &word) in sequence.iter().enumerate() {
                if at + 1 >= order {
                    // The last order - 1 words alone give the same.
                    let mut short = model.no_context();
                    for &word in &sequence[at + 1 - order..at] {
                        short = model.step(short, word).1;
                    }
                    prop_assert_eq!(model.step(state, word), model.step(short, word));
                }
                state = model.step(state, word).1;
            }
        }
    }
}

#[test]
fn small_corpora_have_models() {
    for corpus in [
        vec![vec![]],
        vec![vec![], vec![]],
        vec![vec![0]],
        vec![vec![0, 1, 2, 3, 4, 5]],
        vec![vec![0]; 50],
    ] {
        for order in [1, 2, 3, 9] {
            let model = estimate(
                &corpus,
                6,
                &Estimate {
                    order,
                    ..Estimate::default()
                },
                2,
            );
            assert!((total(&model, model.start()) - 1.0).abs() < 1e-12);
            assert!((total(&model, model.no_context()) - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn what_cannot_be_estimated_is_refused() {
    let cancel = CancelToken::new();
    let estimate = |starts: &[usize], words: &[u32], options: &Estimate| {
        Sequences::new(starts, words)
            .and_then(|sequences| Model::estimate(&sequences, 2, options, 1, &cancel, &Silent))
    };
    let usual = Estimate::default();
    assert!(estimate(&[0], &[], &usual).is_err());
    assert!(estimate(&[0, 2], &[0], &usual).is_err());
    assert!(estimate(&[0, 1], &[2], &usual).is_err());
    for options in [
        Estimate {
            order: 0,
            ..usual.clone()
        },
        Estimate {
            fallback: [0.0, 1.0, 1.0],
            ..usual.clone()
        },
        Estimate {
            prune: vec![1],
            ..usual.clone()
        },
        Estimate {
            prune: vec![0, 2, 1],
            ..usual.clone()
        },
    ] {
        assert!(estimate(&[0, 1], &[0], &options).is_err(), "{options:?}");
    }
}

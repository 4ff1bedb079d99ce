//! ARPA files: there and back, dialects, and what is none.

use super::{ArpaReader, ArpaWriter, CorpusReader, Estimate, Model, Parts};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::progress::Silent;
use crate::text::Vocabulary;
use proptest::prelude::*;

fn read(text: &str, block: usize) -> Result<(Model, Vocabulary)> {
    let mut reader = ArpaReader::new();
    for part in text.as_bytes().chunks(block) {
        reader.feed(part)?;
    }
    reader.finish(&CancelToken::new())
}

fn write(model: &Model, words: &Vocabulary, is_single: bool) -> String {
    let mut writer = ArpaWriter::new(model, words, is_single).expect("plain words");
    let mut text = String::new();
    while let Some(block) = writer.next_block() {
        text.push_str(&block);
    }
    text
}

fn estimate(text: &str, options: &Estimate) -> (Model, Vocabulary) {
    let mut reader = CorpusReader::to_estimate();
    reader.feed(text.as_bytes()).expect("text");
    let (corpus, words) = reader.finish().expect("text");
    let words = words.expect("numbered");
    let sequences = corpus.sequences().expect("sound");
    let cancel = CancelToken::new();
    let model = Model::estimate(&sequences, words.len(), options, 1, &cancel, &Silent);
    (model.expect("a corpus"), words)
}

/// The logarithms of all words of a text after those before them.
fn logs(model: &Model, words: &Vocabulary, text: &str) -> Vec<f64> {
    let index = words.index().expect("few words");
    let mut reader = CorpusReader::to_score(index.into());
    reader.feed(text.as_bytes()).expect("text");
    let (corpus, _) = reader.finish().expect("text");
    let sequences = corpus.sequences().expect("sound");
    let scores = model.score(&sequences, 1, &CancelToken::new());
    scores.expect("not cancelled").logs
}

proptest! {
    #[test]
    fn a_model_comes_back_from_its_file(
        text in "([a-d]( [a-d]){0,6}\n){1,12}",
        order in 1..5_usize,
        threshold in 0..2_u32,
    ) {
        let prune = if order > 1 { vec![0, threshold] } else { vec![0] };
        let (model, words) = estimate(&text, &Estimate { order, prune, ..Estimate::default() });
        let file = write(&model, &words, false);
        let (again, names) = read(&file, 7).expect("what was written");
        prop_assert_eq!(&write(&again, &names, true), &write(&model, &words, true));
        let probe = format!("{text}a b c d e\nd c b a\n");
        for (a, b) in logs(&model, &words, &probe).iter().zip(logs(&again, &names, &probe)) {
            prop_assert!((a - b).abs() <= 1e-14 * a.abs().max(1.0), "{} {}", a, b);
        }
        prop_assert_eq!(Model::from_parts(model.to_parts()).expect("sound").to_parts(), model.to_parts());
    }
}

const SMALL: &str = "\\data\\\nngram 1=4\nngram 2=2\n\n\\1-grams:\n-99\t<s>\t-0.5\n-1\t</s>\n-0.5\ta\t-0.25\n-2\t<unk>\n\n\
    \\2-grams:\n-0.125\t<s> a\n-0.25\ta a\n\n\\end\\\n";

#[test]
fn dialects_are_read() {
    let (model, words) = read(SMALL, 5).expect("an ARPA file");
    let expected = logs(&model, &words, "a a b\n");
    let want = [-0.125, -0.25, -0.25 - 2.0, -1.0];
    for (log, want) in expected.iter().zip(want) {
        assert!((log - want * std::f64::consts::LN_10).abs() < 1e-12);
    }
    for text in [
        // Spaces for tabs, CRLF, a preamble and an epilogue.
        SMALL.replace('\t', "  ").replace('\n', "\r\n"),
        format!("made by hand\n\n{SMALL}\nthat was it\n"),
        SMALL.replace("<unk>", "<UNK>"),
        SMALL.replace("ngram 1=4", " ngram  1 = 4"),
        // A backoff of the highest order means nothing; one that is missing is 0.
        SMALL
            .replace("a a\n", "a a\t0\n")
            .replace("-2\t<unk>", "-2\t<unk>\t0.0"),
        // N-grams that no sequence has.
        SMALL
            .replace("ngram 2=2", "ngram 2=3")
            .replace("\n\\2-grams:\n", "\n\\2-grams:\n-9\t</s> <s>\n"),
        // <s> is only a context.
        SMALL.replace("-99\t<s>", "0\t<s>"),
    ] {
        let (model, words) = read(&text, 64).unwrap_or_else(|problem| panic!("{problem}: {text}"));
        assert_eq!(logs(&model, &words, "a a b\n"), expected, "{text}");
    }
}

#[test]
fn a_context_that_is_no_ngram_is_the_shorter_one() {
    let text = "\\data\\\nngram 1=4\nngram 2=0\nngram 3=1\n\n\\1-grams:\n-99\t<s>\t-1\n-1\t</s>\n-0.5\ta\t-0.25\n-0.5\tb\t-0.5\n\n\
        \\2-grams:\n\n\\3-grams:\n-0.125\ta b a\n\n\\end\\\n";
    let (model, words) = read(text, 64).expect("an ARPA file");
    let got = logs(&model, &words, "a b a b\n");
    let want = [-1.5, -0.75, -0.125, -0.75, -1.5];
    for (log, want) in got.iter().zip(want) {
        assert!(
            (log / std::f64::consts::LN_10 - want).abs() < 1e-12,
            "{got:?}"
        );
    }
    // Without <unk>, as in KenLM.
    let unknown = logs(&model, &words, "c\n")[0] / std::f64::consts::LN_10;
    assert!((unknown + 101.0).abs() < 1e-12, "{unknown}");
}

#[test]
fn what_is_no_arpa_file_is_told_with_its_line() {
    for (from, to, line, column) in [
        ("\\data\\", "data", 16, 1),
        ("ngram 1=4", "ngram 2=4", 2, 1),
        ("ngram 2=2", "ngram 2=-2", 3, 1),
        ("ngram 2=2", "ngram 2=3", 15, 1),
        ("\\1-grams:", "\\2-grams:", 5, 1),
        ("-1\t</s>", "1\t</s>", 7, 1),
        ("-1\t</s>", "nan\t</s>", 7, 1),
        ("-1\t</s>", "-1", 7, 3),
        ("-0.25\ta a", "-0.25\ta b", 13, 9),
        ("-0.25\ta a", "-0.25\ta a a", 13, 11),
        ("-0.25\ta a", "-0.25\ta a 0 0", 13, 13),
        ("-0.25\ta a", "-0.25\t<s> a", 13, 1),
        ("a\t-0.25", "a\tinf", 8, 8),
        ("-0.5\ta", "\n-0.5\ta", 9, 1),
        ("\\end\\\n", "", 15, 1),
    ] {
        let text = SMALL.replacen(from, to, 1);
        match read(&text, 3) {
            Err(Error::Text {
                line: at,
                column: place,
                problem,
                ..
            }) => assert_eq!((at, place), (line, column), "{to:?}: {problem}"),
            other => panic!("{to:?}: {other:?}"),
        }
    }
}

#[test]
fn arrays_that_no_model_has_are_refused() {
    let (model, _) = estimate("a b a\nb\n", &Estimate::default());
    let good = model.to_parts();
    assert!(Model::from_parts(good.clone()).is_ok());
    let spoilt: [fn(&mut Parts); 9] = [
        |parts| parts.unigram_logs.truncate(1),
        |parts| parts.logs.push(0.0),
        |parts| parts.start = 1 << 30,
        |parts| parts.next[0] = 1 << 30,
        |parts| parts.context_shorter[1] = 1,
        |parts| parts.words.reverse(),
        |parts| parts.logs[0] = f64::NAN,
        |parts| parts.context_backoffs[1] = f64::INFINITY,
        |parts| parts.lengths[1] = 0,
    ];
    for (number, spoil) in spoilt.iter().enumerate() {
        let mut parts = good.clone();
        spoil(&mut parts);
        assert!(Model::from_parts(parts).is_err(), "{number}");
    }
}

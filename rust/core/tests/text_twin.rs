//! The reader of corpora against a slow twin that is obviously right.

use plait_core::error::Error;
use plait_core::ids::WordId;
use plait_core::text::{Bitext, BitextBuilder, OnError, Side, TextOptions, Vocabulary};
use proptest::collection::vec;
use proptest::prelude::*;

/// What the twin says of a corpus: words as written and folded, by pair.
struct Expected {
    written: Vec<[Vec<String>; 2]>,
    folded: Vec<[Vec<String>; 2]>,
    usable: Vec<bool>,
    empty: u64,
    too_long: u64,
    skipped: u64,
    replaced: u64,
}

/// The lines of a file.
fn lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut lines: Vec<Vec<u8>> = bytes
        .split(|&byte| byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    if lines.last().is_some_and(Vec::is_empty) {
        lines.pop();
    }
    for line in &mut lines {
        if line.last() == Some(&b'\r') {
            line.pop();
        }
    }
    lines
}

fn tokens(text: &str) -> Vec<String> {
    text.replace('\t', " ")
        .split(' ')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The tokens of the two sides of a joint line, if it is one.
fn split_joint(text: &str) -> Option<[Vec<String>; 2]> {
    let all = tokens(text);
    let bars: Vec<usize> = (0..all.len()).filter(|&n| all[n] == "|||").collect();
    match bars[..] {
        [at] => Some([all[..at].to_vec(), all[at + 1..].to_vec()]),
        _ => None,
    }
}

fn fold(word: &str, lowercase: bool, stem: i32) -> String {
    let word = if lowercase {
        word.to_lowercase()
    } else {
        word.to_owned()
    };
    let characters: Vec<char> = word.chars().collect();
    let kept = (stem.unsigned_abs() as usize).min(characters.len());
    match stem {
        0 => word,
        1.. => characters[..kept].iter().collect(),
        _ => characters[characters.len() - kept..].iter().collect(),
    }
}

/// Reads pairs of lines (or joint lines, when `target` is None); the error is the number of the first bad line.
fn expect(
    source: &[u8],
    target: Option<&[u8]>,
    options: &TextOptions,
) -> Result<Expected, Option<u64>> {
    let on_error = options.on_error;
    let decode = |bytes: &[u8]| match String::from_utf8(bytes.to_vec()) {
        Ok(text) => Some((text, false)),
        Err(_) if on_error == OnError::Replace => {
            Some((String::from_utf8_lossy(bytes).into_owned(), true))
        }
        Err(_) => None,
    };
    // (words, replaced) of each pair; None for a bad one.
    let pairs: Vec<Option<([Vec<String>; 2], bool)>> = if let Some(target) = target {
        let (source, target) = (lines(source), lines(target));
        // A bad line is reported before a difference in length, and of the source before the target.
        for side in [&source, &target] {
            let bad = side.iter().position(|line| decode(line).is_none());
            if let (Some(bad), OnError::Strict) = (bad, on_error) {
                return Err(Some(bad as u64 + 1));
            }
        }
        if source.len() != target.len() {
            return Err(None);
        }
        let pair = |(s, t): (&Vec<u8>, &Vec<u8>)| {
            let ((s, s_replaced), (t, t_replaced)) = (decode(s)?, decode(t)?);
            Some(([tokens(&s), tokens(&t)], s_replaced || t_replaced))
        };
        source.iter().zip(&target).map(pair).collect()
    } else {
        let pair = |line: &Vec<u8>| {
            let (text, replaced) = decode(line)?;
            Some((split_joint(&text)?, replaced))
        };
        lines(source).iter().map(pair).collect()
    };
    if let Some(bad) = pairs.iter().position(Option::is_none)
        && on_error != OnError::Skip
    {
        return Err(Some(bad as u64 + 1));
    }
    let limit = options.max_length as usize;
    let mut expected = Expected {
        written: Vec::new(),
        folded: Vec::new(),
        usable: Vec::new(),
        empty: 0,
        too_long: 0,
        skipped: 0,
        replaced: 0,
    };
    for pair in pairs {
        let is_skipped = pair.is_none();
        let (words, is_replaced) = pair.unwrap_or_default();
        let is_empty = words.iter().any(Vec::is_empty);
        let is_long = words.iter().any(|side| side.len() > limit);
        expected.skipped += u64::from(is_skipped);
        expected.replaced += u64::from(is_replaced);
        expected.empty += u64::from(is_empty && !is_skipped);
        expected.too_long += u64::from(is_long && !is_empty);
        expected.usable.push(!is_empty && !is_long);
        let [source, target] = &words;
        let fold_all = |side: &[String], stem| -> Vec<String> {
            side.iter()
                .map(|word| fold(word, options.lowercase, stem))
                .collect()
        };
        expected.folded.push([
            fold_all(source, options.stem_source),
            fold_all(target, options.stem_target),
        ]);
        expected.written.push(words);
    }
    Ok(expected)
}

/// The word types by falling frequency in usable pairs, then by first occurrence there, then by first occurrence elsewhere.
fn vocabulary(sentences: &[&Vec<String>], usable: &[bool]) -> Vec<(String, u64)> {
    let mut types: Vec<(String, u64)> = Vec::new();
    for training in [true, false] {
        for (words, _) in sentences
            .iter()
            .zip(usable)
            .filter(|&(_, &u)| u == training)
        {
            for word in *words {
                if !types.iter().any(|(known, _)| known == word) {
                    types.push((word.clone(), 0));
                }
                if let Some(known) = types.iter_mut().find(|(known, _)| known == word) {
                    known.1 += u64::from(training);
                }
            }
        }
    }
    // A stable sort keeps first occurrences in order.
    types.sort_by_key(|(_, frequency)| std::cmp::Reverse(*frequency));
    types
}

fn listed(vocabulary: &Vocabulary) -> Vec<(String, u64)> {
    (0..)
        .zip(vocabulary.words())
        .map(|(n, word)| (word.to_owned(), vocabulary.frequency(WordId::from_u32(n))))
        .collect()
}

fn folded_words(side: &Side, n: usize) -> Vec<String> {
    let word = |&id: &WordId| side.vocabulary().word(id).unwrap_or("missing").to_owned();
    side.sentence(n).iter().map(word).collect()
}

fn written_words(side: &Side, n: usize) -> Vec<String> {
    side.words(n).map(str::to_owned).collect()
}

fn agree(bitext: &Bitext, expected: &Expected, options: &TextOptions) -> Result<(), TestCaseError> {
    let counts = bitext.counts();
    prop_assert_eq!(bitext.usable(), &expected.usable[..]);
    prop_assert_eq!(
        (
            counts.pairs,
            counts.empty,
            counts.too_long,
            counts.skipped,
            counts.replaced
        ),
        (
            expected.usable.len() as u64,
            expected.empty,
            expected.too_long,
            expected.skipped,
            expected.replaced
        )
    );
    let token_counts = [counts.source_tokens, counts.target_tokens];
    let type_counts = [counts.source_types, counts.target_types];
    for (k, side) in [bitext.source(), bitext.target()].into_iter().enumerate() {
        for n in 0..bitext.len() {
            prop_assert_eq!(&folded_words(side, n), &expected.folded[n][k]);
            let shown = if options.keep_text {
                &expected.written
            } else {
                &expected.folded
            };
            prop_assert_eq!(&written_words(side, n), &shown[n][k]);
        }
        let sentences: Vec<&Vec<String>> = expected.folded.iter().map(|pair| &pair[k]).collect();
        let types = vocabulary(&sentences, &expected.usable);
        prop_assert_eq!(listed(side.vocabulary()), types.clone());
        prop_assert_eq!(
            side.vocabulary().trained_len(),
            types.iter().filter(|(_, frequency)| *frequency > 0).count()
        );
        prop_assert_eq!(
            token_counts[k],
            sentences.iter().map(|s| s.len() as u64).sum::<u64>()
        );
        prop_assert_eq!(type_counts[k], types.len() as u64);
    }
    Ok(())
}

fn read(
    source: &[u8],
    target: Option<&[u8]>,
    options: &TextOptions,
    block: usize,
) -> plait_core::error::Result<Bitext> {
    let builder = BitextBuilder::new(options.clone())?;
    for part in source.chunks(block) {
        match target {
            Some(_) => builder.feed_source(part)?,
            None => builder.feed_joint(part)?,
        }
    }
    builder.end_source()?;
    for part in target.unwrap_or_default().chunks(block) {
        builder.feed_target(part)?;
    }
    builder.finish()
}

/// Text of few words and of everything that may confuse a reader.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        6 => Just(&b" "[..]),
        4 => Just(&b"\n"[..]),
        3 => prop::sample::select(vec![&b"a"[..], b"b", b"A", "é".as_bytes(), "İ".as_bytes(), "ΑΣ".as_bytes()]),
        3 => Just(&b" ||| "[..]),
        1 => prop::sample::select(vec![
            &b"\r\n"[..], b"\r", b"\t", b"\0", b"\x0c", b"\x1e", b"|||", b"||||", "\u{2028}".as_bytes(), "\u{85}".as_bytes(),
            "\u{a0}".as_bytes(), "\u{feff}".as_bytes(), b"\xff", b"\xe2\x82", b"\xc0\x80", "𝄞".as_bytes(),
        ]),
    ];
    vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn options() -> impl Strategy<Value = TextOptions> {
    let on_error = prop::sample::select(vec![OnError::Strict, OnError::Skip, OnError::Replace]);
    (
        any::<bool>(),
        -2..3,
        -2..3,
        1_u32..5,
        on_error,
        any::<bool>(),
    )
        .prop_map(
            |(lowercase, stem_source, stem_target, max_length, on_error, keep_text)| TextOptions {
                lowercase,
                stem_source,
                stem_target,
                max_length,
                on_error,
                keep_text,
            },
        )
}

fn compare(
    source: &[u8],
    target: Option<&[u8]>,
    options: &TextOptions,
    block: usize,
) -> Result<(), TestCaseError> {
    match (
        read(source, target, options, block),
        expect(source, target, options),
    ) {
        (Ok(bitext), Ok(expected)) => agree(&bitext, &expected, options),
        (Err(Error::Text { line, .. }), Err(Some(bad))) => {
            prop_assert_eq!(line, bad);
            Ok(())
        }
        (Err(Error::UnequalLength { .. }), Err(None)) => Ok(()),
        (got, expected) => {
            let expected = expected.map(|expected| expected.usable);
            Err(TestCaseError::fail(format!("{got:?} but {expected:?}")))
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn two_streams_read_like_the_twin(source in text(), target in text(), options in options(), block in 1_usize..9) {
        compare(&source, Some(&target), &options, block)?;
    }

    #[test]
    fn streams_of_equal_length_read_like_the_twin(
        pairs in vec((text(), text()), 0..8), options in options(), block in 1_usize..9, is_open in any::<bool>()
    ) {
        let one_line = |text: &[u8]| text.iter().copied().filter(|&byte| byte != b'\n').collect::<Vec<u8>>();
        let join = |side: Vec<Vec<u8>>| {
            let mut bytes = side.join(&b"\n"[..]);
            // An open last line must not be empty on one side alone, or the sides differ in length.
            if !is_open || bytes.last().is_none_or(|&byte| byte == b'\n') {
                bytes.push(b'\n');
            }
            bytes
        };
        let source = join(pairs.iter().map(|(s, _)| one_line(s)).collect());
        let target = join(pairs.iter().map(|(_, t)| one_line(t)).collect());
        compare(&source, Some(&target), &options, block)?;
    }

    #[test]
    fn a_joint_stream_reads_like_the_twin(text in text(), options in options(), block in 1_usize..9) {
        compare(&text, None, &options, block)?;
    }

    #[test]
    fn the_cut_into_blocks_changes_nothing(text in text(), options in options(), block in 1_usize..9) {
        prop_assert_eq!(read(&text, None, &options, block), read(&text, None, &options, usize::MAX));
        prop_assert_eq!(read(&text, Some(&text), &options, block), read(&text, Some(&text), &options, usize::MAX));
    }

    #[test]
    fn unusable_pairs_leave_the_ids_of_the_others_alone(text in text(), options in options()) {
        let options = TextOptions { on_error: OnError::Skip, ..options };
        let all = read(&text, None, &options, 4).expect("bad lines are skipped");
        let cut = lines(&text);
        let kept: Vec<&[u8]> = cut.iter().zip(all.usable()).filter(|&(_, &u)| u).map(|(line, _)| &line[..]).collect();
        let mut rest = kept.join(&b"\n"[..]);
        // The end of the line that `lines` trimmed, so that a second carriage return is not trimmed too; and a space before a byte order mark.
        rest = [b" ", &rest[..]].concat();
        rest = rest.split(|&b| b == b'\n').collect::<Vec<_>>().join(&b"\r\n"[..]);
        rest.extend_from_slice(b"\r\n");
        if kept.is_empty() {
            rest.clear();
        }
        let few = read(&rest, None, &options, 4).expect("good lines");
        prop_assert_eq!(few.len(), kept.len());
        let usable = (0..all.len()).filter(|&n| all.usable()[n]);
        for (n, m) in usable.enumerate() {
            prop_assert_eq!(few.source().sentence(n), all.source().sentence(m));
            prop_assert_eq!(few.target().sentence(n), all.target().sentence(m));
        }
        prop_assert_eq!(few.source().vocabulary().len(), all.source().vocabulary().trained_len());
    }

    #[test]
    fn a_concatenation_reads_like_one_stream(a in text(), b in text(), options in options()) {
        let options = TextOptions { on_error: OnError::Skip, ..options };
        // No open line between the parts, no byte order mark at the start of the second.
        let a = [&a[..], b"\n"].concat();
        let b = [b" ", &b[..], b"\n"].concat();
        let parts = [read(&a, None, &options, 5), read(&b, None, &options, 5)].map(|part| part.expect("bad lines are skipped"));
        let whole = read(&[a, b].concat(), None, &options, 5).expect("bad lines are skipped");
        let joined = Bitext::concatenate(&parts[0], &parts[1]).expect("few words");
        prop_assert_eq!(joined.counts(), whole.counts());
        prop_assert_eq!(joined.usable(), whole.usable());
        for (joined, whole) in [(joined.source(), whole.source()), (joined.target(), whole.target())] {
            prop_assert_eq!(joined.tokens(), whole.tokens());
            prop_assert_eq!(joined.offsets(), whole.offsets());
            prop_assert_eq!(joined.vocabulary(), whole.vocabulary());
            for n in 0..joined.len() {
                prop_assert_eq!(written_words(joined, n), written_words(whole, n));
            }
        }
    }
}

use super::*;

fn read(text: &str, options: ReadOptions) -> Result<Read> {
    let mut reader = Reader::new(options);
    // Blocks that cut lines anywhere.
    for block in text.as_bytes().chunks(7) {
        reader.feed(block)?;
    }
    reader.finish()
}

#[test]
fn rows_are_sorted_and_rare_features_dropped() {
    let options = ReadOptions {
        least_count: 2,
        keeps_pairs: true,
        ..ReadOptions::default()
    };
    let text = "a ||| b ||| swap ||| x y x\n\
                a ||| b ||| mono ||| z y y\n\
                c d ||| b ||| ? |||\n";
    let got = read(text, options).expect("well-formed");
    assert_eq!(got.classes, ["mono", "swap"]);
    assert_eq!(got.labels, [1, 0, UNKNOWN]);
    assert_eq!(got.offsets, [0, 3, 5, 5]);
    assert_eq!(got.features, [0, 1, 1, 0, 0]);
    assert!(got.vocabulary.words().eq(["y", "x"]));
    let (pairs, of_row) = got.pairs.expect("asked for");
    assert!(pairs.words().eq(["a ||| b", "c d ||| b"]));
    assert_eq!(of_row, [0, 0, 1]);
}

#[test]
fn lines_that_are_no_examples_are_refused_with_their_place() {
    for (text, place) in [
        ("a ||| b ||| mono\n", "line 1, column 17"),
        ("a ||| b ||| mono ||| x ||| y\n", "line 1, column 24"),
        (
            "a ||| b ||| mono |||\na ||| b ||| mono swap ||| x\n",
            "line 2, column 13",
        ),
        ("a ||| b ||| ||| x\n", "line 1, column 12"),
    ] {
        let problem = read(text, ReadOptions::default())
            .expect_err(text)
            .to_string();
        assert!(problem.starts_with(place), "{text}: {problem}");
    }
}

#[test]
fn a_model_knows_its_features_and_classes() {
    let vocabulary = Vocabulary::from_words(vec!["x".into(), "y".into()]);
    let classes = vec!["mono".to_owned(), "swap".to_owned()];
    let open = || Reader::for_model(ReadOptions::default(), &vocabulary, classes.clone());
    let mut reader = open().expect("few words");
    reader.feed(b"a ||| b ||| swap ||| y z x\n").expect("known");
    let got = reader.finish().expect("known");
    assert_eq!((got.features, got.dropped), (vec![0, 1], 1));
    let mut reader = open().expect("few words");
    let problem = reader
        .feed(b"a ||| b ||| other ||| y\n")
        .expect_err("unknown");
    assert!(
        problem.to_string().contains("which are mono, swap"),
        "{problem}"
    );
}

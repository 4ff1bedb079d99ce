use super::*;

fn read(text: &str, options: ParseOptions) -> Result<Parsed> {
    parse(text.as_bytes(), &options, &CancelToken::new())
}

fn gold() -> ParseOptions {
    ParseOptions {
        allow_possible: true,
        ..ParseOptions::default()
    }
}

#[test]
fn lines_become_sentences() {
    let parsed = read("2-1 0-0\t0-3\r\n\n 1-1 \n7-7", ParseOptions::default());
    let links = parsed.unwrap_or_default().links;
    assert_eq!(links.offsets, [0, 3, 3, 4, 5]);
    assert_eq!(
        links.sentence(0),
        [Link::new(0, 0), Link::new(0, 3), Link::new(2, 1)]
    );
    assert_eq!(links.probabilities, None);
}

#[test]
fn nothing_is_no_sentence_and_a_line_end_is_one() {
    assert_eq!(
        read("", ParseOptions::default())
            .unwrap_or_default()
            .links
            .offsets,
        [0]
    );
    assert_eq!(
        read("\n", ParseOptions::default())
            .unwrap_or_default()
            .links
            .offsets,
        [0, 0]
    );
}

#[test]
fn a_gold_line_tells_sure_from_possible() {
    let parsed = read("0?0 1p2 3-3 1-2", gold()).unwrap_or_default();
    assert_eq!(
        parsed.links.links,
        [Link::new(0, 0), Link::new(1, 2), Link::new(3, 3)]
    );
    assert_eq!(parsed.sure, [false, true, true]);
}

#[test]
fn probabilities_are_read_and_the_best_of_repeats_stays() {
    let parsed = read("0-0:0.25 1-1:1\n0-1:1e-3 0-1:0.5", ParseOptions::default());
    assert_eq!(
        parsed.unwrap_or_default().links.probabilities,
        Some(vec![0.25, 1.0, 0.5])
    );
}

#[test]
fn words_may_be_counted_from_one() {
    let options = ParseOptions { base: 1, ..gold() };
    assert_eq!(
        read("1-3", options).unwrap_or_default().links.links,
        [Link::new(0, 2)]
    );
    assert!(read("0-3", options).is_err_and(|e| e.to_string().contains("counted from 1")));
}

#[test]
fn a_byte_order_mark_is_skipped_at_the_start_of_a_file_only() {
    assert!(read("\u{feff}0-0\n", ParseOptions::default()).is_ok());
    let later = ParseOptions {
        first_line: 2,
        ..ParseOptions::default()
    };
    assert!(read("\u{feff}0-0\n", later).is_err());
}

#[test]
fn errors_name_line_column_token_and_remedy() {
    let cases = [
        ("0-0 3-x\n", 1, 5, "'3-x'", "expected a link 'i-j'"),
        ("0-0\n0-0  é-1\n", 2, 6, "'é-1'", "expected a link"),
        ("é 0-x", 1, 1, "'é'", "expected a link"),
        ("0-0\n\n1-", 3, 1, "'1-'", "expected a link"),
        ("-1-2", 1, 1, "'-1-2'", "expected a link"),
        ("1-2-3", 1, 1, "'1-2-3'", "expected a link"),
        ("1\u{a0}2", 1, 1, "'1\\u{a0}2'", "expected a link"),
        ("0-0\0", 1, 1, "'0-0\\0'", "expected a link"),
        ("0-4294967296", 1, 1, "'0-4294967296'", "above 2147483647"),
        (
            "99999999999999999999999999999-0",
            1,
            1,
            "'99999999999999999999999999999-0'",
            "source position is above",
        ),
        ("0?0", 1, 1, "'0?0'", "read the file as gold"),
        ("0-0:nan", 1, 1, "'0-0:nan'", "from 0 to 1"),
        ("0-0:-0.5", 1, 1, "'0-0:-0.5'", "from 0 to 1"),
        ("0-0:1.01", 1, 1, "'0-0:1.01'", "from 0 to 1"),
        ("0-0:", 1, 1, "'0-0:'", "from 0 to 1"),
        (
            "0-0:0.5\n1-1 2-2",
            2,
            1,
            "'1-1'",
            "unlike the one in line 1, column 1",
        ),
        (
            "0-0 1-1:0.5",
            1,
            5,
            "'1-1:0.5'",
            "has a probability, unlike",
        ),
    ];
    for (text, line, column, found, part) in cases {
        match read(text, ParseOptions::default()) {
            Err(Error::Text {
                line: l,
                column: c,
                found: f,
                problem,
            }) => {
                assert_eq!((l, c, f.as_str()), (line, column, found), "{text}");
                assert!(problem.contains(part), "{problem} lacks {part}");
            }
            other => panic!("{text} gave {other:?}"),
        }
    }
}

#[test]
fn lines_are_counted_across_the_pieces_of_all_threads() {
    let mut text = "10-10 11-11\n".repeat(60_000);
    text.push_str("oops\n");
    for threads in [1, 2, 3] {
        let options = ParseOptions {
            threads,
            first_line: 101,
            ..ParseOptions::default()
        };
        assert!(matches!(
            read(&text, options),
            Err(Error::Text { line: 60_101, .. })
        ));
    }
}

use super::*;

fn column(name: &str, kind: ColumnKind) -> Column {
    Column {
        name: name.to_owned(),
        kind,
    }
}

fn word(name: &str, vocabulary: usize) -> Column {
    column(
        name,
        ColumnKind::Word {
            vocabulary,
            may_be_empty: false,
        },
    )
}

fn priors() -> Layout {
    Layout {
        separator: Separator::Tab,
        header: None,
        records: vec![
            Record {
                keyword: Some("LEX".to_owned()),
                columns: vec![
                    word("source word", 0),
                    word("target word", 1),
                    column("count", ColumnKind::Number),
                ],
            },
            Record {
                keyword: Some("HMMF".to_owned()),
                columns: vec![
                    column("jump", ColumnKind::Integer { least: i64::MIN }),
                    column("count", ColumnKind::Number),
                ],
            },
        ],
        remedy: "make the file again".to_owned(),
    }
}

fn read(layout: Layout, blocks: &[&[u8]]) -> Result<Tables> {
    let mut reader = TableReader::new(layout);
    for block in blocks {
        reader.feed(block)?;
    }
    reader.finish()
}

fn failure(layout: Layout, text: &[u8]) -> (u64, u64, String, String) {
    match read(layout, &[text]) {
        Err(Error::Text {
            line,
            column,
            problem,
            found,
        }) => (line, column, problem, found),
        other => panic!("{other:?}"),
    }
}

#[test]
fn records_of_several_kinds_come_back_as_columns_however_the_bytes_come() {
    let text = "LEX\tdas\tthe\t2\nHMMF\t-3\t1.5\r\nLEX\tHaus\tthe\t1e+06\n";
    for cut in 0..text.len() {
        let (head, tail) = text.as_bytes().split_at(cut);
        let tables = read(priors(), &[head, tail]).expect("a good file");
        let words: Vec<Vec<&str>> = tables
            .vocabularies
            .iter()
            .map(|v| v.words().collect())
            .collect();
        assert_eq!(words, [vec!["das", "Haus"], vec!["the"]]);
        assert_eq!(
            tables.records,
            [
                vec![
                    Values::Words(vec![0, 1]),
                    Values::Words(vec![0, 0]),
                    Values::Numbers(vec![2.0, 1e6])
                ],
                vec![Values::Integers(vec![-3]), Values::Numbers(vec![1.5])],
            ]
        );
    }
}

#[test]
fn a_bad_line_is_named_with_its_place_what_was_found_and_a_remedy() {
    let cases: [(&[u8], u64, u64, &str, &str); 8] = [
        (
            b"BROKEN\n",
            1,
            1,
            "a line starts with one of LEX, HMMF",
            "\"BROKEN\"",
        ),
        (b"HMMF\t1\t1\n\n", 2, 1, "a line starts with", "\"\""),
        (
            b"LEX\ta\t1\n",
            1,
            1,
            "expected 4 fields separated by tabs (LEX, source word, target word, count), found 3",
            "\"LEX\\ta\\t1\"",
        ),
        (
            "LEX\té\tb\tx\n".as_bytes(),
            1,
            9,
            "the count must be a number of at least 0",
            "\"x\"",
        ),
        (
            b"LEX\ta\tb\t-1\n",
            1,
            9,
            "the count must be a number of at least 0",
            "\"-1\"",
        ),
        (
            b"LEX\ta\tb\tinf\n",
            1,
            9,
            "the count must be a number",
            "\"inf\"",
        ),
        (b"LEX\ta\t\t1\n", 1, 7, "the target word is empty", "\"\""),
        (
            b"HMMF\t1.5\t1\n",
            1,
            6,
            "the jump must be a whole number",
            "\"1.5\"",
        ),
    ];
    for (text, line, column, start, shown) in cases {
        let (found_line, found_column, problem, found) = failure(priors(), text);
        assert_eq!((found_line, found_column), (line, column), "{problem}");
        assert!(problem.starts_with(start), "{problem}");
        assert!(problem.ends_with("; make the file again"), "{problem}");
        assert_eq!(found, shown);
    }
    let (line, column, problem, found) = failure(priors(), b"LEX\ta\tb\t1\nLEX\t\xff\tb\t1\n");
    assert_eq!((line, column), (2, 5));
    assert!(problem.contains("not UTF-8"));
    assert_eq!(found, r"byte \xff");
}

#[test]
fn spaces_separate_in_any_number_and_a_header_must_be_there() {
    let layout = Layout {
        separator: Separator::Space,
        header: Some("a b p".to_owned()),
        records: vec![Record {
            keyword: None,
            columns: vec![word("word", 0), column("number", ColumnKind::Number)],
        }],
        remedy: "r".to_owned(),
    };
    let tables = read(layout.clone(), &[b"a b p\n x  0.5 \ny\t1"]).expect("a good file");
    assert_eq!(
        tables.records,
        [vec![
            Values::Words(vec![0, 1]),
            Values::Numbers(vec![0.5, 1.0])
        ]]
    );
    assert_eq!(
        failure(layout.clone(), b"x 0.5\n").2,
        "the first line must be \"a b p\"; r"
    );
    assert_eq!(failure(layout.clone(), b"").3, "an empty file");
    assert!(
        failure(layout, b"a b p\nx\n")
            .2
            .starts_with("expected 2 fields separated by spaces (word, number), found 1")
    );
}

//! What must hold for any bytes that are read as a table; run on seeds by `cargo test`, on inventions by the fuzz target.

use plait_core::cancel::CancelToken;
use plait_core::error::{Error, Result};
use plait_core::text::table::{
    Column, ColumnKind, Field, Layout, NumberFormat, Record, Separator, TableReader, Tables,
    Values, write_rows,
};

fn column(name: &str, kind: ColumnKind) -> Column {
    Column {
        name: name.to_owned(),
        kind,
    }
}

fn word(vocabulary: usize, may_be_empty: bool) -> Column {
    let kind = ColumnKind::Word {
        vocabulary,
        may_be_empty,
    };
    column("word", kind)
}

/// Two kinds of lines with tabs, and one with spaces.
fn layouts() -> [Layout; 2] {
    let pair = |is_tab| {
        vec![
            word(0, is_tab),
            word(1, false),
            column("count", ColumnKind::Number),
        ]
    };
    let jump = vec![
        column("jump", ColumnKind::Integer { least: -9 }),
        column("count", ColumnKind::Number),
    ];
    let record = |keyword: Option<&str>, columns| Record {
        keyword: keyword.map(str::to_owned),
        columns,
    };
    [
        Layout {
            separator: Separator::Tab,
            header: None,
            records: vec![record(Some("LEX"), pair(true)), record(Some("HMMF"), jump)],
            remedy: "mend it".to_owned(),
        },
        Layout {
            separator: Separator::Space,
            header: None,
            records: vec![record(None, pair(false))],
            remedy: "mend it".to_owned(),
        },
    ]
}

fn read(layout: &Layout, bytes: &[u8], block: usize) -> Result<Tables> {
    let mut reader = TableReader::new(layout.clone());
    for part in bytes.chunks(block) {
        reader.feed(part)?;
    }
    reader.finish()
}

/// The lines that the writer makes of what was read.
fn written(layout: &Layout, tables: &Tables) -> Vec<u8> {
    let separator = match layout.separator {
        Separator::Tab => "\t",
        Separator::Space => " ",
    };
    let records = layout.records.iter().zip(&tables.records);
    records
        .flat_map(|(record, columns)| {
            let mut fields = Vec::new();
            if let Some(keyword) = &record.keyword {
                fields.extend([Field::Text(keyword), Field::Text(separator)]);
            }
            for (n, (column, values)) in record.columns.iter().zip(columns).enumerate() {
                if n > 0 {
                    fields.push(Field::Text(separator));
                }
                fields.push(match (values, column.kind) {
                    (Values::Words(ids), ColumnKind::Word { vocabulary, .. }) => Field::Words {
                        words: &tables.vocabularies[vocabulary],
                        ids,
                    },
                    (Values::Integers(values), _) => Field::Integers(values),
                    (Values::Numbers(values), _) => Field::Numbers {
                        values,
                        format: NumberFormat::Shortest,
                    },
                    _ => panic!("words in a column of numbers"),
                });
            }
            write_rows(&fields, 1, &CancelToken::new()).expect("what was read can be written")
        })
        .collect()
}

/// Reading does not depend on the blocks; an error names a line that is there; what was read is written so that it reads the same.
pub fn check_table(bytes: &[u8], block: usize) {
    for layout in layouts() {
        let whole = read(&layout, bytes, bytes.len().max(1));
        assert_eq!(read(&layout, bytes, block), whole);
        match whole {
            Ok(tables) => {
                let lines = written(&layout, &tables);
                if lines.starts_with(b"\xef\xbb\xbf") {
                    // A word with a byte order mark of its own, behind that of the file.
                    continue;
                }
                let again = read(&layout, &lines, block).expect("our own lines");
                // Words are numbered by their first line, and lines of one kind stay in order.
                assert_eq!(written(&layout, &again), lines);
            }
            Err(Error::Text {
                line,
                column,
                problem,
                ..
            }) => {
                let lines = bytes.split(|&byte| byte == b'\n').count();
                assert!(usize::try_from(line).is_ok_and(|line| (1..=lines).contains(&line)));
                assert!(column >= 1);
                assert!(
                    problem.contains("mend it") || problem.contains("UTF-8"),
                    "{problem}"
                );
            }
            Err(other) => panic!("{other}"),
        }
    }
}

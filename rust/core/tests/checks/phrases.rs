//! What must hold of phrase pairs and their tables for any bytes; run on seeds by `cargo test`, on inventions by the fuzz targets.

use plait_core::cancel::CancelToken;
use plait_core::error::{Error, Result};
use plait_core::phrase::lines::{self, Block, LineOptions, Written};
use plait_core::phrase::model::Column;
use plait_core::phrase::reordering::{Prior, ReorderingBuilder, ReorderingOptions};
use plait_core::phrase::sort::InMemory;
use plait_core::phrase::table::consolidate::Consolidator;
use plait_core::phrase::table::{
    CountBins, CountsOfCounts, DomainFeature, Domains, Kind, TableBuilder, TableOptions,
};
use plait_core::phrase::{Definition, Options};
use plait_core::progress::Silent;

/// Whole lines, some at a time.
fn blocks(bytes: &[u8], lines: usize) -> Vec<Vec<u8>> {
    let all: Vec<&[u8]> = bytes.split_inclusive(|&b| b == b'\n').collect();
    all.chunks(lines).map(<[&[u8]]>::concat).collect()
}

fn lines_of(text: &[u8]) -> u64 {
    text.split_inclusive(|&b| b == b'\n').count() as u64
}

fn table_of(bytes: &[u8], options: &TableOptions, lines: usize, threads: usize) -> Result<Vec<u8>> {
    let cancel = CancelToken::new();
    let mut builder = TableBuilder::new(options.clone(), &InMemory::default(), 1, threads)?;
    for block in blocks(bytes, lines) {
        builder.feed(&block, &cancel)?;
    }
    let mut table = builder.finish(&cancel, &Silent)?;
    let mut text = Vec::new();
    while let Some(more) = table.next_block(&cancel)? {
        text.extend_from_slice(&more);
    }
    table.close()?;
    Ok(text)
}

/// Options that differ with the size of blocks, so that each is tried on each input.
fn options(number: usize) -> TableOptions {
    let mut options = TableOptions {
        no_lexical: true,
        unaligned: true,
        is_moses: number.is_multiple_of(2),
        ..TableOptions::default()
    };
    match number % 7 {
        1 => options.kind = Kind::Direct,
        2 => options.is_hierarchical = true,
        3 => {
            let mut domains = Domains::parse(b"2 in\n4 out\n").expect("a good file");
            domains.dense = Some(DomainFeature::Subset);
            domains.sparse = Some(DomainFeature::Ratio);
            options.domains = Some(domains);
        }
        4 => options.sentence_ids = true,
        _ => options.count_bins = CountBins::new(vec![1, 3], true).ok(),
    }
    options
}

/// A file of phrase pairs: an error that names a line, or a table that does not depend on blocks and threads.
pub fn check_table(bytes: &[u8], block: usize) {
    let options = options(block);
    let whole = table_of(bytes, &options, usize::MAX, 1);
    let in_parts = table_of(bytes, &options, block, 2);
    match (&whole, &in_parts) {
        (Ok(one), Ok(other)) => assert_eq!(one, other),
        (Err(one), Err(other)) => {
            assert!(matches!(one, Error::Text { .. }), "{one}");
            assert_eq!(one.to_string(), other.to_string());
        }
        _ => panic!("{whole:?} in one block, {in_parts:?} in parts"),
    }
    check_reordering(bytes);
}

fn check_reordering(bytes: &[u8]) {
    let cancel = CancelToken::new();
    let options = ReorderingOptions {
        specs: vec!["wbe-msd-bidirectional-fe".parse().expect("a good model")],
        prior: Prior::Proportional(0.5),
        is_moses: false,
    };
    let mut builder =
        ReorderingBuilder::new(options, InMemory::default(), 1, 1).expect("good options");
    if builder.feed(bytes, &cancel).is_ok() {
        let mut tables = builder.finish(&cancel).expect("memory does not fail");
        while tables
            .next_block(&cancel)
            .expect("memory does not fail")
            .is_some()
        {}
    }
}

/// Two halves, here the same bytes for both: an error that names a line, or the same table for any size of blocks.
pub fn check_halves(bytes: &[u8], block: usize) {
    let cancel = CancelToken::new();
    let options = TableOptions {
        is_moses: block.is_multiple_of(2),
        ..TableOptions::default()
    };
    let joined = Consolidator::new(options, &CountsOfCounts::default()).expect("good options");
    let run = |lines: usize| {
        let (mut text, mut first) = (Vec::new(), 1);
        for part in blocks(bytes, lines) {
            let (more, _) = joined
                .lines(&part, &part, first, 2, &cancel)
                .expect("not cancelled")
                .map_err(|(_, error)| error.to_string())?;
            text.extend_from_slice(&more);
            first += lines_of(&part);
        }
        Ok::<_, String>(text)
    };
    assert_eq!(run(usize::MAX), run(block));
}

/// Target text, source text and links, cut apart at form feeds: an error that names file and line, or lines that a table can be made of.
pub fn check_lines(bytes: &[u8], block: usize) {
    let parts: Vec<&[u8]> = bytes.split(|&b| b == b'\x0c').collect();
    let part = |n: usize| parts.get(n).copied().unwrap_or_default();
    let input = Block {
        target: part(0),
        source: part(1),
        alignment: part(2),
        weights: parts.get(3).copied(),
        first_line: 1,
    };
    let definition = if block.is_multiple_of(2) {
        Definition::Moses
    } else {
        Definition::Strict
    };
    let options = LineOptions {
        extract: Options {
            max_length: block % 5 + 1,
            definition,
        },
        models: ["wbe-msd", "hier-mslr"][..block % 3]
            .iter()
            .map(|name| name.parse::<Column>().expect("a good model"))
            .collect(),
        phrases: true,
        single_words: block % 3 == 1,
        sentence_ids: None,
    };
    let run = |threads| {
        lines::write(input, &options, threads, &CancelToken::new()).expect("good options")
    };
    let (one, two) = (run(1), run(2));
    match (one, two) {
        (Ok(one), Ok(two)) => {
            assert_eq!(one, two);
            check_written(&one, &options);
        }
        (Err(one), Err(two)) => assert_eq!(one.1.to_string(), two.1.to_string()),
        _ => panic!("threads decide whether it is an error"),
    }
}

fn check_written(written: &[Written], options: &LineOptions) {
    for part in written {
        assert_eq!(lines_of(&part.direct), part.pairs);
        assert_eq!(lines_of(&part.inverse), part.pairs);
        if !options.models.is_empty() {
            assert_eq!(lines_of(&part.orientations), part.pairs);
        }
    }
    let text: Vec<u8> = written
        .iter()
        .flat_map(|part| part.direct.clone())
        .collect();
    let table = TableOptions {
        no_lexical: true,
        ..TableOptions::default()
    };
    // A weight of the input may be too large for a table, and weights of zero cannot be divided by.
    match table_of(&text, &table, usize::MAX, 1) {
        Ok(_) => {}
        Err(problem) => assert!(problem.to_string().contains("1e18"), "{problem}"),
    }
}

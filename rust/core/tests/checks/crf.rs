//! What must hold for any bytes that are read as data or models of random fields; run on seeds by `cargo test`, on inventions by the fuzz targets.

use plait_core::cancel::CancelToken;
use plait_core::crf::builder::Built;
use plait_core::crf::columns::Columns;
use plait_core::crf::crfpp::{self, CrfppModel, CrfppReader};
use plait_core::crf::{
    AttributeReader, ColumnReader, DatasetBuilder, Decoder, Input, Model, Template, crfsuite,
};
use plait_core::error::{Error, Result};

/// Lines are counted at line ends; an error may name the line that is not there yet.
fn check_place(error: &Error, bytes: &[u8]) {
    match error {
        Error::Text { line, column, .. } => {
            let lines = bytes.split(|&byte| byte == b'\n').count();
            let line = usize::try_from(*line).expect("a line of these bytes");
            assert!((1..=lines).contains(&line), "{error}");
            assert!(*column >= 1);
        }
        Error::Model { .. } | Error::Config { .. } => {}
        other => panic!("{other}"),
    }
}

/// Names, positions and labels belong together.
fn check_built(built: &Built) {
    let sequences = &built.sequences;
    assert_eq!(sequences.starts().len(), sequences.len() + 1);
    assert_eq!(sequences.starts().last(), Some(&sequences.positions()));
    assert_eq!(sequences.labels().len(), sequences.positions());
    assert!(sequences.attribute_bound() <= built.attributes.len());
    assert!(sequences.iter().all(|sequence| !sequence.is_empty()));
    for (id, name) in built.attributes.iter().enumerate() {
        assert_eq!(
            built.attributes.get(name).map(usize::try_from),
            Some(Ok(id))
        );
    }
}

fn same(whole: &Result<Built>, parts: &Result<Built>) {
    match (whole, parts) {
        (Ok(whole), Ok(parts)) => {
            assert_eq!(whole.sequences, parts.sequences);
            assert!(whole.attributes.starts_with(&parts.attributes));
            assert!(whole.labels.starts_with(&parts.labels));
        }
        (Err(whole), Err(parts)) => assert_eq!(whole, parts),
        _ => panic!("it depends on the blocks"),
    }
}

/// `CRFsuite`'s attributes: reading does not depend on blocks; positions have labels and values are finite.
pub fn check_attributes(bytes: &[u8], block: usize) {
    let read = |block: usize| -> Result<Built> {
        let mut reader = AttributeReader::default();
        for part in bytes.chunks(block.max(1)) {
            reader.feed(part)?;
        }
        reader.finish()
    };
    let whole = read(bytes.len());
    same(&whole, &read(block));
    match &whole {
        Ok(built) => {
            check_built(built);
            assert!(built.sequences.is_labelled());
            let values = built.sequences.values().unwrap_or_default();
            assert!(values.iter().all(|value| value.is_finite()));
        }
        Err(error) => check_place(error, bytes),
    }
}

/// Columns, with templates and without, with labels and without.
pub fn check_columns(bytes: &[u8], block: usize) {
    let template = || Template::parse("U0:%x[-2,0]/%x[1,0]\nU1\nB\n").expect("sound");
    for (template, columns) in [
        (None, Columns::Labelled),
        (Some(template()), Columns::Labelled),
        (Some(template()), Columns::Known(1)),
    ] {
        let read = |block: usize| -> Result<Built> {
            let mut reader =
                ColumnReader::new(DatasetBuilder::default(), template.clone(), columns);
            for part in bytes.chunks(block.max(1)) {
                reader.feed(part)?;
            }
            reader.finish().map(|(built, ..)| built)
        };
        let whole = read(bytes.len());
        same(&whole, &read(block));
        match &whole {
            Ok(built) => {
                check_built(built);
                assert!(columns != Columns::Labelled || built.sequences.is_labelled());
                if let (Some(_), positions) = (&template, built.sequences.positions()) {
                    assert_eq!(built.sequences.occurrences(), 2 * positions);
                }
            }
            Err(error) => check_place(error, bytes),
        }
    }
}

/// Templates, and columns that they are used on: what is accepted makes an attribute a line at each position, and where a line of pairs of labels names cells, at each
/// position that has one before it.
pub fn check_template(bytes: &[u8], _: usize) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    match Template::parse(text) {
        Ok(template) => {
            assert_eq!(template.text(), text);
            let again = Template::parse(template.text());
            assert_eq!(again.as_ref(), Ok(&template));
            if template.columns() > 3 {
                return;
            }
            let lines = || text.lines().map(str::trim);
            let patterns = lines().filter(|line| line.starts_with('U')).count();
            let pairs = lines()
                .filter(|line| line.starts_with('B') && line.contains('%'))
                .count();
            let columns = Columns::Known(3);
            let mut reader = ColumnReader::new(DatasetBuilder::default(), Some(template), columns);
            reader
                .feed(b"a b c\nd e f\n\ng h i\n")
                .expect("three columns");
            let (built, ..) = reader.finish().expect("three columns");
            assert_eq!(built.sequences.occurrences(), 3 * patterns + pairs);
        }
        Err(error) => check_place(&error, bytes),
    }
}

/// A model that was accepted labels, with a probability of at most 1.
fn check_model(model: &Model) {
    let mut builder = DatasetBuilder::with_names(model.attributes().clone(), model.labels(), true);
    for attribute in model.attributes().iter().take(3) {
        builder.feature(attribute, 1.0).expect("known");
        builder.end_position(None).expect("no label");
    }
    let built = builder.finish();
    // Weights near the largest number add up to infinity; training makes none such.
    if model.labels().len() > 100 || model.weights().iter().any(|weight| weight.abs() > 1e100) {
        return;
    }
    let input = Input::new(&built.sequences, None, model).expect("its own names");
    let (decoder, cancel) = (Decoder::new(model), CancelToken::new());
    let (labels, scores) = decoder.best(&input, 1, &cancel).expect("not cancelled");
    let sums = decoder.log_z(&input, 1, &cancel).expect("not cancelled");
    assert!(
        labels
            .iter()
            .all(|&label| usize::try_from(label).is_ok_and(|label| label < model.labels().len()))
    );
    for (score, sum) in scores.iter().zip(&sums) {
        assert!(*score <= sum + 1e-9 * sum.abs().max(1.0), "{score} {sum}");
    }
}

/// Models of `CRFsuite`: what is accepted is written so that it reads the same.
pub fn check_crfsuite(bytes: &[u8], _: usize) {
    match crfsuite::read(bytes) {
        Ok(model) => {
            check_model(&model);
            let written = crfsuite::write(&model).expect("names without zero bytes");
            let again = crfsuite::read(&written).expect("our own");
            assert_eq!(crfsuite::write(&again), Ok(written));
        }
        Err(error) => check_place(&error, bytes),
    }
}

/// Models of CRF++, as text and binary.
pub fn check_crfpp(bytes: &[u8], block: usize) {
    let read = |block: usize| -> Result<CrfppModel> {
        let mut reader = CrfppReader::default();
        for part in bytes.chunks(block.max(1)) {
            reader.feed(part)?;
        }
        reader.finish()
    };
    let whole = read(bytes.len());
    let binary = crfpp::read(bytes);
    match (&whole, read(block)) {
        (Ok(whole), Ok(parts)) => assert_eq!(whole.model.weights(), parts.model.weights()),
        (Err(whole), Err(parts)) => assert_eq!(*whole, parts),
        _ => panic!("it depends on the blocks"),
    }
    for found in [whole, binary] {
        match found {
            Ok(found) => {
                assert!(found.template.columns() <= found.columns);
                check_model(&found.model);
            }
            Err(error) => check_place(&error, bytes),
        }
    }
}

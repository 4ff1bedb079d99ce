//! What must hold for any bytes that are read as forests; run on seeds by `cargo test`, on inventions by the fuzz target.

use plait_core::error::{Error, Result};
use plait_core::hypergraph::Forests;
use plait_core::hypergraph::formats::{ForestReader, Format, Options, Part, Sign, Written, write};

/// What stands between two files in one input: rules or symbols first.
const BETWEEN: &[u8] = b"\n%%\n";

fn options(format: Format) -> Options {
    Options {
        sign: (format == Format::Joshua).then_some(Sign::Costs),
        ..Options::default()
    }
}

fn part(format: Format) -> Part {
    match format {
        Format::Joshua => Part::Rules,
        _ => Part::OutputSymbols,
    }
}

/// Reads an input in blocks.
pub fn read(format: Format, bytes: &[u8], block: usize) -> Result<Forests> {
    let mut reader = ForestReader::new(format, options(format));
    let has_parts = matches!(format, Format::Joshua | Format::OpenFst);
    let between = bytes
        .windows(BETWEEN.len())
        .position(|part| part == BETWEEN);
    let mut main = bytes;
    if let Some(at) = between.filter(|_| has_parts) {
        reader.begin(part(format))?;
        for part in bytes[..at].chunks(block) {
            reader.feed(part)?;
        }
        reader.begin(Part::Main)?;
        main = &bytes[at + BETWEEN.len()..];
    }
    for part in main.chunks(block) {
        reader.feed(part)?;
    }
    reader.finish()
}

/// The input that these files are.
fn join(format: Format, written: &Written) -> Vec<u8> {
    match format {
        Format::Joshua => [&written.rules, BETWEEN, &written.main].concat(),
        _ => written.main.clone(),
    }
}

/// Reading does not depend on the blocks and gives sound forests or a place in the file; what is written is read as what writes the same.
pub fn check_forest(format: Format, bytes: &[u8], block: usize) {
    let whole = read(format, bytes, bytes.len().max(1));
    assert_eq!(read(format, bytes, block), whole);
    match whole {
        Ok(forests) => {
            forests.check().expect("what is read is sound");
            for other in Format::ALL {
                check_writing(&forests, other, block);
            }
        }
        Err(Error::Text { line, column, .. }) => {
            let lines = bytes.split(|&byte| byte == b'\n').count() + 1;
            assert!(usize::try_from(line).is_ok_and(|line| (1..=lines).contains(&line)));
            assert!(column >= 1);
        }
        Err(other) => panic!("{other}"),
    }
}

/// Any forest is refused, or written in a format so that it reads and writes the same.
fn check_writing(forests: &Forests, format: Format, block: usize) {
    match write(forests, format, &options(format)) {
        Ok(written) => {
            let text = join(format, &written);
            if text.starts_with(b"\xef\xbb\xbf") {
                // A word with a byte order mark of its own, behind that of the file.
                return;
            }
            let again = read(format, &text, block).unwrap_or_else(|error| {
                panic!(
                    "{}: {error}\n{}",
                    format.name(),
                    String::from_utf8_lossy(&text)
                )
            });
            let twice = write(&again, format, &options(format)).expect("what was written once");
            assert_eq!(
                String::from_utf8_lossy(&join(format, &twice)),
                String::from_utf8_lossy(&text),
                "{}",
                format.name()
            );
        }
        Err(Error::Hypergraph { .. } | Error::Cycle { .. } | Error::Config { .. }) => {}
        Err(other) => panic!("{other}"),
    }
}

//! What must hold for any bytes; run on seeds by `cargo test`, on inventions by the fuzz targets.

use plait_core::error::{Error, Result};
use plait_core::text::{Bitext, BitextBuilder, OnError, TextOptions};

/// The rule of lines: one for each `\n`, and one more when the last line is open.
fn line_count(bytes: &[u8]) -> usize {
    let rest = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let ends = rest.split(|&byte| byte == b'\n').count() - 1;
    ends + usize::from(rest.last().is_some_and(|&byte| byte != b'\n'))
}

fn options(on_error: OnError) -> TextOptions {
    TextOptions {
        lowercase: true,
        stem_source: 3,
        stem_target: -3,
        max_length: 50,
        on_error,
        keep_text: true,
    }
}

fn read_joint(bytes: &[u8], on_error: OnError, block: usize) -> Result<Bitext> {
    let builder = BitextBuilder::new(options(on_error))?;
    for part in bytes.chunks(block) {
        builder.feed_joint(part)?;
    }
    builder.finish()
}

/// The bytes as source in one block and as target in blocks of `block`.
fn read_plain(bytes: &[u8], on_error: OnError, block: usize) -> Result<Bitext> {
    let options = TextOptions {
        stem_target: 3,
        ..options(on_error)
    };
    let builder = BitextBuilder::new(options)?;
    builder.feed_source(bytes)?;
    builder.end_source()?;
    for part in bytes.chunks(block) {
        builder.feed_target(part)?;
    }
    builder.finish()
}

fn check_shape(bitext: &Bitext, bytes: &[u8]) {
    let counts = bitext.counts();
    assert_eq!(bitext.len(), line_count(bytes), "one pair for each line");
    assert_eq!(bitext.usable().len(), bitext.len());
    let usable = bitext.usable().iter().filter(|&&usable| usable).count() as u64;
    assert_eq!(
        counts.pairs,
        usable + counts.empty + counts.too_long + counts.skipped
    );
    for side in [bitext.source(), bitext.target()] {
        assert_eq!(side.offsets().last(), Some(&(side.tokens().len() as u64)));
        assert!(
            side.tokens()
                .iter()
                .all(|id| id.index() < side.vocabulary().len())
        );
        for n in 0..side.len() {
            assert_eq!(side.words(n).len(), side.sentence(n).len());
            assert!(
                side.words(n)
                    .all(|word| !word.is_empty() && !word.contains([' ', '\t', '\n']))
            );
        }
    }
}

/// Checks the reader of one side; `block` is at least 1.
pub fn check_plain(bytes: &[u8], block: usize) {
    for on_error in [OnError::Skip, OnError::Replace] {
        let bitext = read_plain(bytes, on_error, block).expect("nothing is an error here");
        check_shape(&bitext, bytes);
        assert_eq!(bitext.source(), bitext.target(), "blocks of {block}");
    }
    match read_plain(bytes, OnError::Strict, block) {
        Ok(bitext) => {
            assert!(std::str::from_utf8(bytes).is_ok());
            check_shape(&bitext, bytes);
        }
        Err(Error::Text { line, .. }) => {
            let mut lines = bytes.split(|&byte| byte == b'\n');
            let bad = lines.position(|line| std::str::from_utf8(line).is_err());
            assert_eq!(Some(line), bad.map(|bad| bad as u64 + 1));
        }
        Err(other) => panic!("{other}"),
    }
}

/// Checks the reader of joint lines; `block` is at least 1.
pub fn check_joint(bytes: &[u8], block: usize) {
    let skipping = read_joint(bytes, OnError::Skip, block).expect("bad lines are skipped");
    check_shape(&skipping, bytes);
    for on_error in [OnError::Strict, OnError::Skip, OnError::Replace] {
        let whole = read_joint(bytes, on_error, bytes.len().max(1));
        assert_eq!(
            read_joint(bytes, on_error, block),
            whole,
            "blocks of {block}"
        );
        if on_error == OnError::Strict {
            assert_eq!(whole.is_ok(), skipping.counts().skipped == 0);
        }
    }
}

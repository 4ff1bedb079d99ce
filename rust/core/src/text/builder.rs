//! A corpus from streams of bytes.

use super::decode::{Decoded, decode};
use super::fold::Fold;
use super::layout::Layout;
use super::lines::{LineCutter, reserve};
use super::side_builder::SideBuilder;
use super::{Bitext, Counts, OnError, TextOptions};
use crate::error::{Error, Result};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Reads a corpus from byte blocks of any size; the result does not depend on where the blocks are cut.
///
/// A corpus comes in one of three layouts: two streams ([`feed_source`](Self::feed_source), [`feed_target`](Self::feed_target)), one stream of
/// `source ||| target` lines ([`feed_joint`](Self::feed_joint)), or one of tab-separated columns ([`feed_columns`](Self::feed_columns)).
/// The two streams share nothing until [`finish`](Self::finish), so they may be fed from two threads. After an error the builder is of no
/// further use.
///
/// # Complexity
/// Time linear in the bytes. Memory: 4 bytes a token, 8 a sentence and side, and the vocabularies.
///
/// # Examples
/// ```
/// use plait_core::text::{BitextBuilder, TextOptions};
///
/// let builder = BitextBuilder::new(TextOptions::default())?;
/// builder.feed_joint(b"the house ||| das Ha")?;
/// builder.feed_joint(b"us\nthe book ||| das Buch\n")?;
/// let bitext = builder.finish()?;
/// assert_eq!(bitext.len(), 2);
/// assert_eq!(bitext.counts().source_types, 3);
/// # Ok::<(), plait_core::error::Error>(())
/// ```
#[derive(Debug)]
pub struct BitextBuilder {
    options: TextOptions,
    layout: Mutex<Option<Layout>>,
    both: Mutex<LineCutter>,
    source: Mutex<Stream>,
    target: Mutex<Stream>,
}

#[derive(Debug, Default)]
struct Stream {
    lines: LineCutter,
    side: SideBuilder,
}

impl BitextBuilder {
    /// A builder without any sentence.
    ///
    /// # Errors
    /// [`Error::Config`] when an option is outside its range.
    pub fn new(options: TextOptions) -> Result<Self> {
        options.check()?;
        Ok(Self {
            options,
            layout: Mutex::default(),
            both: Mutex::default(),
            source: Mutex::default(),
            target: Mutex::default(),
        })
    }

    /// Reads the next block of the source stream.
    ///
    /// # Errors
    /// [`Error::Text`] for a line that is not UTF-8 or has over 1 GiB; [`Error::Config`] when the layouts are mixed; [`Error::Memory`],
    /// [`Error::TooLarge`].
    pub fn feed_source(&self, block: &[u8]) -> Result<()> {
        self.enter(Layout::Separate)?;
        self.feed_side(&self.source, block)
    }

    /// Reads the next block of the target stream.
    ///
    /// # Errors
    /// As [`feed_source`](Self::feed_source).
    pub fn feed_target(&self, block: &[u8]) -> Result<()> {
        self.enter(Layout::Separate)?;
        self.feed_side(&self.target, block)
    }

    /// Reads the next block of a stream of `source ||| target` lines. The separator is a token: it stands between spaces, tabs or ends of
    /// the line, once in a line. Each side may be empty.
    ///
    /// # Errors
    /// As [`feed_source`](Self::feed_source), and [`Error::Text`] for a line without exactly one separator, unless such lines are skipped.
    pub fn feed_joint(&self, block: &[u8]) -> Result<()> {
        self.feed_both(Layout::Joint, block)
    }

    /// Reads the next block of a stream of tab-separated columns, of which two (1-based) hold the sides.
    ///
    /// # Errors
    /// As [`feed_source`](Self::feed_source), and [`Error::Text`] for a line without these columns, unless such lines are skipped;
    /// [`Error::Config`] for column 0.
    pub fn feed_columns(
        &self,
        block: &[u8],
        source_column: usize,
        target_column: usize,
    ) -> Result<()> {
        let source = index_of("source_column", source_column)?;
        let target = index_of("target_column", target_column)?;
        self.feed_both(Layout::Columns { source, target }, block)
    }

    /// Reads a last source line that lacks its `\n`: the source stream has ended. [`finish`](Self::finish) does it too; who
    /// calls this first knows which stream an error belongs to.
    ///
    /// # Errors
    /// As [`feed_source`](Self::feed_source).
    pub fn end_source(&self) -> Result<()> {
        self.end_side(&self.source)
    }

    /// The same for the target stream.
    ///
    /// # Errors
    /// As [`feed_source`](Self::feed_source).
    pub fn end_target(&self) -> Result<()> {
        self.end_side(&self.target)
    }

    /// The same for a stream of both sides.
    ///
    /// # Errors
    /// As [`feed_joint`](Self::feed_joint).
    pub fn end_joint(&self) -> Result<()> {
        let Some(layout) = *lock(&self.layout) else {
            return Ok(());
        };
        let mut lines = lock(&self.both);
        let (mut source, mut target) = (lock(&self.source), lock(&self.target));
        let (source, target) = (&mut source.side, &mut target.side);
        lines.finish(|line, bytes| {
            read_pair(layout, line, bytes, self.options.on_error, source, target)
        })
    }

    /// Adds a pair that is left out: something before the text (a record of JSON) could not be read.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn skip_pair(&self) -> Result<()> {
        for stream in [&self.source, &self.target] {
            lock(stream).side.push_skipped()?;
        }
        Ok(())
    }

    /// The corpus.
    ///
    /// # Errors
    /// [`Error::UnequalLength`] when one stream has more lines than the other; what the feeds report, for a last line without `\n`.
    pub fn finish(self) -> Result<Bitext> {
        self.end_source()?;
        self.end_target()?;
        self.end_joint()?;
        let [source, target] = [self.source, self.target].map(|stream| {
            let stream = stream.into_inner();
            stream.unwrap_or_else(PoisonError::into_inner).side
        });
        check_lengths(source.len(), target.len())?;
        assemble(&self.options, source, target)
    }

    fn feed_side(&self, stream: &Mutex<Stream>, block: &[u8]) -> Result<()> {
        let Stream { lines, side } = &mut *lock(stream);
        lines.feed(block, |line, bytes| {
            side.read(line, bytes, self.options.on_error)
        })
    }

    fn end_side(&self, stream: &Mutex<Stream>) -> Result<()> {
        let Stream { lines, side } = &mut *lock(stream);
        lines.finish(|line, bytes| side.read(line, bytes, self.options.on_error))
    }

    fn feed_both(&self, layout: Layout, block: &[u8]) -> Result<()> {
        self.enter(layout)?;
        let mut lines = lock(&self.both);
        let (mut source, mut target) = (lock(&self.source), lock(&self.target));
        let (source, target) = (&mut source.side, &mut target.side);
        lines.feed(block, |line, bytes| {
            read_pair(layout, line, bytes, self.options.on_error, source, target)
        })
    }

    fn enter(&self, layout: Layout) -> Result<()> {
        let entered = *lock(&self.layout).get_or_insert(layout);
        if entered == layout {
            return Ok(());
        }
        Err(Error::Config {
            name: "layout",
            expected: format!("the same for all blocks of a corpus, {entered:?}"),
            found: format!("{layout:?}"),
        })
    }
}

/// A panic while the lock was held is on its way to the caller already.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn index_of(name: &'static str, column: usize) -> Result<usize> {
    column.checked_sub(1).ok_or_else(|| Error::Config {
        name,
        expected: "1 or more".to_owned(),
        found: column.to_string(),
    })
}

fn read_pair(
    layout: Layout,
    line: u64,
    bytes: &[u8],
    on_error: OnError,
    source: &mut SideBuilder,
    target: &mut SideBuilder,
) -> Result<()> {
    let decoded = decode(line, bytes, on_error)?;
    let text = match &decoded {
        Decoded::Clean(text) => Ok(*text),
        Decoded::Replaced(text) => Ok(text.as_str()),
        Decoded::Skipped => Err(None),
    };
    let sides = text.and_then(|text| layout.split(line, text).map_err(Some));
    match (sides, &decoded) {
        (Ok((left, right)), Decoded::Replaced(_)) => {
            source.push_replaced(left)?;
            target.push(right)
        }
        (Ok((left, right)), _) => {
            source.push(left)?;
            target.push(right)
        }
        (Err(Some(error)), _) if on_error != OnError::Skip => Err(error),
        (Err(_), _) => {
            source.push_skipped()?;
            target.push_skipped()
        }
    }
}

fn check_lengths(source: usize, target: usize) -> Result<()> {
    let (source, target) = (source as u64, target as u64);
    let (shorter, shorter_len, longer, longer_len) = match source.cmp(&target) {
        std::cmp::Ordering::Equal => return Ok(()),
        std::cmp::Ordering::Less => ("source", source, "target", target),
        std::cmp::Ordering::Greater => ("target", target, "source", source),
    };
    Err(Error::UnequalLength {
        shorter,
        shorter_len,
        longer,
        longer_len,
    })
}

fn assemble(
    options: &TextOptions,
    mut source: SideBuilder,
    mut target: SideBuilder,
) -> Result<Bitext> {
    let skipped = union(source.skipped(), target.skipped());
    let replaced = union(source.replaced(), target.replaced());
    source.clear(&skipped);
    target.clear(&skipped);
    let mut counts = Counts {
        skipped: skipped.len() as u64,
        replaced: replaced
            .iter()
            .filter(|n| skipped.binary_search(n).is_err())
            .count() as u64,
        ..Counts::default()
    };
    let limit = u64::from(options.max_length);
    let mut usable = Vec::new();
    reserve(&mut usable, source.len(), "the list of usable pairs")?;
    for (n, (source, target)) in source.lengths().zip(target.lengths()).enumerate() {
        let is_empty = source == 0 || target == 0;
        let is_long = source > limit || target > limit;
        if is_empty {
            counts.empty += u64::from(skipped.binary_search(&n).is_err());
        } else {
            counts.too_long += u64::from(is_long);
        }
        usable.push(!is_empty && !is_long);
    }
    let source = source.finish(&usable, Fold::source(options), options.keep_text)?;
    let target = target.finish(&usable, Fold::target(options), options.keep_text)?;
    Ok(Bitext::with_counts(source, target, usable, counts))
}

/// Two rising lists as one.
fn union(a: &[usize], b: &[usize]) -> Vec<usize> {
    let mut all = [a, b].concat();
    all.sort_unstable();
    all.dedup();
    all
}

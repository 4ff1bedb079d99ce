//! Lines of examples as counts: what naive Bayes, mutual information and the lexicalised model learn from, without rows in memory.

use super::{ReadOptions, Reader, UNKNOWN};
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::numeric::{to_index, to_u64};
use crate::reorder::counts::{Counts, widen};
use crate::reorder::entries::{Entries, Places, Values};
use crate::text::Vocabulary;

/// Counts of all examples.
#[derive(Debug, Clone)]
pub struct Tallied {
    /// Features by class.
    pub counts: Counts,
    /// Names of the classes.
    pub classes: Vec<String>,
    /// Names of the features, in the order of [`super::Read::vocabulary`].
    pub vocabulary: Vocabulary,
    /// Different phrase pairs, and how often each had each class, at `pair * classes + class`.
    pub pairs: Option<(Vocabulary, Vec<u64>)>,
    /// Number of examples.
    pub examples: u64,
    /// Examples whose class is not known, which are not counted, and the number of the first, from 1.
    pub unknown: (u64, u64),
    /// Features that were dropped for being rare.
    pub dropped: u64,
}

/// Counts examples from byte blocks. Only the rows of one block are in memory at a time.
#[derive(Debug)]
pub struct Tally {
    reader: Reader,
    counts: Counts,
    /// Of each phrase pair in each class.
    pair_counts: Vec<u64>,
    examples: u64,
    unknown: (u64, u64),
}

impl Tally {
    /// Counts of nothing; with `has_values`, for mutual information too.
    #[must_use]
    pub fn new(options: ReadOptions, has_values: bool) -> Self {
        Self {
            reader: Reader::new(options),
            counts: Counts::new(0, 0, has_values),
            pair_counts: Vec::new(),
            examples: 0,
            unknown: (0, 0),
        }
    }

    /// Takes the next bytes.
    ///
    /// # Errors
    /// As [`Reader::feed`]; [`crate::error::Error::TooLarge`]: a sum above 2^53.
    ///
    /// # Complexity
    /// Time: bytes of the block, and features times classes. Memory: the block's rows, the different features (rare ones too) times classes, and the
    /// different phrase pairs if they are kept.
    pub fn feed(&mut self, block: &[u8]) -> Result<()> {
        self.reader.feed(block)?;
        self.count()
    }

    /// The counts of frequent features.
    ///
    /// # Errors
    /// As [`Tally::feed`].
    pub fn finish(mut self) -> Result<Tallied> {
        let reader = &mut self.reader;
        let rows = &mut reader.rows;
        reader
            .cutter
            .finish(|number, line| rows.line(number, line))?;
        self.count()?;
        let (_, moved) = self.reader.rows.class_order();
        // What has become which class, turned around.
        let mut order = vec![0; moved.len()];
        for (old, &new) in moved.iter().enumerate() {
            order[new as usize] = old;
        }
        let kept = self.reader.rows.frequent();
        let counts = self
            .counts
            .arranged(&kept, &order, self.counts.has_values());
        let k = order.len().max(1);
        let pair_counts = self
            .pair_counts
            .chunks(k)
            .flat_map(|cells| order.iter().map(|&class| cells[class]))
            .collect();
        let read = self.reader.rows.finish();
        Ok(Tallied {
            counts,
            classes: read.classes,
            vocabulary: read.vocabulary,
            pairs: read.pairs.map(|(names, _)| (names, pair_counts)),
            examples: self.examples,
            unknown: self.unknown,
            dropped: read.dropped,
        })
    }

    /// Counts the rows that were read, and drops them.
    fn count(&mut self) -> Result<()> {
        let rows = &mut self.reader.rows;
        let (before, k) = (self.counts.classes(), rows.classes.len());
        self.counts.grow(rows.counts.len(), k);
        let pairs = rows.pairs.len();
        widen(&mut self.pair_counts, before, k, pairs);
        for (&pair, &class) in rows.pair_of_row.iter().zip(&rows.labels) {
            if class != UNKNOWN {
                self.pair_counts[pair as usize * k + class as usize] += 1;
            }
        }
        let unknown = rows.labels.iter().filter(|&&class| class == UNKNOWN);
        let unknown = to_u64(unknown.count());
        if unknown == 0 && k > 0 {
            for ends in rows.offsets.windows(2) {
                rows.features[to_index(ends[0])..to_index(ends[1])].sort_unstable();
            }
            let entries = Entries {
                places: Places::Rows(&rows.offsets, &rows.features),
                values: Values::Ones,
                columns: rows.counts.len(),
            };
            // A block is short.
            self.counts
                .add_entries(entries, &rows.labels, &CancelToken::new())?;
        } else if unknown > 0 {
            let first = rows.labels.iter().position(|&class| class == UNKNOWN);
            if self.unknown.0 == 0 {
                self.unknown.1 = self.examples + to_u64(first.unwrap_or(0)) + 1;
            }
            self.unknown.0 += unknown;
        }
        self.examples += to_u64(rows.labels.len());
        rows.offsets.truncate(1);
        rows.features.clear();
        rows.labels.clear();
        rows.pair_of_row.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reorder::rows::{Examples, Rows};

    const TEXT: &str = "a ||| b ||| swap ||| x y x\n\
                        a ||| b ||| mono ||| z y y\n\
                        c d ||| b ||| odd ||| y q\n\
                        a ||| b ||| mono ||| x\n";

    fn tally(text: &str, options: ReadOptions) -> Tallied {
        let mut tally = Tally::new(options, true);
        for block in text.as_bytes().chunks(7) {
            tally.feed(block).expect("well-formed");
        }
        tally.finish().expect("well-formed")
    }

    #[test]
    fn counts_of_blocks_are_those_of_rows() {
        let options = ReadOptions {
            least_count: 2,
            has_identity: true,
            keeps_pairs: true,
        };
        let got = tally(TEXT, options.clone());
        let mut reader = Reader::new(options);
        reader.feed(TEXT.as_bytes()).expect("well-formed");
        let read = reader.finish().expect("well-formed");
        let rows = Rows::new(&read.offsets, &read.features, None, read.vocabulary.len());
        let rows = rows.expect("sorted");
        let mut want = Counts::new(read.vocabulary.len(), 3, true);
        let examples = Examples::new(rows, &read.labels, 3).expect("labelled");
        want.add(examples, &CancelToken::new()).expect("small");
        assert_eq!(got.counts, want);
        assert_eq!(got.classes, ["mono", "swap", "odd"]);
        assert!(got.vocabulary.words().eq(read.vocabulary.words()));
        assert_eq!((got.examples, got.dropped), (4, read.dropped));
        let (names, counts) = got.pairs.expect("asked for");
        assert!(names.words().eq(["a ||| b", "c d ||| b"]));
        assert_eq!(counts, [2, 1, 0, 0, 0, 1]);
    }

    #[test]
    fn examples_without_a_class_are_told() {
        let text = "a ||| b ||| swap ||| x\na ||| b ||| ? ||| x\na ||| b ||| ? |||\n";
        let got = tally(text, ReadOptions::default());
        assert_eq!((got.unknown, got.examples), ((2, 2), 3));
        assert_eq!(tally("", ReadOptions::default()).examples, 0);
    }

    #[test]
    fn no_rows_stay() {
        let mut tally = Tally::new(ReadOptions::default(), false);
        for _ in 0..50 {
            tally.feed(TEXT.as_bytes()).expect("well-formed");
            let rows = &tally.reader.rows;
            assert_eq!((rows.features.len(), rows.offsets.len()), (0, 1));
            assert!(rows.features.capacity() < 64);
        }
    }
}

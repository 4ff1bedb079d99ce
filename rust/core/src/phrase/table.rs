//! Phrase tables: relative frequencies and lexical weights of both directions (Koehn, Och and Marcu 2003).
//!
//! A line is `source ||| target ||| p(s|t) lex(s|t) p(t|s) lex(t|s) ||| i-j .. ||| count(t) count(s) count(s,t) ||| |||`, as Moses has it. The counts of
//! targets come from a second sort, of fingerprints instead of phrases; so neither the phrase pairs nor the phrases need to fit into memory.

use super::discount::{CountsOfCounts, Discount};
use super::entries::{BAR, Entry, each_entry, split_pair};
use super::general::{write_general, write_whole};
use super::lexical::LexicalTable;
use super::pairs::{Group, Groups, Partners, positions, words};
use super::sort::{Count, Counter, Merged, SequenceReader, SequenceWriter, Storage};
use crate::align::notation::show;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::{to_f32, to_u64};
use crate::progress::Progress;

/// Bytes of lines that are handed out at a time.
const BLOCK: usize = 1 << 20;

/// What Moses takes for e.
#[expect(
    clippy::approx_constant,
    reason = "decoders' weights were tuned for this very number"
)]
const PENALTY: f64 = 2.718;

/// Phrase pairs between two reports.
const REPORT: u64 = 65_536;

/// Which table is made of the phrase pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// The whole table.
    #[default]
    Both,
    /// The half with p(second | first), before Moses' `consolidate`, from `source ||| target` lines.
    Direct,
    /// The half of the other direction, from `target ||| source` lines.
    Inverse,
}

/// How relative frequencies are smoothed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Smoothing {
    /// Not at all.
    #[default]
    None,
    /// Counts are discounted by Good-Turing.
    GoodTuring,
    /// Kneser-Ney with three discounts (Foster, Kuhn and Johnson 2006).
    KneserNey,
}

/// What a phrase table holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one column, there or not"
)]
pub struct TableOptions {
    /// Which table.
    pub kind: Kind,
    /// How frequencies are smoothed; a whole table only.
    pub smoothing: Smoothing,
    /// Whether lexical weights are left out.
    pub no_lexical: bool,
    /// Whether links are left out.
    pub no_links: bool,
    /// Whether only p(target | source) is written.
    pub only_direct: bool,
    /// Whether a constant e = 2.718 is added, as Moses' phrase penalty once was.
    pub phrase_count: bool,
    /// Whether exp(-1 / count) is added.
    pub low_count: bool,
    /// Whether counts are singles, as in Moses, and written with six digits.
    pub is_moses: bool,
}

/// Takes phrase pairs, in any order, and the lexical tables.
#[derive(Debug)]
pub struct TableBuilder<S: Storage + Clone> {
    options: TableOptions,
    counter: Counter<S>,
    storage: S,
    memory: usize,
    threads: usize,
    /// Probabilities of second words given first ones, and the other way around.
    pub direct: LexicalTable,
    /// The other direction.
    pub inverse: LexicalTable,
    lines: u64,
    key: Vec<u8>,
}

impl<S: Storage + Clone> TableBuilder<S> {
    /// A builder that keeps about `memory` bytes of phrase pairs before it writes them to storage.
    #[must_use]
    pub fn new(options: TableOptions, storage: &S, memory: usize, threads: usize) -> Self {
        Self {
            options,
            counter: Counter::new(storage.clone(), memory, threads),
            storage: storage.clone(),
            memory,
            threads,
            direct: LexicalTable::default(),
            inverse: LexicalTable::default(),
            lines: 0,
            key: Vec::new(),
        }
    }

    /// Adds lines `first ||| second ||| i-j .. [||| weight]`.
    ///
    /// # Errors
    /// [`Error::Text`] when a line is something else or a link points outside of it; [`Error::Storage`], [`Error::Cancelled`].
    pub fn feed(&mut self, block: &[u8], cancel: &CancelToken) -> Result<()> {
        let Self { counter, key, .. } = self;
        each_entry(block, self.lines + 1, |number, entry| {
            check_links(&entry, number)?;
            key.clear();
            key.extend_from_slice(entry.pair);
            key.extend_from_slice(BAR);
            key.extend_from_slice(entry.third);
            counter.add(key, entry.count, cancel)
        })?;
        self.lines += to_u64(super::tokens::lines(block).count());
        Ok(())
    }

    /// Sorts and counts; what follows only writes.
    ///
    /// # Errors
    /// [`Error::Config`] when there are too few phrase pairs for a discount; [`Error::Storage`], [`Error::Cancelled`].
    ///
    /// # Complexity
    /// `O(n log n)` in the lines. Storage: the distinct lines, the distinct phrase pairs, and 44 bytes for each of these twice.
    pub fn finish(self, cancel: &CancelToken, progress: &dyn Progress) -> Result<Table<S>> {
        let groups = Groups::new(self.counter.finish(cancel)?, cancel)?;
        let scorer = Scorer {
            options: self.options,
            direct: self.direct,
            inverse: self.inverse,
        };
        let body = if self.options.kind == Kind::Both {
            let passes = Passes {
                storage: self.storage,
                memory: self.memory,
                threads: self.threads,
            };
            passes.run(groups, &scorer, cancel, progress)?
        } else {
            Body::Half(groups)
        };
        Ok(Table {
            scorer,
            body,
            pairs: 0,
            missing: 0,
        })
    }
}

fn check_links(entry: &Entry<'_>, number: u64) -> Result<()> {
    let (first, second) = split_pair(entry.pair);
    let (firsts, seconds) = (words(first).count(), words(second).count());
    let count = words(entry.third).filter(|t| !t.is_empty()).count();
    let mut good = 0;
    for (i, j) in positions(entry.third) {
        if i >= firsts || j >= seconds {
            return Err(bad_links(
                entry,
                number,
                "a link points outside of the phrase pair",
            ));
        }
        good += 1;
    }
    if good < count {
        return Err(bad_links(
            entry,
            number,
            "expected links 'i-j' in the third field",
        ));
    }
    Ok(())
}

fn bad_links(entry: &Entry<'_>, line: u64, problem: &str) -> Error {
    Error::Text {
        line,
        column: 1,
        problem: format!("{problem}; make the file again with phrases extract"),
        found: show(entry.third),
    }
}

struct Passes<S> {
    storage: S,
    memory: usize,
    threads: usize,
}

impl<S: Storage + Clone> Passes<S> {
    fn counter(&self) -> Counter<S> {
        Counter::new(self.storage.clone(), self.memory, self.threads)
    }

    /// Writes the phrase pairs in their order, and finds the counts of targets in the same order.
    fn run(
        mut self,
        mut groups: Groups<S>,
        scorer: &Scorer,
        cancel: &CancelToken,
        progress: &dyn Progress,
    ) -> Result<Body<S>> {
        let (id, file) = self.storage.create()?;
        let mut writer = SequenceWriter::new(file);
        let mut by_target = self.counter();
        let mut counts = CountsOfCounts::default();
        let (mut index, mut missing) = (0_u64, 0);
        let (mut record, mut links) = (Vec::new(), Vec::new());
        while let Some(group) = groups.next(cancel)? {
            let total = group.total();
            for pair in &group.pairs {
                let (direct, inverse, more) = scorer.weights(&group.first, pair);
                missing += more;
                links.clear();
                write_links(&mut links, &pair.by_second);
                Record {
                    first: &group.first,
                    second: &pair.second,
                    links: &links,
                    direct,
                    inverse,
                    total,
                    distinct: to_u64(group.pairs.len()),
                }
                .pack(&mut record);
                writer.write(&record, pair.count)?;
                counts.add(pair.count);
                let mut key = [0; 24];
                key[..16].copy_from_slice(&fingerprint(&pair.second));
                key[16..].copy_from_slice(&index.to_be_bytes());
                by_target.add(&key, pair.count, cancel)?;
                index += 1;
                if index % REPORT == 0 {
                    progress.report("counting pairs", index, index, &[]);
                }
            }
        }
        writer.finish()?;
        groups.close()?;
        let discount = Discount::new(scorer.options.smoothing, &counts)?;
        let targets = self.targets(by_target.finish(cancel)?, cancel)?;
        Ok(Body::Both {
            records: SequenceReader::new(self.storage.open(&id)?),
            id,
            storage: self.storage,
            targets,
            discount,
            missing,
        })
    }

    /// For each phrase pair, in their order, the count of its target and the number of its sources.
    fn targets(&self, mut sorted: Merged<S>, cancel: &CancelToken) -> Result<Merged<S>> {
        let mut by_index = self.counter();
        let mut current = [0; 16];
        let (mut total, mut members) = (Count::default(), Vec::new());
        let mut flush = |total: Count, members: &mut Vec<[u8; 8]>| {
            let distinct = to_u64(members.len()).to_be_bytes();
            for index in members.drain(..) {
                let mut key = [0; 16];
                key[..8].copy_from_slice(&index);
                key[8..].copy_from_slice(&distinct);
                by_index.add(&key, total, cancel)?;
            }
            Ok::<(), Error>(())
        };
        while let Some((key, count)) = sorted.next(cancel)? {
            if key[..16] != current {
                flush(total, &mut members)?;
                current.copy_from_slice(&key[..16]);
                total = Count::default();
            }
            total = total + count;
            members.push(key[16..].try_into().unwrap_or_default());
        }
        flush(total, &mut members)?;
        sorted.close()?;
        by_index.finish(cancel)
    }
}

/// A table whose lines are ready to be written.
#[derive(Debug)]
pub struct Table<S: Storage + Clone> {
    scorer: Scorer,
    body: Body<S>,
    pairs: u64,
    missing: u64,
}

#[derive(Debug)]
enum Body<S: Storage> {
    Half(Groups<S>),
    Both {
        records: SequenceReader<S::Reader>,
        id: S::Id,
        storage: S,
        targets: Merged<S>,
        discount: Discount,
        missing: u64,
    },
}

impl<S: Storage + Clone> Table<S> {
    /// The next lines; none at the end.
    ///
    /// # Errors
    /// [`Error::Storage`], [`Error::Cancelled`].
    pub fn next_block(&mut self, cancel: &CancelToken) -> Result<Option<Vec<u8>>> {
        let mut out = Vec::with_capacity(BLOCK + BLOCK / 4);
        cancel.check()?;
        while out.len() < BLOCK {
            let more = match &mut self.body {
                Body::Half(groups) => match groups.next(cancel)? {
                    None => 0,
                    Some(group) => {
                        self.missing += self.scorer.write_half(&mut out, &group);
                        to_u64(group.pairs.len())
                    }
                },
                Body::Both {
                    records,
                    targets,
                    discount,
                    missing,
                    ..
                } => {
                    self.missing = *missing;
                    if !records.advance()? {
                        break;
                    }
                    let Some((key, target)) = targets.next(cancel)? else {
                        break;
                    };
                    let distinct = u64::from_be_bytes(key[8..].try_into().unwrap_or_default());
                    let record = Record::unpack(&records.key);
                    self.scorer.write_line(
                        &mut out,
                        &record,
                        records.count,
                        (target, distinct),
                        discount,
                    );
                    1
                }
            };
            self.pairs += more;
            if more == 0 {
                break;
            }
        }
        Ok((!out.is_empty()).then_some(out))
    }

    /// Phrase pairs that were written.
    #[must_use]
    pub const fn pairs(&self) -> u64 {
        self.pairs
    }

    /// Word pairs that were looked for in a lexical table and not found.
    #[must_use]
    pub const fn missing(&self) -> u64 {
        self.missing
    }

    /// Gives all storage back.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn close(self) -> Result<()> {
        match self.body {
            Body::Half(groups) => groups.close().map(|_| ()),
            Body::Both {
                records,
                id,
                mut storage,
                targets,
                ..
            } => {
                drop(records);
                storage.remove(&id)?;
                targets.close().map(|_| ())
            }
        }
    }
}

#[derive(Debug)]
struct Scorer {
    options: TableOptions,
    direct: LexicalTable,
    inverse: LexicalTable,
}

impl Scorer {
    /// Lexical weights of both directions, and how many word pairs were not in the tables.
    fn weights(&self, first: &[u8], pair: &super::pairs::Pair) -> (f64, f64, u64) {
        if self.options.no_lexical {
            return (1.0, 1.0, 0);
        }
        let firsts: Vec<&[u8]> = words(first).collect();
        let seconds: Vec<&[u8]> = words(&pair.second).collect();
        let (direct, some) = self
            .direct
            .weight(seconds.iter().copied(), &firsts, &pair.by_second);
        if self.options.kind != Kind::Both || self.options.only_direct {
            return (direct, 1.0, some);
        }
        let (inverse, more) = self
            .inverse
            .weight(firsts.iter().copied(), &seconds, &pair.by_first);
        (direct, inverse, some + more)
    }

    fn write_half(&self, out: &mut Vec<u8>, group: &Group) -> u64 {
        let (total, mut missing) = (group.total(), 0);
        for pair in &group.pairs {
            let is_direct = self.options.kind == Kind::Direct;
            let (source, target) = if is_direct {
                (&group.first, &pair.second)
            } else {
                (&pair.second, &group.first)
            };
            out.extend_from_slice(source);
            out.extend_from_slice(BAR);
            out.extend_from_slice(target);
            out.extend_from_slice(BAR);
            if is_direct && !self.options.no_links {
                write_links(out, &pair.by_second);
            }
            out.extend_from_slice(BAR);
            if !self.options.no_lexical {
                let (weight, _, more) = self.weights(&group.first, pair);
                write_general(out, self.score(weight));
                missing += more;
            }
            out.extend_from_slice(BAR);
            self.write_count(out, total);
            out.push(b' ');
            self.write_count(out, pair.count);
            out.extend_from_slice(b" |||\n");
        }
        missing
    }

    fn write_line(
        &self,
        out: &mut Vec<u8>,
        record: &Record<'_>,
        joint: Count,
        (target, sources): (Count, u64),
        discount: &Discount,
    ) {
        let options = &self.options;
        let source = record.total;
        let (direct, inverse) =
            discount.adjusted(joint, (source, record.distinct), (target, sources));
        out.extend_from_slice(record.first);
        out.extend_from_slice(BAR);
        out.extend_from_slice(record.second);
        out.extend_from_slice(b" |||");
        let mut score = |value: f64| {
            out.push(b' ');
            write_general(out, value);
        };
        if !options.only_direct {
            score(self.ratio(inverse, target.to_f64()));
            if !options.no_lexical {
                score(self.score(record.inverse));
            }
        }
        score(self.ratio(direct, source.to_f64()));
        if !options.no_lexical {
            score(self.score(record.direct));
        }
        if options.phrase_count {
            score(PENALTY);
        }
        if options.low_count {
            score(libm::exp(-1.0 / joint.to_f64()));
        }
        out.extend_from_slice(BAR);
        if !options.no_links {
            out.extend_from_slice(record.links);
        }
        out.extend_from_slice(b"||| ");
        for (n, count) in [target, source, joint].into_iter().enumerate() {
            if n > 0 {
                out.push(b' ');
            }
            self.write_count(out, count);
        }
        out.extend_from_slice(b" ||| |||\n");
    }

    /// A relative frequency; Moses divides singles.
    fn ratio(&self, count: f64, total: f64) -> f64 {
        if self.options.is_moses {
            f64::from(to_f32(count) / to_f32(total))
        } else {
            count / total
        }
    }

    /// A score as it is written; Moses writes singles.
    fn score(&self, value: f64) -> f64 {
        if self.options.is_moses {
            f64::from(to_f32(value))
        } else {
            value
        }
    }

    /// A count: whole numbers in full; Moses writes a million as 1e+06.
    fn write_count(&self, out: &mut Vec<u8>, count: Count) {
        let value = count.to_f64();
        if self.options.is_moses {
            write_general(out, f64::from(to_f32(value)));
        } else if value.fract() == 0.0 {
            out.extend_from_slice(format!("{value:.0}").as_bytes());
        } else {
            write_general(out, value);
        }
    }
}

fn write_links(out: &mut Vec<u8>, partners: &Partners) {
    for (j, sources) in partners.iter().enumerate() {
        for i in sources {
            write_whole(out, *i);
            out.push(b'-');
            write_whole(out, j);
            out.push(b' ');
        }
    }
}

/// What is kept of a phrase pair until the count of its target is known.
#[derive(Debug)]
struct Record<'a> {
    first: &'a [u8],
    second: &'a [u8],
    /// As they are written.
    links: &'a [u8],
    direct: f64,
    inverse: f64,
    total: Count,
    distinct: u64,
}

/// Bytes of the numbers of a record.
const NUMBERS: usize = 8 + 8 + 16 + 8 + 4 + 4;

impl<'a> Record<'a> {
    fn pack(&self, out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(&self.direct.to_le_bytes());
        out.extend_from_slice(&self.inverse.to_le_bytes());
        out.extend_from_slice(&self.total.to_bytes());
        out.extend_from_slice(&self.distinct.to_le_bytes());
        // Phrases are parts of keys, which are shorter than 2^32.
        for part in [self.first, self.second] {
            let length = u32::try_from(part.len()).unwrap_or(u32::MAX);
            out.extend_from_slice(&length.to_le_bytes());
        }
        out.extend_from_slice(self.first);
        out.extend_from_slice(self.second);
        out.extend_from_slice(self.links);
    }

    fn unpack(bytes: &'a [u8]) -> Self {
        let (numbers, text) = bytes.split_at(NUMBERS);
        let eight = |at: usize| numbers[at..at + 8].try_into().unwrap_or_default();
        let four = |at: usize| {
            let bytes = numbers[at..at + 4].try_into().unwrap_or_default();
            crate::numeric::to_index(u32::from_le_bytes(bytes).into())
        };
        let (first, rest) = text.split_at(four(40));
        let (second, links) = rest.split_at(four(44));
        Self {
            first,
            second,
            links,
            direct: f64::from_le_bytes(eight(0)),
            inverse: f64::from_le_bytes(eight(8)),
            total: Count::from_bytes(numbers[16..32].try_into().unwrap_or_default()),
            distinct: u64::from_le_bytes(eight(32)),
        }
    }
}

/// 128 bits that tell phrases apart: among a billion of them, two share one with a probability below 10^-20.
fn fingerprint(phrase: &[u8]) -> [u8; 16] {
    let (mut a, mut b) = (0x706C_6169_7400_0003_u64, 0x9E37_79B9_7F4A_7C15_u64);
    // The length tells apart what zeros at the end would not.
    let words = phrase.chunks(8).map(|chunk| {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(bytes)
    });
    for value in std::iter::once(to_u64(phrase.len())).chain(words) {
        a = mix(a ^ value.wrapping_mul(0xD6E8_FEB8_6659_FD93));
        b = mix(b.wrapping_add(value).wrapping_mul(0xA076_1D64_78BD_642F));
    }
    (u128::from(a) << 64 | u128::from(b)).to_be_bytes()
}

/// The finaliser of `SplitMix64`.
const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

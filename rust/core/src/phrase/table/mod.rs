//! Phrase tables: relative frequencies and lexical weights of both directions (Koehn, Och and Marcu 2003).
//!
//! A line is `source ||| target ||| p(s|t) lex(s|t) p(t|s) lex(t|s) ||| i-j .. ||| count(t) count(s) count(s,t) ||| |||`, as Moses has it. The counts of
//! targets come from a second sort, of fingerprints instead of phrases; so neither the phrase pairs nor the phrases need to fit into memory.

pub mod consolidate;
mod domains;
mod line;
mod options;
mod passes;
mod record;
mod score;

pub use super::discount::CountsOfCounts;
pub use domains::{DomainFeature, Domains};
pub use options::{CountBins, Kind, Scale, Smoothing, TableOptions, Words};

use super::discount::{Discount, PartnerCounts};
use super::entries::{BAR, Entry, each_entry, split_pair};
use super::general::write_whole;
use super::lexical::LexicalTable;
use super::pairs::{Group, Groups, positions, words};
use super::sort::{Count, Counter, Merged, SequenceReader, Storage};
use crate::align::notation::show;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::to_u64;
use crate::parallel;
use crate::progress::Progress;
use passes::Passes;
use record::Record;
use score::Scorer;

/// Phrase pairs that are worked on at a time, and those that one thread takes of them.
const BATCH: usize = 16_384;
const PIECE: usize = 1_024;

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
    ///
    /// # Errors
    /// [`Error::Config`]: see [`TableOptions::check`] and [`Domains::check`].
    pub fn new(options: TableOptions, storage: &S, memory: usize, threads: usize) -> Result<Self> {
        options.check()?;
        options.domains.as_ref().map_or(Ok(()), Domains::check)?;
        let counter = if options.is_sorted {
            Counter::in_order(storage.clone(), memory, threads)
        } else {
            Counter::new(storage.clone(), memory, threads)
        };
        Ok(Self {
            options,
            counter,
            storage: storage.clone(),
            memory,
            threads,
            direct: LexicalTable::default(),
            inverse: LexicalTable::default(),
            lines: 0,
            key: Vec::new(),
        })
    }

    /// Adds lines `first ||| second ||| i-j .. [||| sentence] [||| weight]`.
    ///
    /// # Errors
    /// [`Error::Text`] when a line is something else, a link points outside of it, or its sentence pair has no domain; [`Error::Storage`],
    /// [`Error::Cancelled`].
    pub fn feed(&mut self, block: &[u8], cancel: &CancelToken) -> Result<()> {
        let Self {
            counter,
            key,
            options,
            ..
        } = self;
        let has_sentences = options.has_sentence_ids();
        each_entry(block, self.lines + 1, has_sentences, |number, entry| {
            check_links(&entry, number, options.is_hierarchical)?;
            // DEVIATION from Moses, which divides by it: what counts nothing was not seen.
            if entry.count == Count::default() {
                return Ok(());
            }
            key.clear();
            key.extend_from_slice(entry.pair);
            key.extend_from_slice(BAR);
            key.extend_from_slice(entry.third);
            if let Some(domains) = &options.domains {
                let domain = domain_of(domains, &entry, number)?;
                key.extend_from_slice(BAR);
                write_whole(key, domain);
            }
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
    /// `O(n log n)` in the lines, linear when they are sorted. Storage: the distinct lines, the distinct phrase pairs, and 44 and 52 bytes for each of these.
    pub fn finish(self, cancel: &CancelToken, progress: &dyn Progress) -> Result<Table<S>> {
        let (kind, is_hierarchical) = (self.options.kind, self.options.is_hierarchical);
        let groups = Groups::new(self.counter.finish(cancel)?, is_hierarchical, cancel)?;
        let scorer = Scorer {
            options: self.options,
            direct: self.direct,
            inverse: self.inverse,
        };
        let threads = self.threads;
        let body = if kind == Kind::Both {
            let passes = Passes {
                storage: self.storage,
                memory: self.memory,
                threads: self.threads,
            };
            passes.run(groups, &scorer, cancel, progress)?
        } else {
            Body::Half(groups, CountsOfCounts::default())
        };
        Ok(Table {
            scorer,
            body,
            threads,
            pairs: 0,
            missing: 0,
            has_more: true,
        })
    }
}

fn domain_of(domains: &Domains, entry: &Entry<'_>, number: u64) -> Result<usize> {
    domains
        .of_sentence(entry.sentence)
        .ok_or_else(|| Error::Text {
            line: number,
            column: 1,
            problem: format!(
                "the sentence pair has no domain: the last one that has is {}; check the file of domains, and that numbers of sentence pairs start at 1",
                domains.last_sentence()
            ),
            found: entry.sentence.to_string(),
        })
}

fn check_links(entry: &Entry<'_>, number: u64, is_hierarchical: bool) -> Result<()> {
    let (first, second) = split_pair(entry.pair);
    // The left-hand side of a rule is no word.
    let length = |phrase| words(phrase).count() - usize::from(is_hierarchical);
    let (firsts, seconds) = (length(first), length(second));
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

/// A table whose lines are ready to be written.
#[derive(Debug)]
pub struct Table<S: Storage + Clone> {
    scorer: Scorer,
    body: Body<S>,
    threads: usize,
    pairs: u64,
    missing: u64,
    has_more: bool,
}

/// Lines of some phrase pairs.
#[derive(Debug, Default)]
struct Part {
    text: Vec<u8>,
    pairs: u64,
    missing: u64,
}

/// Groups in parts of some size, for threads.
fn pieces(groups: Vec<Group>) -> Vec<Vec<Group>> {
    let (mut all, mut size) = (Vec::new(), PIECE);
    for group in groups {
        if size >= PIECE {
            all.push(Vec::new());
            size = 0;
        }
        size += group.pairs.len();
        if let Some(last) = all.last_mut() {
            last.push(group);
        }
    }
    all
}

#[derive(Debug)]
enum Body<S: Storage> {
    Half(Groups<S>, CountsOfCounts),
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
    /// The next lines, of which all may be pruned; none at the end.
    ///
    /// # Errors
    /// [`Error::Storage`], [`Error::Cancelled`].
    pub fn next_block(&mut self, cancel: &CancelToken) -> Result<Option<Vec<u8>>> {
        cancel.check()?;
        let scorer = &self.scorer;
        let parts = match &mut self.body {
            Body::Half(groups, counts) => {
                let some = groups.some(BATCH, cancel)?;
                self.has_more = !some.is_empty();
                for pair in some.iter().flat_map(|group| &group.pairs) {
                    counts.add(pair.count());
                }
                parallel::map(self.threads, cancel, pieces(some), |_, groups| {
                    let mut part = Part::default();
                    for group in &groups {
                        let (pairs, missing) = scorer.write_half(&mut part.text, group);
                        part.pairs += pairs;
                        part.missing += missing;
                    }
                    Ok(part)
                })?
            }
            Body::Both {
                records,
                targets,
                discount,
                missing,
                ..
            } => {
                self.missing = *missing;
                let mut some: Vec<Vec<_>> = Vec::new();
                for n in 0..BATCH {
                    if !records.advance()? {
                        break;
                    }
                    let Some((key, target)) = targets.next(cancel)? else {
                        break;
                    };
                    if n % PIECE == 0 {
                        some.push(Vec::with_capacity(PIECE));
                    }
                    let partners = PartnerCounts::from_bytes(&key[8..]);
                    if let Some(last) = some.last_mut() {
                        last.push((records.key.clone(), records.count, (target, partners)));
                    }
                }
                self.has_more = !some.is_empty();
                parallel::map(self.threads, cancel, some, |_, piece| {
                    let mut part = Part::default();
                    for (record, joint, target) in &piece {
                        let record = Record::unpack(record);
                        let text = &mut part.text;
                        let is_there =
                            scorer.write_record(text, &record, *joint, *target, discount);
                        part.pairs += u64::from(is_there);
                    }
                    Ok(part)
                })?
            }
        };
        let mut out = Vec::with_capacity(parts.iter().map(|part| part.text.len()).sum());
        for part in parts {
            out.extend_from_slice(&part.text);
            self.pairs += part.pairs;
            self.missing += part.missing;
        }
        Ok(self.has_more.then_some(out))
    }

    /// How many phrase pairs were counted, and how many of each small count; of one half, once all lines are out.
    #[must_use]
    pub const fn counts(&self) -> Option<&CountsOfCounts> {
        match &self.body {
            Body::Half(_, counts) => Some(counts),
            Body::Both { .. } => None,
        }
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
            Body::Half(groups, _) => groups.close().map(|_| ()),
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

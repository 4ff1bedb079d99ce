//! Scores of phrase pairs, and their lines.

use super::line::{Line, PENALTY, rounded, write_count, write_line};
use super::options::{Kind, Scale, Smoothing, TableOptions, Words};
use super::record::{Packed, Record, fingerprint};
use crate::numeric::to_index;
use crate::phrase::discount::{Discount, PartnerCounts};
use crate::phrase::entries::BAR;
use crate::phrase::general::{write_general, write_whole};
use crate::phrase::lexical::LexicalTable;
use crate::phrase::pairs::{Group, Pair, Partners, is_gap, words};
use crate::phrase::sort::Count;

/// Scores as they are written, each with a space before it.
#[derive(Debug, Default)]
pub(super) struct Scores {
    scale: Scale,
    is_moses: bool,
    pub(super) dense: Vec<u8>,
    pub(super) sparse: Vec<u8>,
}

impl Scores {
    fn new(options: &TableOptions) -> Self {
        Self {
            scale: options.scale,
            is_moses: options.is_moses,
            ..Self::default()
        }
    }

    /// Adds a score, on the scale of the table.
    pub(super) fn dense(&mut self, value: f64) {
        self.dense.push(b' ');
        let value = rounded(self.scale.of(value), self.is_moses);
        write_general(&mut self.dense, value);
    }

    /// Adds a sparse feature.
    pub(super) fn sparse(&mut self, name: &str, value: f64) {
        self.sparse.push(b' ');
        self.sparse.extend_from_slice(name.as_bytes());
        self.sparse.push(b' ');
        write_general(&mut self.sparse, rounded(value, self.is_moses));
    }
}

/// Turns phrase pairs into lines.
#[derive(Debug)]
pub(super) struct Scorer {
    pub(super) options: TableOptions,
    pub(super) direct: LexicalTable,
    pub(super) inverse: LexicalTable,
}

/// The first phrase of a group: its words, and their numbers in both lexical tables.
struct First<'a> {
    words: Vec<&'a [u8]>,
    given: Vec<Option<u32>>,
    produced: Vec<Option<u32>>,
}

/// One direction of a phrase pair: words that are produced, and the numbers of these and of those that are given in the lexical table.
struct Direction<'a> {
    words: &'a [&'a [u8]],
    produced: &'a [Option<u32>],
    given: &'a [Option<u32>],
    partners: &'a Partners,
    lexical: &'a LexicalTable,
    function_words: Option<&'a Words>,
}

impl Direction<'_> {
    /// Adds the lexical weight and the penalties of words without links; returns how many word pairs were not in the table.
    fn add(&self, scores: &mut Scores, options: &TableOptions) -> u64 {
        let mut missing = 0;
        if !options.no_lexical {
            let (weight, more) = self
                .lexical
                .weight(self.produced, self.given, self.partners);
            scores.dense(weight);
            missing = more;
        }
        let unlinked = || {
            let pairs = self.words.iter().zip(self.partners);
            pairs.filter(|(_, partners)| partners.is_empty())
        };
        let penalty = |count: usize| (0..count).fold(1.0, |product, _| product * PENALTY);
        if options.unaligned {
            scores.dense(penalty(unlinked().count()));
        }
        if let Some(list) = self.function_words {
            let listed = unlinked().filter(|(word, _)| list.contains(**word));
            scores.dense(penalty(listed.count()));
        }
        missing
    }
}

/// What is written of a phrase pair besides its relative frequencies.
struct Features {
    direct: Scores,
    inverse: Scores,
    links: Vec<u8>,
    missing: u64,
}

impl Scorer {
    /// The words of a phrase; the left-hand side of a rule is none.
    fn words<'a>(&self, phrase: &'a [u8]) -> Vec<&'a [u8]> {
        let mut all: Vec<&[u8]> = words(phrase).collect();
        if self.options.is_hierarchical {
            all.pop();
        }
        all
    }

    fn first<'a>(&self, group: &'a Group) -> First<'a> {
        let words = self.words(&group.first);
        First {
            given: self.direct.given(words.iter().copied()),
            produced: self.inverse.produced(words.iter().copied()),
            words,
        }
    }

    fn features(&self, first: &First<'_>, pair: &Pair) -> Features {
        let options = &self.options;
        let seconds = self.words(&pair.second);
        let (by_first, by_second) = pair.partners((first.words.len(), seconds.len()));
        let mut features = Features {
            direct: Scores::new(options),
            inverse: Scores::new(options),
            links: Vec::new(),
            missing: 0,
        };
        let [of_source, of_target] = &options.function_words;
        let is_inverse = options.kind == Kind::Inverse;
        features.missing += Direction {
            words: &seconds,
            produced: &self.direct.produced(seconds.iter().copied()),
            given: &first.given,
            partners: &by_second,
            lexical: &self.direct,
            function_words: if is_inverse { of_source } else { of_target }.as_ref(),
        }
        .add(&mut features.direct, options);
        if options.kind == Kind::Both && !options.only_direct {
            features.missing += Direction {
                words: &first.words,
                produced: &first.produced,
                given: &self.inverse.given(seconds.iter().copied()),
                partners: &by_first,
                lexical: &self.inverse,
                function_words: of_source.as_ref(),
            }
            .add(&mut features.inverse, options);
        }
        if let Some(domains) = options.domains.as_ref().filter(|_| !is_inverse) {
            let round = |count: Count| rounded(count.to_f64(), options.is_moses);
            domains.add(&mut features.direct, &pair.domains, pair.count(), round);
        }
        // Decoders need the links of gaps, so that rules always have theirs.
        if options.is_hierarchical {
            write_sorted_links(&mut features.links, &by_second);
        } else if !options.no_links && !is_inverse {
            write_links(&mut features.links, &by_second);
        }
        features
    }

    /// What is kept of each phrase pair of a group, its target's fingerprint and its count; and how many word pairs were not in the tables.
    pub(super) fn records(&self, group: &Group) -> (Vec<Packed>, u64) {
        let (total, mut missing) = (group.total(), 0);
        let partners = PartnerCounts::of(group.pairs.iter().map(Pair::count));
        let first = self.first(group);
        let records = group
            .pairs
            .iter()
            .map(|pair| {
                let features = self.features(&first, pair);
                missing += features.missing;
                let record = Record {
                    first: &group.first,
                    second: &pair.second,
                    links: &features.links,
                    direct: &features.direct.dense,
                    inverse: &features.inverse.dense,
                    sparse: &features.direct.sparse,
                    total,
                    partners,
                };
                (record.pack(), fingerprint(&pair.second), pair.count())
            })
            .collect();
        (records, missing)
    }

    /// Writes the lines of one half; returns how many there are and how many word pairs were not in the table.
    pub(super) fn write_half(&self, out: &mut Vec<u8>, group: &Group) -> (u64, u64) {
        // What stands in the order of Moses' input has the sums of Moses too.
        let in_singles = self.options.is_moses && self.options.is_sorted;
        let total = if in_singles {
            group.single_total()
        } else {
            group.total()
        };
        let first = self.first(group);
        let (mut written, mut missing) = (0, 0);
        for pair in &group.pairs {
            let count = if in_singles {
                pair.single_count()
            } else {
                pair.count()
            };
            if self.is_rare(&group.first, count) {
                continue;
            }
            let (source, target) = match self.options.kind {
                Kind::Inverse => (&pair.second, &group.first),
                _ => (&group.first, &pair.second),
            };
            out.extend_from_slice(source);
            out.extend_from_slice(BAR);
            out.extend_from_slice(target);
            out.extend_from_slice(BAR);
            let features = self.features(&first, pair);
            out.extend_from_slice(&features.links);
            out.extend_from_slice(BAR);
            let scores = [features.direct.dense, features.direct.sparse].concat();
            out.extend_from_slice(scores.strip_prefix(b" ").unwrap_or_default());
            out.extend_from_slice(BAR);
            write_count(out, total, self.options.is_moses);
            out.push(b' ');
            write_count(out, count, self.options.is_moses);
            if self.options.smoothing == Smoothing::KneserNey {
                self.write_partners(out, group);
            }
            out.extend_from_slice(b" |||\n");
            written += 1;
            missing += features.missing;
        }
        (written, missing)
    }

    /// Writes the number of partners, and, which Moses has not, of those that are counted once and twice.
    fn write_partners(&self, out: &mut Vec<u8>, group: &Group) {
        let partners = PartnerCounts::of(group.pairs.iter().map(Pair::count));
        let few = partners.few.filter(|_| !self.options.is_moses);
        for number in std::iter::once(partners.all).chain(few.into_iter().flatten()) {
            out.push(b' ');
            write_whole(out, to_index(number));
        }
    }

    /// Writes the line of a record, unless it is pruned; returns whether it is there.
    pub(super) fn write_record(
        &self,
        out: &mut Vec<u8>,
        record: &Record<'_>,
        joint: Count,
        of_target: (Count, PartnerCounts),
        discount: &Discount,
    ) -> bool {
        if self.is_rare(record.first, joint) {
            return false;
        }
        let line = Line {
            source: record.first,
            target: record.second,
            links: record.links,
            direct: record.direct,
            inverse: record.inverse,
            sparse: [record.sparse, b""],
            properties: b"",
            joint,
            of_source: (record.total, record.partners),
            of_target,
        };
        write_line(out, &line, &self.options, discount)
    }

    /// Whether a phrase pair counts too little; a rule without gaps never does.
    fn is_rare(&self, first: &[u8], joint: Count) -> bool {
        joint.to_f64() < self.options.min_count
            && (!self.options.is_hierarchical || words(first).rev().skip(1).any(is_gap))
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

/// Links in the order of their bytes, as Moses has those of hierarchical rules.
fn write_sorted_links(out: &mut Vec<u8>, partners: &Partners) {
    let mut links = Vec::new();
    write_links(&mut links, partners);
    let mut links: Vec<&[u8]> = links.split_inclusive(|&b| b == b' ').collect();
    links.sort_unstable();
    out.extend(links.concat());
}

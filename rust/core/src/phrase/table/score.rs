//! Scores of phrase pairs, and their lines.

use super::options::{Kind, TableOptions};
use crate::numeric::{to_f32, to_index, to_u64};
use crate::phrase::discount::Discount;
use crate::phrase::entries::BAR;
use crate::phrase::general::{write_general, write_whole};
use crate::phrase::lexical::LexicalTable;
use crate::phrase::pairs::{Group, Partners, words};
use crate::phrase::sort::Count;

/// What Moses takes for e.
#[expect(
    clippy::approx_constant,
    reason = "decoders' weights were tuned for this very number"
)]
const PENALTY: f64 = 2.718;

/// A packed record, the fingerprint of its target, and its count.
pub(super) type Packed = (Vec<u8>, [u8; 16], Count);

/// Turns phrase pairs into lines.
#[derive(Debug)]
pub(super) struct Scorer {
    pub(super) options: TableOptions,
    pub(super) direct: LexicalTable,
    pub(super) inverse: LexicalTable,
}

impl Scorer {
    /// Lexical weights of the second phrase and of the first, and how many word pairs were not in the tables.
    fn weights(
        &self,
        first: &[u8],
        second: &[u8],
        (by_first, by_second): &(Partners, Partners),
    ) -> (f64, f64, u64) {
        if self.options.no_lexical {
            return (1.0, 1.0, 0);
        }
        let firsts: Vec<&[u8]> = words(first).collect();
        let seconds: Vec<&[u8]> = words(second).collect();
        let (direct, some) = self
            .direct
            .weight(seconds.iter().copied(), &firsts, by_second);
        if self.options.kind != Kind::Both || self.options.only_direct {
            return (direct, 1.0, some);
        }
        let (inverse, more) = self
            .inverse
            .weight(firsts.iter().copied(), &seconds, by_first);
        (direct, inverse, some + more)
    }

    /// What is kept of each phrase pair of a group, its target's fingerprint and its count; and how many word pairs were not in the tables.
    pub(super) fn records(&self, group: &Group) -> (Vec<Packed>, u64) {
        let (total, mut missing, mut links) = (group.total(), 0, Vec::new());
        let records = group
            .pairs
            .iter()
            .map(|pair| {
                let partners = pair.partners(&group.first);
                let (direct, inverse, more) = self.weights(&group.first, &pair.second, &partners);
                missing += more;
                links.clear();
                write_links(&mut links, &partners.1);
                let record = Record {
                    first: &group.first,
                    second: &pair.second,
                    links: &links,
                    direct,
                    inverse,
                    total,
                    distinct: to_u64(group.pairs.len()),
                };
                (record.pack(), fingerprint(&pair.second), pair.count())
            })
            .collect();
        (records, missing)
    }

    pub(super) fn write_half(&self, out: &mut Vec<u8>, group: &Group) -> u64 {
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
            let partners = pair.partners(&group.first);
            if is_direct && !self.options.no_links {
                write_links(out, &partners.1);
            }
            out.extend_from_slice(BAR);
            if !self.options.no_lexical {
                let (weight, _, more) = self.weights(&group.first, &pair.second, &partners);
                write_general(out, self.score(weight));
                missing += more;
            }
            out.extend_from_slice(BAR);
            self.write_count(out, total);
            out.push(b' ');
            self.write_count(out, pair.count());
            out.extend_from_slice(b" |||\n");
        }
        missing
    }

    pub(super) fn write_line(
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
        match count.whole() {
            // Singles are exact up to here, and have six digits.
            Some(whole) if !self.options.is_moses || whole < 1_000_000 => {
                write_whole(out, to_index(whole));
            }
            _ => write_general(out, self.score(count.to_f64())),
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
pub(super) struct Record<'a> {
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
    fn pack(&self) -> Vec<u8> {
        let texts = self.first.len() + self.second.len() + self.links.len();
        let mut out = Vec::with_capacity(NUMBERS + texts);
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
        out
    }

    pub(super) fn unpack(bytes: &'a [u8]) -> Self {
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

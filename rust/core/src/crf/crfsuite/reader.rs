//! Models of `CRFsuite`, every place checked before it is read.

use super::hash::hash;
use super::writer::{bucket_of, table_of};
use super::{
    ATTRIBUTE_LISTS_TAG, BUCKET_BYTES, BYTE_ORDER, CHUNK_BYTES, HEADER_BYTES, KIND,
    LABEL_LISTS_TAG, MAGIC, NAMES_HEADER_BYTES, NAMES_TAG, PAIR_BYTES, PAIRS_TAG, STATE,
    TABLE_BYTES, TRANSITION, VERSION,
};
use crate::crf::{Model, Names};
use crate::error::{Error, Result};
use crate::numeric::{to_index, to_u64};
use std::cmp::Ordering;

/// The model in the bytes of a file.
///
/// # Errors
/// [`Error::Model`] for bytes that are no such model, cut short or damaged as far as that can be seen.
///
/// # Complexity
/// Time and memory are linear in the file.
pub fn read(bytes: &[u8]) -> Result<Model> {
    let file = File(bytes);
    let head = file.part(0, HEADER_BYTES)?;
    let number = |at: usize| number(&head[at..]);
    if head[..4] != MAGIC || head[8..12] != KIND || number(12) != VERSION {
        return damaged(format!(
            "is not a chain of CRFsuite's version {VERSION}: it begins with {:?}",
            head[..16].escape_ascii().to_string()
        ));
    }
    let size = to_u64(bytes.len());
    if u64::from(number(4)) != size {
        let problem = format!("should have {} bytes, and has {size}", number(4));
        return damaged(problem);
    }
    let (labels, attributes) = (number(20), number(24));
    let pairs = file.pairs(number(28), attributes, labels)?;
    let labels = file.names("labels", number(32), labels)?;
    let attributes = file.names("attributes", number(36), attributes)?;
    let lists = file.lists(
        LABEL_LISTS_TAG,
        number(40),
        labels.len(),
        TRANSITION,
        &pairs,
    )?;
    let more = file.lists(
        ATTRIBUTE_LISTS_TAG,
        number(44),
        attributes.len(),
        STATE,
        &pairs,
    )?;
    if lists + more != pairs.len() {
        return damaged("has pairs that stand in no list".to_owned());
    }
    let of = |sort: u32| {
        let own = pairs.iter().filter(move |pair| pair.sort == sort);
        own.map(|pair| (pair.first, pair.second, pair.weight))
            .collect()
    };
    Model::from_pairs(attributes, labels, of(STATE), of(TRANSITION))
}

fn damaged<T>(problem: String) -> Result<T> {
    Err(Error::Model {
        part: "the file",
        problem,
    })
}

/// The number at the start of at least four bytes.
fn number(bytes: &[u8]) -> u32 {
    let mut four = [0; 4];
    four.copy_from_slice(&bytes[..4]);
    u32::from_le_bytes(four)
}

struct Pair {
    sort: u32,
    first: u32,
    second: u32,
    weight: f64,
}

#[derive(Clone, Copy)]
struct File<'a>(&'a [u8]);

impl<'a> File<'a> {
    fn part(self, start: u64, length: usize) -> Result<&'a [u8]> {
        let end = start.saturating_add(to_u64(length));
        if end > to_u64(self.0.len()) {
            let size = self.0.len();
            return damaged(format!(
                "needs {length} bytes at {start}, but ends at {size}"
            ));
        }
        Ok(&self.0[to_index(start)..to_index(end)])
    }

    /// What stands behind the tag of a part, and its number of items.
    fn chunk(self, tag: [u8; 4], start: u32) -> Result<(u64, u32)> {
        let head = self.part(start.into(), CHUNK_BYTES)?;
        if head[..4] != tag {
            return damaged(format!("has no part {} at {start}", tag.escape_ascii()));
        }
        Ok((u64::from(start) + to_u64(CHUNK_BYTES), number(&head[8..])))
    }

    /// So many items of some bytes each.
    fn items(
        self,
        start: u64,
        count: u32,
        bytes: usize,
    ) -> Result<impl ExactSizeIterator<Item = &'a [u8]>> {
        let length = to_index(u64::from(count).saturating_mul(to_u64(bytes)));
        Ok(self.part(start, length)?.chunks_exact(bytes))
    }

    fn pairs(self, start: u32, attributes: u32, labels: u32) -> Result<Vec<Pair>> {
        let (start, count) = self.chunk(PAIRS_TAG, start)?;
        let mut pairs = Vec::new();
        for (item, bytes) in self.items(start, count, PAIR_BYTES)?.enumerate() {
            let mut weight = [0; 8];
            weight.copy_from_slice(&bytes[12..]);
            let pair = Pair {
                sort: number(bytes),
                first: number(&bytes[4..]),
                second: number(&bytes[8..]),
                weight: f64::from_le_bytes(weight),
            };
            let firsts = match pair.sort {
                STATE => attributes,
                TRANSITION => labels,
                other => {
                    return damaged(format!(
                        "has a pair {item} of the sort {other}, neither of an attribute and a label nor of two labels"
                    ));
                }
            };
            if pair.first >= firsts || pair.second >= labels {
                return damaged(format!(
                    "has a pair {item} of {} and {}, but only {firsts} and {labels} names",
                    pair.first, pair.second
                ));
            }
            pairs.push(pair);
        }
        Ok(pairs)
    }

    /// Names by number; each must be found by its hash too.
    fn names(self, what: &'static str, start: u32, count: u32) -> Result<Names> {
        let base = u64::from(start);
        let head = self.part(base, NAMES_HEADER_BYTES)?;
        if head[..4] != NAMES_TAG || number(&head[12..]) != BYTE_ORDER {
            return damaged(format!("has no names of {what} at {start}"));
        }
        let (found, places) = (number(&head[16..]), number(&head[20..]));
        if found != count {
            return damaged(format!("has {found} names of {what}, but needs {count}"));
        }
        let mut names = Vec::new();
        if count > 0 {
            let places = self.items(base + u64::from(places), count, 4)?;
            for (place, id) in places.map(number).zip(0..) {
                names.push(self.name(what, base, place, id)?);
            }
        }
        Names::new(what, names).map_err(|problem| match problem {
            Error::Config { found, .. } => Error::Model {
                part: what,
                problem: format!("have {found}"),
            },
            other => other,
        })
    }

    fn name(self, what: &'static str, base: u64, place: u32, id: u32) -> Result<&'a str> {
        let start = base + u64::from(place);
        let record = self.part(start, 8)?;
        let key = self.part(start + 8, to_index(number(&record[4..]).into()))?;
        let wrong = |problem: &str| damaged(format!("{problem} number {id} of {what}"));
        let Some((0, name)) = key.split_last() else {
            return wrong("has no end of name");
        };
        if number(record) != id || name.contains(&0) {
            return wrong("does not have where it should the name");
        }
        if !self.is_listed(base, hash(key), place)? {
            return wrong("does not find by its hash the name");
        }
        std::str::from_utf8(name).map_or_else(|_| wrong("is not UTF-8 in the name"), Ok)
    }

    /// Whether a record is in the table of its hash, before a free bucket.
    fn is_listed(self, base: u64, hash: u32, place: u32) -> Result<bool> {
        let reference = base + to_u64(NAMES_HEADER_BYTES) + to_u64(TABLE_BYTES * table_of(hash));
        let reference = self.part(reference, TABLE_BYTES)?;
        let (table, buckets) = (number(reference), number(&reference[4..]));
        if buckets == 0 {
            return Ok(false);
        }
        let first = bucket_of(hash, buckets);
        for step in 0..buckets {
            let bucket = (u64::from(first) + u64::from(step)) % u64::from(buckets);
            let at = base + u64::from(table) + bucket * to_u64(BUCKET_BYTES);
            let bucket = self.part(at, BUCKET_BYTES)?;
            let (own, found) = (number(bucket), number(&bucket[4..]));
            if found == 0 {
                return Ok(false);
            }
            if (own, found) == (hash, place) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Compares the lists of pairs by their first with the pairs; returns how many they have.
    fn lists(
        self,
        tag: [u8; 4],
        start: u32,
        firsts: usize,
        sort: u32,
        pairs: &[Pair],
    ) -> Result<usize> {
        let (start, count) = self.chunk(tag, start)?;
        let wrong = |problem: String| damaged(format!("{problem} in {}", tag.escape_ascii()));
        if to_index(count.into()) < firsts {
            return wrong(format!("has {count} lists, but needs {firsts},"));
        }
        let mut seen = 0;
        let mut is_seen = vec![false; pairs.len()];
        for (place, first) in self.items(start, count, 4)?.map(number).zip(0..) {
            if place == 0 || to_index(u64::from(first)) >= firsts {
                continue;
            }
            let length = number(self.part(place.into(), 4)?);
            // A list longer than all pairs together is refused before it is walked through.
            if to_u64(pairs.len()).cmp(&length.into()) == Ordering::Less {
                return wrong(format!("has a list of {length} pairs"));
            }
            for id in self.items(u64::from(place) + 4, length, 4)?.map(number) {
                let at = to_index(id.into());
                let is_own = pairs
                    .get(at)
                    .is_some_and(|pair| pair.sort == sort && pair.first == first);
                if !is_own || is_seen[at] {
                    return wrong(format!("has the pair {id} in a list that is not its own"));
                }
                is_seen[at] = true;
                seen += 1;
            }
        }
        Ok(seen)
    }
}

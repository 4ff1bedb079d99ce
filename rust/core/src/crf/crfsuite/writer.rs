//! A model as `CRFsuite` stores it.

use super::hash::hash;
use super::{
    ATTRIBUTE_LISTS_TAG, BYTE_ORDER, CHUNK_BYTES, HEADER_BYTES, KIND, LABEL_LISTS_TAG, MAGIC,
    NAMES_HEADER_BYTES, NAMES_TAG, PAIRS_TAG, STATE, TABLE_BYTES, TABLES, TRANSITION, VERSION,
};
use crate::crf::Model;
use crate::error::{Error, Result};
use crate::numeric::to_u64;
use std::ops::Range;

/// The bytes of a model file, the same as `CRFsuite` would write for these weights.
///
/// As there, pairs with the weight 0 and attributes without other weights are left out: they change no score. All labels stay.
///
/// # Errors
/// [`Error::Config`] for weights of triples, which have no place in the format, and for a name with a zero byte, which ends names in the file; [`Error::TooLarge`] beyond 4 GiB: places are 32 bits.
///
/// # Complexity
/// Time and memory are linear in the file: 20 bytes a weight, about 40 bytes and the name for an attribute.
pub fn write(model: &Model) -> Result<Vec<u8>> {
    if !model.features().triples().is_empty() {
        return Err(Error::config(
            "the model",
            "one without templates B with cells: CRFsuite has no weights of an attribute and two labels",
            format!("{} such weights", model.features().triples().len()),
        ));
    }
    let kept = Kept::of(model);
    let mut out = Out(vec![0; HEADER_BYTES]);
    let pairs_at = out.place()?;
    out.pairs(&kept)?;
    let labels_at = out.place()?;
    out.names("the name of a label", model.labels().iter())?;
    let attributes_at = out.place()?;
    let names = kept
        .attributes
        .iter()
        .map(|&(attribute, _)| model.attributes().name(attribute));
    out.names("the name of an attribute", names)?;
    // CRFsuite has lists for its labels of ends too, which have no pairs.
    let ends = 2;
    let label_lists_at = out.lists(LABEL_LISTS_TAG, kept.labels.iter().cloned(), ends)?;
    let runs = kept.attributes.iter().map(|(_, run)| run.clone());
    let attribute_lists_at = out.lists(ATTRIBUTE_LISTS_TAG, runs, 0)?;

    let size = out.place()?;
    let numbers = [
        VERSION,
        // CRFsuite leaves the number of pairs 0 here; it is in their own part.
        0,
        number(model.labels().len())?,
        number(kept.attributes.len())?,
        pairs_at,
        labels_at,
        attributes_at,
        label_lists_at,
        attribute_lists_at,
    ];
    out.0[..4].copy_from_slice(&MAGIC);
    out.set(4, size);
    out.0[8..12].copy_from_slice(&KIND);
    for (number, at) in numbers.into_iter().zip((12..).step_by(4)) {
        out.set(at, number);
    }
    Ok(out.0)
}

fn number(value: usize) -> Result<u32> {
    u32::try_from(value).map_err(|_| Error::TooLarge {
        what: "a place in a model of CRFsuite",
        limit: u64::from(u32::MAX),
    })
}

struct Pair {
    sort: u32,
    first: u32,
    second: u32,
    weight: f64,
}

/// What has a weight other than 0.
struct Kept {
    pairs: Vec<Pair>,
    /// Attributes with their old numbers, and which pairs are theirs.
    attributes: Vec<(usize, Range<usize>)>,
    labels: Vec<Range<usize>>,
}

impl Kept {
    fn of(model: &Model) -> Self {
        let (features, weights) = (model.features(), model.weights());
        let (states, transitions) = weights.split_at(features.state_count());
        let mut kept = Self {
            pairs: Vec::new(),
            attributes: Vec::new(),
            labels: Vec::new(),
        };
        for (attribute, run) in features.state_starts().windows(2).enumerate() {
            let run = run[0]..run[1];
            let first = kept.attributes.len();
            let found = kept.run(
                STATE,
                first,
                &features.state_labels()[run.clone()],
                &states[run],
            );
            if !found.is_empty() {
                kept.attributes.push((attribute, found));
            }
        }
        for (label, run) in features.transition_starts().windows(2).enumerate() {
            let run = run[0]..run[1];
            let found = kept.run(
                TRANSITION,
                label,
                &features.next_labels()[run.clone()],
                &transitions[run],
            );
            kept.labels.push(found);
        }
        kept
    }

    fn run(&mut self, sort: u32, first: usize, seconds: &[u32], weights: &[f64]) -> Range<usize> {
        let start = self.pairs.len();
        let pairs = seconds.iter().zip(weights);
        self.pairs.extend(
            pairs
                .filter(|&(_, &weight)| weight != 0.0)
                .map(|(&second, &weight)| Pair {
                    sort,
                    // Ids are 32 bits.
                    first: u32::try_from(first).unwrap_or(u32::MAX),
                    second,
                    weight,
                }),
        );
        start..self.pairs.len()
    }
}

struct Out(Vec<u8>);

impl Out {
    fn place(&self) -> Result<u32> {
        number(self.0.len())
    }

    fn push(&mut self, number: u32) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn set(&mut self, at: usize, number: u32) {
        self.0[at..at + 4].copy_from_slice(&number.to_le_bytes());
    }

    fn reserve(&mut self, more: usize) -> Result<()> {
        self.0.try_reserve(more).map_err(|_| Error::Memory {
            what: "a model of CRFsuite",
            bytes: to_u64(self.0.len().saturating_add(more)),
        })
    }

    fn pairs(&mut self, kept: &Kept) -> Result<()> {
        let size = CHUNK_BYTES + super::PAIR_BYTES * kept.pairs.len();
        self.reserve(size)?;
        self.0.extend_from_slice(&PAIRS_TAG);
        self.push(number(size)?);
        self.push(number(kept.pairs.len())?);
        for pair in &kept.pairs {
            self.push(pair.sort);
            self.push(pair.first);
            self.push(pair.second);
            self.0.extend_from_slice(&pair.weight.to_le_bytes());
        }
        Ok(())
    }

    /// Names by number and by hash. Places are counted from the start of this part.
    fn names<'n>(
        &mut self,
        what: &'static str,
        names: impl Iterator<Item = &'n str>,
    ) -> Result<()> {
        let begin = self.0.len();
        let place = |out: &Self| number(out.0.len() - begin);
        self.0
            .resize(begin + NAMES_HEADER_BYTES + TABLES * TABLE_BYTES, 0);
        let mut tables = vec![Vec::new(); TABLES];
        let mut places = Vec::new();
        for (id, name) in names.enumerate() {
            if name.contains('\0') {
                return Err(Error::config(
                    what,
                    "without a zero byte, which ends names in CRFsuite's models",
                    format!("{name:?}"),
                ));
            }
            let at = place(self)?;
            let mut key = name.as_bytes().to_vec();
            key.push(0);
            let hash = hash(&key);
            tables[table_of(hash)].push((hash, at));
            places.push(at);
            self.reserve(8 + key.len())?;
            self.push(number(id)?);
            self.push(number(key.len())?);
            self.0.extend_from_slice(&key);
        }
        for (table, found) in tables.iter().enumerate() {
            let at = if found.is_empty() { 0 } else { place(self)? };
            let reference = begin + NAMES_HEADER_BYTES + table * TABLE_BYTES;
            self.set(reference, at);
            self.set(reference + 4, number(2 * found.len())?);
            for (hash, place) in spread(found) {
                self.push(hash);
                self.push(place);
            }
        }
        let places_at = if places.is_empty() { 0 } else { place(self)? };
        for &place in &places {
            self.push(place);
        }
        let size = place(self)?;
        self.0[begin..begin + 4].copy_from_slice(&NAMES_TAG);
        let head = [size, 0, BYTE_ORDER, number(places.len())?, places_at];
        for (number, at) in head.into_iter().zip((begin + 4..).step_by(4)) {
            self.set(at, number);
        }
        Ok(())
    }

    /// Lists of pairs that follow each other, and so many empty ones more; returns where they are.
    fn lists(
        &mut self,
        tag: [u8; 4],
        runs: impl ExactSizeIterator<Item = Range<usize>>,
        more: usize,
    ) -> Result<u32> {
        self.0.resize(self.0.len().next_multiple_of(4), 0);
        let begin = self.0.len();
        let count = runs.len() + more;
        self.0.resize(begin + CHUNK_BYTES + 4 * count, 0);
        for (list, run) in runs.enumerate() {
            let at = self.place()?;
            self.set(begin + CHUNK_BYTES + 4 * list, at);
            self.reserve(4 + 4 * run.len())?;
            self.push(number(run.len())?);
            for pair in run {
                self.push(number(pair)?);
            }
        }
        let size = number(self.0.len() - begin)?;
        self.0[begin..begin + 4].copy_from_slice(&tag);
        self.set(begin + 4, size);
        self.set(begin + 8, number(count)?);
        number(begin)
    }
}

/// Which of the tables a hash belongs to.
pub(super) fn table_of(hash: u32) -> usize {
    usize::from(hash.to_le_bytes()[0])
}

/// Where in a table of so many buckets the search for a hash begins.
pub(super) fn bucket_of(hash: u32, buckets: u32) -> u32 {
    (hash >> 8) % buckets
}

/// Twice as many buckets as entries; an entry whose bucket is taken goes to the next free one.
fn spread(found: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut buckets = vec![(0, 0); 2 * found.len()];
    // As many as 32-bit places.
    let count = u32::try_from(buckets.len()).unwrap_or(u32::MAX);
    for &(hash, place) in found {
        let mut at = crate::numeric::to_index(bucket_of(hash, count).into());
        while buckets[at].1 != 0 {
            at = (at + 1) % buckets.len();
        }
        buckets[at] = (hash, place);
    }
    buckets
}

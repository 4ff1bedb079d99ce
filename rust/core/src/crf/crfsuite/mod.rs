//! `CRFsuite`'s binary models, which python-crfsuite, chaine and crfs read and write too.
//!
//! All numbers are little-endian. A header of 48 bytes names the places of five parts:
//!
//! - `FEAT`: pairs with a weight, 20 bytes each: sort (0: attribute and label, 1: label and label), the first, the second, the weight (64 bits);
//! - two constant databases `CQDB`, of labels and of attributes: records of a number and a name, 256 hash tables from names to records, and the places of
//!   the records by number;
//! - `LFRF` and `AFRF`: the numbers of the pairs that begin with each label, and with each attribute.
//!
//! Hash tables and lists of pairs say again what the rest says. The reader compares them: a name that was changed does not have the place of its hash.
//! What is there only once, weights and second labels, can be changed without being noticed: the format has no checksum.
//!
//! Source: the code of `CRFsuite` 0.12, and models of it taken apart; the hash is Jenkins' lookup3 (2006, public domain).

mod hash;
mod reader;
mod writer;

pub use reader::read;
pub use writer::write;

/// The first bytes of a model.
pub const MAGIC: [u8; 4] = *b"lCRF";
/// A chain with features of the first order.
const KIND: [u8; 4] = *b"FOMC";
const VERSION: u32 = 100;
const HEADER_BYTES: usize = 48;
/// Tag, size, number.
const CHUNK_BYTES: usize = 12;
const PAIR_BYTES: usize = 20;
const STATE: u32 = 0;
const TRANSITION: u32 = 1;
const NAMES_TAG: [u8; 4] = *b"CQDB";
const PAIRS_TAG: [u8; 4] = *b"FEAT";
const LABEL_LISTS_TAG: [u8; 4] = *b"LFRF";
const ATTRIBUTE_LISTS_TAG: [u8; 4] = *b"AFRF";
/// Tag, size, flags, order of bytes, number of names, place of their places.
const NAMES_HEADER_BYTES: usize = 24;
const TABLES: usize = 256;
/// Place and number of buckets.
const TABLE_BYTES: usize = 8;
/// Hash and place.
const BUCKET_BYTES: usize = 8;
/// Read as a number it tells the order of bytes.
const BYTE_ORDER: u32 = 0x6244_5371;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crf::{Model, Names};
    use proptest::prelude::*;

    fn model(
        attributes: &[&str],
        labels: &[&str],
        states: Vec<(u32, u32, f64)>,
        transitions: Vec<(u32, u32, f64)>,
    ) -> Model {
        let names = |names: &[&str]| Names::new("names", names.iter().copied()).expect("different");
        Model::from_pairs(names(attributes), names(labels), states, transitions).expect("sound")
    }

    fn small() -> Model {
        model(
            &["a", "b:c", "ü"],
            &["X", "YY", "unused"],
            vec![(0, 1, -1.25), (1, 0, 0.5), (1, 1, 0.25), (2, 0, 3.0)],
            vec![(0, 1, 2.0), (1, 1, -0.125)],
        )
    }

    /// All that a model computes with, by name.
    fn content(model: &Model) -> Vec<(String, String, f64)> {
        let features = model.features();
        let mut found: Vec<_> = model
            .labels()
            .iter()
            .map(|name| (String::new(), name.to_owned(), 0.0))
            .collect();
        for attribute in 0..features.attributes() {
            for label in 0..features.labels() {
                let id = u32::try_from(label).expect("few");
                if let Some(at) = features.state(attribute, id) {
                    found.push((
                        format!("state {}", model.attributes().name(attribute)),
                        model.labels().name(label).to_owned(),
                        model.weights()[at],
                    ));
                }
            }
        }
        for (from, to, at) in features.label_pairs() {
            let from = format!("transition {}", model.labels().name(from));
            found.push((
                from,
                model.labels().name(to).to_owned(),
                model.weights()[at],
            ));
        }
        found
    }

    #[test]
    fn what_is_written_is_read() {
        let bytes = write(&small()).expect("names without zero bytes");
        let again = read(&bytes).expect("our own");
        assert_eq!(content(&again), content(&small()));
        assert_eq!(write(&again).expect("sound"), bytes);
    }

    #[test]
    fn attributes_without_weights_are_left_out() {
        let made = model(&["a", "b"], &["X"], vec![(0, 0, 0.0), (1, 0, 1.0)], vec![]);
        let again = read(&write(&made).expect("sound")).expect("our own");
        assert_eq!(again.attributes().iter().collect::<Vec<_>>(), ["b"]);
        assert_eq!(again.labels().len(), 1);
    }

    #[test]
    fn a_name_with_a_zero_byte_cannot_be_written() {
        let error = write(&model(&["a\0b"], &["X"], vec![(0, 0, 1.0)], vec![])).expect_err("zero");
        assert!(error.to_string().contains("zero byte"), "{error}");
    }

    #[test]
    fn every_length_but_the_whole_is_an_error() {
        let bytes = write(&small()).expect("sound");
        for length in 0..bytes.len() {
            read(&bytes[..length]).expect_err("cut short");
        }
        read(&[bytes, vec![0]].concat()).expect_err("too long");
    }

    /// Where a change cannot be noticed: weights, and second labels.
    fn is_unguarded(bytes: &[u8], at: usize) -> bool {
        let start = HEADER_BYTES + CHUNK_BYTES;
        let count = bytes[HEADER_BYTES + 8];
        let end = start + PAIR_BYTES * usize::from(count);
        (start..end).contains(&at) && (at - start) % PAIR_BYTES >= 8
    }

    #[test]
    fn a_changed_byte_is_an_error_or_changes_nothing() {
        let bytes = write(&small()).expect("sound");
        let expected = content(&small());
        for at in 0..bytes.len() {
            for change in [0x01, 0x20, 0x80, 0xFF] {
                let mut changed = bytes.clone();
                changed[at] ^= change;
                if let Ok(found) = read(&changed)
                    && !is_unguarded(&bytes, at)
                {
                    assert_eq!(content(&found), expected, "byte {at} ^ {change:#x}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn any_model_comes_back(
            attributes in prop::collection::btree_set("[^\0]{0,20}", 0..40),
            labels in prop::collection::btree_set("[^\0]{0,9}", 1..9),
            weights in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), -9.0..9.0_f64), 0..60),
        ) {
            let list = |names: &std::collections::BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>();
            let (attributes, labels) = (list(&attributes), list(&labels));
            let id = |index: prop::sample::Index, count: usize| u32::try_from(index.index(count)).expect("few");
            let distinct = |firsts: usize| {
                let mut pairs: Vec<_> = weights.iter().filter(|_| firsts > 0)
                    .map(|&(first, second, weight)| (id(first, firsts), id(second, labels.len()), weight)).collect();
                pairs.sort_by_key(|&(first, second, _)| (first, second));
                pairs.dedup_by_key(|&mut (first, second, _)| (first, second));
                pairs
            };
            let refs = |names: &[String]| Names::new("names", names.iter().map(String::as_str)).expect("different");
            let made = Model::from_pairs(refs(&attributes), refs(&labels), distinct(attributes.len()), distinct(labels.len())).expect("sound");
            let bytes = write(&made).expect("sound");
            let again = read(&bytes).expect("our own");
            prop_assert_eq!(content(&again), content(&made).into_iter().filter(|(kind, _, weight)| kind.is_empty() || *weight != 0.0).collect::<Vec<_>>());
        }

        #[test]
        fn any_bytes_behind_the_magic_are_an_error(rest in prop::collection::vec(any::<u8>(), 0..300)) {
            prop_assert!(read(&[&MAGIC[..], &rest].concat()).is_err());
        }
    }
}

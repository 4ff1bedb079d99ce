//! What is kept of a phrase pair, on the disk if need be, until the count of its target is known.

use crate::numeric::{to_index, to_u64};
use crate::phrase::discount::PartnerCounts;
use crate::phrase::sort::Count;

/// A packed record, the fingerprint of its target, and its count.
pub(super) type Packed = (Vec<u8>, [u8; 16], Count);

/// A phrase pair with all that is written of it but the relative frequencies; texts are as they are written.
#[derive(Debug)]
pub(super) struct Record<'a> {
    pub(super) first: &'a [u8],
    pub(super) second: &'a [u8],
    pub(super) links: &'a [u8],
    /// Scores of the second phrase given the first, of the first given the second, and sparse features.
    pub(super) direct: &'a [u8],
    pub(super) inverse: &'a [u8],
    pub(super) sparse: &'a [u8],
    /// The count of the first phrase, and its partners.
    pub(super) total: Count,
    pub(super) partners: PartnerCounts,
}

/// Number of texts.
const TEXTS: usize = 6;

/// Bytes of the numbers of a record.
const NUMBERS: usize = 16 + 24 + 4 * TEXTS;

impl<'a> Record<'a> {
    const fn texts(&self) -> [&'a [u8]; TEXTS] {
        [
            self.first,
            self.second,
            self.links,
            self.direct,
            self.inverse,
            self.sparse,
        ]
    }

    pub(super) fn pack(&self) -> Vec<u8> {
        let texts = self.texts();
        let size: usize = texts.iter().map(|text| text.len()).sum();
        let mut out = Vec::with_capacity(NUMBERS + size);
        out.extend_from_slice(&self.total.to_bytes());
        out.extend_from_slice(&self.partners.to_bytes());
        for text in texts {
            // Phrases are parts of keys, which are shorter than 2^24, and the others follow from few words.
            let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
            out.extend_from_slice(&length.to_le_bytes());
        }
        for text in texts {
            out.extend_from_slice(text);
        }
        out
    }

    pub(super) fn unpack(bytes: &'a [u8]) -> Self {
        let (numbers, mut rest) = bytes.split_at(NUMBERS);
        let [first, second, links, direct, inverse, sparse] = std::array::from_fn(|n| {
            let at = 40 + 4 * n;
            let length = u32::from_le_bytes(numbers[at..at + 4].try_into().unwrap_or_default());
            let (text, more) = rest.split_at(to_index(length.into()));
            rest = more;
            text
        });
        Self {
            first,
            second,
            links,
            direct,
            inverse,
            sparse,
            total: Count::from_bytes(numbers[..16].try_into().unwrap_or_default()),
            partners: PartnerCounts::from_bytes(&numbers[16..40]),
        }
    }
}

/// 128 bits that tell phrases apart: among a billion of them, two share one with a probability below 10^-20.
pub(super) fn fingerprint(phrase: &[u8]) -> [u8; 16] {
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

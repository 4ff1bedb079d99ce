//! Expected counts as whole numbers in units of a power of two, whose sums do not depend on their order.

use super::dataset::Sequences;
use crate::error::{Error, Result};
use crate::numeric::{id_index, to_f64};

/// Units of expected counts are at least 2^-FINEST.
const FINEST: i32 = 44;

/// The largest value, and the largest sum of values of an attribute, without signs: units are then at most 2^-20.
const LARGEST_VALUE: f64 = 1e9;
const LARGEST_SUM: f64 = 1e12;

/// Units in 1: a power of 2, so that no sum leaves 2^61 and no term 2^50.
pub(super) fn unit_scale(data: &Sequences, attributes: usize) -> Result<f64> {
    let mut sums = vec![0.0_f64; attributes];
    let mut largest_value = 1.0_f64;
    let mut positions = 0.0;
    for (number, sequence) in data.iter().enumerate() {
        let weight = data.weight(number);
        largest_value = largest_value.max(weight);
        positions += weight * to_f64(sequence.len() as u64);
        for position in sequence.positions() {
            data.features(position, |id, value| {
                let size = value.abs() * weight;
                sums[id_index(id)] += size;
                largest_value = largest_value.max(size);
            });
        }
    }
    let largest_sum = sums.into_iter().fold(positions, f64::max);
    let refuse = |expected: String, found: f64| {
        let expected = format!("{expected}, without signs; divide them by a constant");
        let name = match data.weights() {
            None => "the values of an attribute",
            Some(_) => "the values of an attribute times the weights of sequences",
        };
        Err(Error::config(name, &expected, found))
    };
    if largest_value > LARGEST_VALUE {
        return refuse(format!("at most {LARGEST_VALUE:e}"), largest_value);
    }
    if largest_sum > LARGEST_SUM {
        return refuse(format!("at most {LARGEST_SUM:e} in sum"), largest_sum);
    }
    let mut scale = libm::ldexp(1.0, FINEST);
    while largest_sum * scale > libm::ldexp(1.0, 61) || largest_value * scale > libm::ldexp(1.0, 50)
    {
        scale *= 0.5;
    }
    Ok(scale)
}

/// The nearest whole number.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "sums were checked to stay below 2^62 in size"
)]
pub(super) fn large_whole(number: f64) -> i64 {
    number.round_ties_even() as i64
}

#[inline]
#[expect(
    clippy::cast_precision_loss,
    reason = "the nearest double is asked for"
)]
pub(super) fn real(sum: i64) -> f64 {
    sum as f64
}

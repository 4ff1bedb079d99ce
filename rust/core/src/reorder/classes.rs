//! Numbers for the classes of examples, whatever they are.

use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::{to_index, to_u64};
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// So many classes are found faster by looking at all of them than in a table.
const FEW: usize = 8;

/// Whole numbers as classes are looked up in a table when they are so close together.
const WIDE: usize = 256;

/// Examples between two looks at whether to stop.
const BLOCK: usize = 1 << 16;

/// The classes that examples have, in their order, and the number of each example's class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numbered {
    /// The first example of each class; classes rise.
    pub firsts: Vec<u64>,
    /// The place of each example's class among them.
    pub labels: Vec<u32>,
}

/// Numbers the classes of `count` examples; `class(i)` is that of example `i`.
///
/// # Errors
/// [`Error::TooLarge`]: 2^32 classes or more; [`Error::Cancelled`].
///
/// # Complexity
/// Linear in examples, and a sort of the classes.
pub fn number<C: Copy + Ord + Hash>(
    count: usize,
    class: impl Fn(usize) -> C,
    cancel: &CancelToken,
) -> Result<Numbered> {
    let mut found: Vec<(C, usize)> = Vec::new();
    let mut places: FxHashMap<C, u32> = FxHashMap::default();
    let mut labels = Vec::with_capacity(count);
    for i in 0..count {
        if i % BLOCK == 0 {
            cancel.check()?;
        }
        let own = class(i);
        let known = if found.len() <= FEW {
            let mut classes = (0_u32..).zip(&found);
            classes.find_map(|(n, &(other, _))| (other == own).then_some(n))
        } else {
            places.get(&own).copied()
        };
        labels.push(match known {
            Some(label) => label,
            None => add(&mut found, &mut places, own, i)?,
        });
    }
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_unstable_by_key(|&n| found[n].0);
    let mut moved = vec![0_u32; found.len()];
    for (place, &n) in (0_u32..).zip(&order) {
        moved[n] = place;
    }
    for label in &mut labels {
        *label = moved[*label as usize];
    }
    let firsts = order.iter().map(|&n| to_u64(found[n].1)).collect();
    Ok(Numbered { firsts, labels })
}

/// Numbers classes that are whole numbers, as [`number`] does; those that lie close together with a table instead of looking each up.
///
/// # Errors
/// As [`number`].
///
/// # Complexity
/// Linear in examples.
pub fn number_whole<C: Whole>(classes: &[C], cancel: &CancelToken) -> Result<Numbered> {
    let (mut least, mut most) = (i64::MAX, i64::MIN);
    for &class in classes {
        (least, most) = (least.min(class.into()), most.max(class.into()));
    }
    let width = usize::try_from(i128::from(most) - i128::from(least) + 1);
    if !width.is_ok_and(|width| width <= WIDE) {
        return number(classes.len(), |i| classes[i], cancel);
    }
    // The number of each class, in a table that none lies outside of.
    let place = |class: C| to_index(class.into().wrapping_sub(least).cast_unsigned()) % WIDE;
    // Backwards, so that the first example of a class is what stays.
    let mut first_of = [usize::MAX; WIDE];
    for (n, block) in classes.chunks(BLOCK).enumerate().rev() {
        cancel.check()?;
        for (i, &class) in block.iter().enumerate().rev() {
            first_of[place(class)] = n * BLOCK + i;
        }
    }
    let mut firsts = Vec::new();
    let mut numbers = [0_u32; WIDE];
    let mut next = 0;
    for (number, &first) in numbers.iter_mut().zip(&first_of) {
        if first < classes.len() {
            *number = next;
            next += 1;
            firsts.push(to_u64(first));
        }
    }
    let mut labels = Vec::with_capacity(classes.len());
    for block in classes.chunks(BLOCK) {
        cancel.check()?;
        labels.extend(block.iter().map(|&class| numbers[place(class)]));
    }
    Ok(Numbered { firsts, labels })
}

/// A whole number of up to 64 bits.
pub trait Whole: Copy + Ord + Hash + Into<i64> {}

impl<T: Copy + Ord + Hash + Into<i64>> Whole for T {}

fn add<C: Copy + Eq + Hash>(
    found: &mut Vec<(C, usize)>,
    places: &mut FxHashMap<C, u32>,
    class: C,
    example: usize,
) -> Result<u32> {
    let label = u32::try_from(found.len()).map_err(|_| Error::TooLarge {
        what: "the number of classes",
        limit: u64::from(u32::MAX),
    })?;
    found.push((class, example));
    places.insert(class, label);
    Ok(label)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn classes_are_numbered_in_their_order(classes in prop::collection::vec(-20_i64..20, 0..60), step in prop::sample::select(vec![1_i64, 7, 1 << 40])) {
            let classes: Vec<i64> = classes.iter().map(|class| class * step).collect();
            let got = number(classes.len(), |i| classes[i], &CancelToken::new()).expect("few");
            prop_assert_eq!(&got, &number_whole(&classes, &CancelToken::new()).expect("few"));
            let mut expected = classes.clone();
            expected.sort_unstable();
            expected.dedup();
            let firsts: Vec<u64> = expected
                .iter()
                .map(|class| to_u64(classes.iter().position(|other| other == class).expect("is there")))
                .collect();
            prop_assert_eq!(got.firsts, firsts);
            for (class, &label) in classes.iter().zip(&got.labels) {
                prop_assert_eq!(*class, expected[label as usize]);
            }
        }
    }
}

use super::*;
use crate::reorder::Rows;
use crate::reorder::entries::{Places, Values};
use proptest::prelude::*;

fn counted(entries: Entries<'_>, labels: &[u32], classes: usize, values: bool) -> Result<Counts> {
    let mut counts = Counts::new(entries.columns, classes, values);
    counts.add_entries(entries, labels, &CancelToken::new())?;
    Ok(counts)
}

fn narrow(offsets: &[usize]) -> Vec<i32> {
    let small = |&end| i32::try_from(end).expect("few");
    offsets.iter().map(small).collect()
}

proptest! {
    /// Whatever the arrays are made of, and however many classes there are, counts are those of adding entry after entry.
    #[test]
    fn every_kind_of_array_is_counted_alike(
        rows in prop::collection::vec(prop::collection::vec((0_usize..6, 0_i64..4), 0..6), 1..20),
        classes in 2_usize..7,
        values in any::<bool>(),
    ) {
        let mut expected = Counts::new(6, classes, values);
        let (mut offsets, mut features, mut whole, mut labels) = (vec![0], vec![], vec![], vec![]);
        for (i, row) in rows.iter().enumerate() {
            let mut row = row.clone();
            row.sort_unstable();
            let class = i * 7 % classes;
            labels.push(u32::try_from(class).expect("few"));
            expected.examples[class] += 1;
            for m in 0..6 {
                let sum: i64 = row.iter().filter(|entry| entry.0 == m).map(|entry| entry.1).sum();
                let sum = f64::from(i32::try_from(sum).expect("small"));
                expected.sums[m * classes + class] += sum;
                if values && sum.to_bits() == 1.0_f64.to_bits() {
                    expected.ones[m * classes + class] += 1;
                } else if values && sum > 0.0 {
                    let key = (u64::try_from(m).expect("few"), sum.to_bits());
                    expected.others.entry(key).or_insert_with(|| vec![0; classes])[class] += 1;
                }
            }
            features.extend(row.iter().map(|entry| entry.0));
            whole.extend(row.iter().map(|entry| entry.1));
            offsets.push(features.len());
        }
        let (ends, names) = (narrow(&offsets), narrow(&features));
        let long = |numbers: &[i32]| numbers.iter().map(|&n| i64::from(n)).collect::<Vec<_>>();
        let (far_ends, far_names) = (long(&ends), long(&names));
        let double: Vec<f64> = whole.iter().map(|&n| f64::from(i32::try_from(n).expect("small"))).collect();
        let single: Vec<f32> = whole.iter().map(|&n| f32::from(i16::try_from(n).expect("small"))).collect();
        for places in [Places::Int32(&ends, &names), Places::Int64(&far_ends, &far_names)] {
            for values_of in [Values::Double(&double), Values::Single(&single), Values::Whole(&whole)] {
                let entries = Entries { places, values: values_of, columns: 6 };
                prop_assert_eq!(&counted(entries, &labels, classes, values).expect("counts"), &expected);
            }
        }
    }
}

#[test]
fn rows_that_cannot_be_are_refused_where_they_are() {
    let problem = |offsets: &[i32], features: &[i32], values: &[f64], labels: &[u32], is_valued| {
        let entries = Entries {
            places: Places::Int32(offsets, features),
            values: Values::Double(values),
            columns: 3,
        };
        let mut found = Vec::new();
        for classes in [2, 5] {
            let refused = counted(entries, labels, classes, is_valued);
            found.push(refused.expect_err("the rows are wrong").to_string());
        }
        assert_eq!(found[0], found[1]);
        found.remove(0)
    };
    for valued in [false, true] {
        assert!(
            problem(&[0, 1, 2], &[0, 3], &[1.0; 2], &[0, 1], valued)
                .starts_with("example 2: a feature")
        );
        assert!(
            problem(&[0, 1, 2], &[-1, 0], &[1.0; 2], &[0, 1], valued)
                .starts_with("example 1: a feature")
        );
        assert!(problem(&[0, 1, 2], &[0, 0], &[1.0, -1.0], &[0, 1], valued).contains("Negative"));
        assert!(problem(&[0, 1], &[0], &[f64::NAN], &[0], valued).contains("finite; found NaN"));
        assert!(problem(&[0, 1], &[0], &[f64::INFINITY], &[0], valued).contains("finite"));
        assert!(
            problem(&[0, 2, 1, 2], &[0, 1], &[1.0; 2], &[0; 3], valued)
                .contains("example 2: the offsets")
        );
        assert!(
            problem(&[0, -1, 2], &[0, 1], &[1.0; 2], &[0; 2], valued)
                .contains("example 1: the offsets")
        );
        assert!(problem(&[1, 2], &[0, 1], &[1.0; 2], &[0], valued).contains("rise from 0"));
        assert!(problem(&[0, 2], &[0, 1], &[1.0], &[0], valued).contains("needs a value"));
        assert!(problem(&[0, 1], &[0], &[1.0], &[0, 1], valued).contains("needs a class"));
        assert!(problem(&[0, 1], &[0], &[1.0], &[7], valued).contains("found 7"));
    }
    assert!(problem(&[0, 2], &[1, 0], &[1.0; 2], &[0], true).contains("rising order"));
}

#[test]
fn an_offset_far_behind_all_entries_is_refused_without_memory_for_it() {
    // More rows than a block has, with a wrong offset at each side of where the first one ends.
    const ROWS: i64 = 5_000;
    let labels: Vec<u32> = (0..2).cycle().take(5_000).collect();
    let features: Vec<i64> = vec![0; 5_000];
    for place in [1, 4_095, 4_096, 4_097, 4_999] {
        for wrong in [1 << 40, i64::MAX, i64::MIN, -1] {
            let mut offsets: Vec<i64> = (0..=ROWS).collect();
            offsets[place] = wrong;
            let entries = Entries {
                places: Places::Int64(&offsets, &features),
                values: Values::Ones,
                columns: 1,
            };
            let problem = counted(entries, &labels, 2, false).expect_err("no such entry");
            let example = format!("example {place}:");
            assert!(problem.to_string().contains(&example), "{problem}");
        }
    }
}

#[test]
fn a_sum_that_would_not_be_exact_is_refused() {
    let rows = Rows::new(&[0, 1], &[0], Some(&[2.0 * EXACT]), 1).expect("finite");
    let error = counted(rows.entries_of_all(), &[0], 2, false).expect_err("too large");
    assert!(matches!(error, Error::TooLarge { .. }));
}

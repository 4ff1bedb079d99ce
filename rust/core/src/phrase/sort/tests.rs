use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn all<S: Storage>(mut merged: Merged<S>) -> Vec<(Vec<u8>, Count)> {
    let mut found = Vec::new();
    while let Some((key, count)) = merged.next(&CancelToken::new()).unwrap() {
        found.push((key.to_vec(), count));
    }
    found
}

proptest! {
    #[test]
    fn keys_come_in_order_with_exact_sums(
        words in prop::collection::vec(("[ab|]{0,12}", 0u32..1000), 0..300), spill in 1usize..50, threads in 1usize..3,
    ) {
        let mut counter = Counter::new(InMemory::default(), 1 << 20, threads);
        let mut expected: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
        for (n, (word, weight)) in words.iter().enumerate() {
            counter.add(word.as_bytes(), Count::from_f64(f64::from(*weight)), &CancelToken::new()).unwrap();
            *expected.entry(word.as_bytes().to_vec()).or_default() += u64::from(*weight);
            if n % spill == 0 {
                counter.spill(&CancelToken::new()).unwrap();
            }
        }
        let got: Vec<(Vec<u8>, f64)> = all(counter.finish(&CancelToken::new()).unwrap())
            .into_iter()
            .map(|(key, count)| (key, count.to_f64()))
            .collect();
        let expected: Vec<(Vec<u8>, f64)> = expected
            .into_iter()
            .map(|(key, count)| (key, crate::numeric::to_f64(count)))
            .collect();
        prop_assert_eq!(got, expected);
    }
}

#[test]
fn more_runs_than_are_merged_at_a_time_give_the_same() {
    let mut counter = Counter::new(InMemory::default(), 1 << 20, 1);
    for n in 0..200_u32 {
        counter
            .add(
                &(n % 70).to_be_bytes(),
                Count::from_f64(0.1),
                &CancelToken::new(),
            )
            .unwrap();
        counter.spill(&CancelToken::new()).unwrap();
    }
    let got = all(counter.finish(&CancelToken::new()).unwrap());
    assert_eq!(got.len(), 70);
    let tenth = Count::from_f64(0.1);
    assert_eq!(got[0].1, tenth + tenth + tenth);
    assert_eq!(got[69].1, tenth + tenth);
}

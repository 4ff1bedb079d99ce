//! Hypotheses that a list has more than once.

use crate::numeric::{to_index, to_u64};
use rustc_hash::FxHashSet;

/// The rows of each list without those whose features are all equal to those of a row before; starts and numbers of rows.
///
/// The order is that of Moses' extractor, so that files come out byte for byte: the last row that is left takes the place of one that goes.
///
/// # Complexity
/// O(values).
///
/// # Panics
/// If there are fewer values than the starts say.
#[must_use]
pub fn distinct_rows(starts: &[u64], features: &[f64], width: usize) -> (Vec<u64>, Vec<u64>) {
    let (mut new_starts, mut kept) = (vec![0], Vec::new());
    for list in starts.windows(2) {
        let mut rows: Vec<u64> = (list[0]..list[1]).collect();
        let mut seen: FxHashSet<Vec<u64>> = FxHashSet::default();
        let mut place = 0;
        while place < rows.len() {
            let start = to_index(rows[place]) * width;
            let row = &features[start..start + width];
            // Adding 0 makes the two zeros one.
            let key: Vec<u64> = row.iter().map(|x| (x + 0.0).to_bits()).collect();
            if seen.insert(key) {
                place += 1;
            } else {
                rows.swap_remove(place);
            }
        }
        kept.append(&mut rows);
        new_starts.push(to_u64(kept.len()));
    }
    (new_starts, kept)
}

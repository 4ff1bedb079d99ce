//! Which sequences are computed together, each in its lane: such of like length.

use super::dataset::Sequences;
use std::ops::Range;

/// Sequences at once.
pub(super) const WIDTH: usize = 16;

/// Sequences that are sorted by length together: what stands near in the corpus stays near, because its attributes do.
const WINDOW: usize = 512;

/// Groups that one thread takes at a time.
const BLOCK: usize = 8;

/// The most factors of a table with all lanes: 64 MB.
const MOST: usize = 1 << 23;

/// Sequences by number, the longest first, at most [`WIDTH`].
pub(super) type Group = Vec<usize>;

/// Groups of sequences that are not empty, and blocks of groups. Depends on the data alone.
#[derive(Debug)]
pub(super) struct Groups {
    pub groups: Vec<Group>,
    pub blocks: Vec<Range<usize>>,
}

impl Groups {
    pub fn new(data: &Sequences, labels: usize) -> Self {
        let mut groups = Vec::new();
        let numbers: Vec<usize> = (0..data.len())
            .filter(|&number| !data.get(number).is_empty())
            .collect();
        for window in numbers.chunks(WINDOW) {
            let mut window = window.to_vec();
            window.sort_by_key(|&number| std::cmp::Reverse(data.get(number).len()));
            cut(data, labels, &window, &mut groups);
        }
        let blocks = (0..groups.len())
            .step_by(BLOCK)
            .map(|start| start..(start + BLOCK).min(groups.len()))
            .collect();
        Self { groups, blocks }
    }
}

/// Cuts sequences, the longest first, into groups that are computed together.
pub(super) fn cut(data: &Sequences, labels: usize, sequences: &[usize], groups: &mut Vec<Group>) {
    let mut rest = sequences;
    while let Some(&longest) = rest.first() {
        let length = data.get(longest).len();
        let many = &rest[..rest.len().min(WIDTH)];
        let filled: usize = many.iter().map(|&number| data.get(number).len()).sum();
        // Empty lanes cost as much as full ones; alone, a sequence takes about a quarter of what all lanes take.
        let is_worth = filled * 4 > length * WIDTH
            && length.saturating_mul(labels).saturating_mul(WIDTH) <= MOST;
        let (group, others) = rest.split_at(if is_worth { many.len() } else { 1 });
        groups.push(group.to_vec());
        rest = others;
    }
}

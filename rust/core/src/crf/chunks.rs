//! Chunks in labels such as B-NP, I-NP and O, and how many of them two labellings share (conlleval of Tjong Kim Sang and Buchholz 2000).

use super::builder::Names;
use super::dataset::Sequences;
use crate::numeric::{to_f64, to_index, to_u64};
use std::collections::HashMap;

/// What the label of a position says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    /// B, S and U begin a chunk, whatever stands before.
    begins: bool,
    /// E, S, L and U end it.
    ends: bool,
    is_inside: bool,
    /// The type of the chunk, numbered.
    kind: usize,
}

/// What each label says, by its number.
#[derive(Debug, Clone)]
pub struct ChunkLabels(Vec<Mark>);

impl ChunkLabels {
    /// What labels say; `None` when one is no label of a chunk: O, or one of B, I, E, S, L and U before a hyphen and a type.
    #[must_use]
    pub fn new(labels: &Names) -> Option<Self> {
        let mut kinds: HashMap<&str, usize> = HashMap::new();
        labels
            .iter()
            .map(|label| {
                let (tag, kind) = label.split_once('-').unwrap_or((label, ""));
                let is_inside =
                    matches!(tag, "B" | "I" | "E" | "S" | "L" | "U") && !kind.is_empty();
                if !is_inside && label != "O" {
                    return None;
                }
                let next = kinds.len();
                Some(Mark {
                    begins: matches!(tag, "B" | "S" | "U"),
                    ends: matches!(tag, "E" | "S" | "L" | "U"),
                    is_inside,
                    kind: *kinds.entry(kind).or_insert(next),
                })
            })
            .collect::<Option<Vec<Mark>>>()
            .map(Self)
    }

    /// The F1 of chunks in found labels: twice the shared chunks over the chunks of both; 0 without chunks.
    #[must_use]
    pub fn f1(&self, data: &Sequences, found: &[u32]) -> f64 {
        let (mut both, mut right) = (0, 0);
        let (mut gold_chunks, mut found_chunks) = (Vec::new(), Vec::new());
        for sequence in data.iter() {
            let own = &found[sequence.first()..sequence.first() + sequence.len()];
            self.chunks(sequence.labels(), &mut gold_chunks);
            self.chunks(own, &mut found_chunks);
            both += gold_chunks.len() + found_chunks.len();
            // Both lists rise, and a chunk stands in each at most once.
            let mut others = found_chunks.iter().peekable();
            for chunk in &gold_chunks {
                while others.next_if(|other| *other < chunk).is_some() {}
                right += usize::from(others.next_if(|other| *other == chunk).is_some());
            }
        }
        if both == 0 {
            0.0
        } else {
            2.0 * to_f64(to_u64(right)) / to_f64(to_u64(both))
        }
    }

    /// The chunks of a sequence in order: first position, position behind the last, type. A chunk begins also where the type changes and after what does not go on.
    fn chunks(&self, labels: &[u32], found: &mut Vec<(usize, usize, usize)>) {
        found.clear();
        // The chunk that may go on: where it began, and its type.
        let mut open: Option<(usize, usize)> = None;
        for (position, &label) in labels.iter().enumerate() {
            let mark = self.0.get(to_index(label.into()));
            let Some(mark) = mark.filter(|mark| mark.is_inside) else {
                found.extend(open.take().map(|(start, kind)| (start, position, kind)));
                continue;
            };
            let goes_on = open.is_some_and(|(_, kind)| kind == mark.kind && !mark.begins);
            if !goes_on {
                found.extend(open.map(|(start, kind)| (start, position, kind)));
                open = Some((position, mark.kind));
            }
            if mark.ends {
                let start = open.take().map_or(position, |(start, _)| start);
                found.push((start, position + 1, mark.kind));
            }
        }
        found.extend(open.map(|(start, kind)| (start, labels.len(), kind)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(labels: &[&str]) -> Names {
        Names::new("labels", labels.iter().copied()).expect("different names")
    }

    #[test]
    fn chunks_begin_and_end_as_in_conlleval() {
        let labels = ["O", "B-A", "I-A", "I-B", "E-A", "S-B"];
        let marks = ChunkLabels::new(&names(&labels)).expect("labels of chunks");
        let mut found = Vec::new();
        for (text, expected) in [
            (vec![0, 0], vec![]),
            (vec![1, 2, 0], vec![(0, 2, 1)]),
            (vec![2, 2, 3], vec![(0, 2, 1), (2, 3, 2)]),
            (vec![1, 1, 4, 2], vec![(0, 1, 1), (1, 3, 1), (3, 4, 1)]),
            (vec![5, 3, 0, 4], vec![(0, 1, 2), (1, 2, 2), (3, 4, 1)]),
        ] {
            marks.chunks(&text, &mut found);
            assert_eq!(found, expected, "{text:?}");
        }
    }

    #[test]
    fn other_labels_make_no_chunks() {
        assert!(ChunkLabels::new(&names(&["O", "NN"])).is_none());
        assert!(ChunkLabels::new(&names(&["B", "I", "O"])).is_none());
    }
}

//! Growing the intersection towards the union.
//!
//! Both scans are passes over a sorted list that changes while it is walked over. Walking over everything again in each pass would cost quadratic
//! time on long sentences, so the passes are kept as queues of the places that can still matter: a place that is noticed ahead of the walk
//! belongs to this pass, one behind it to the next.

use super::grid::Grid;
use super::{Candidate, Heuristic, Origin, Variant};
use crate::align::links::LinksBuilder;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Neighbours in the order of symal, as distances in the coordinates of the scan; the first four share a row or column.
const NEIGHBOURS: [(i32, i32); 8] = [
    (-1, 0),
    (0, -1),
    (1, 0),
    (0, 1),
    (-1, -1),
    (-1, 1),
    (1, -1),
    (1, 1),
];

/// Buffers that live longer than a sentence.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    grid: Grid,
    passes: Passes,
}

impl Workspace {
    /// Pushes the links of one sentence, chosen from its union by a heuristic that grows.
    pub fn grow(
        &mut self,
        union: impl Iterator<Item = Candidate>,
        heuristic: Heuristic,
        variant: Variant,
        builder: &mut LinksBuilder,
    ) {
        self.grid.fill(union, variant);
        let neighbours = if heuristic.has_diagonals() {
            &NEIGHBOURS[..]
        } else {
            &NEIGHBOURS[..4]
        };
        match variant {
            Variant::Symal => self.grow_from_links(neighbours),
            Variant::Atools => self.grow_from_candidates(neighbours),
        }
        match heuristic {
            Heuristic::GrowDiagFinal | Heuristic::GrowFinal => {
                self.finish(|(source, target)| !(source && target));
            }
            Heuristic::GrowDiagFinalAnd | Heuristic::GrowFinalAnd => {
                self.finish(|(source, target)| !source && !target);
            }
            _ => {}
        }
        for point in self.grid.points.iter().filter(|p| p.is_in) {
            builder.push(point.candidate.link, point.candidate.mean());
        }
    }

    /// symal: walk over the links that are in; add neighbours of the union that have an unaligned word.
    fn grow_from_links(&mut self, neighbours: &[(i32, i32)]) {
        let Self { grid, passes } = self;
        passes.start((0..grid.points.len()).filter(|&k| grid.points[k].is_in));
        while let Some(k) = passes.next() {
            for &distance in neighbours {
                let Some(other) = grid.neighbour(k, distance) else {
                    continue;
                };
                if grid.coverage(other) != (true, true) {
                    grid.add(other);
                    passes.notice(other, k);
                }
            }
        }
    }

    /// atools: walk over the links that are not in; add those with an unaligned word and a neighbour that is in.
    fn grow_from_candidates(&mut self, neighbours: &[(i32, i32)]) {
        let Self { grid, passes } = self;
        let mut first = Vec::new();
        for k in 0..grid.points.len() {
            if grid.points[k].is_in {
                queue_candidates(grid, k, neighbours, |other| first.push(other));
            }
        }
        passes.start(first.into_iter());
        while let Some(k) = passes.next() {
            if grid.coverage(k) != (true, true) {
                grid.add(k);
                queue_candidates(grid, k, neighbours, |other| passes.notice(other, k));
            }
        }
    }

    /// The final step: links of the forward, then of the reverse direction, as long as the coverage of their words allows.
    fn finish(&mut self, allows: impl Fn((bool, bool)) -> bool) {
        for direction in [Origin::Forward, Origin::Reverse] {
            for k in 0..self.grid.points.len() {
                let point = &self.grid.points[k];
                if point.candidate.origin == direction
                    && !point.is_in
                    && allows(self.grid.coverage(k))
                {
                    self.grid.add(k);
                }
            }
        }
    }
}

/// Calls back for each neighbour that is not in and was never called back for.
fn queue_candidates(
    grid: &mut Grid,
    k: usize,
    neighbours: &[(i32, i32)],
    mut queue: impl FnMut(usize),
) {
    for &distance in neighbours {
        if let Some(other) = grid.neighbour(k, distance) {
            let point = &mut grid.points[other];
            if !point.is_in && !point.is_queued {
                point.is_queued = true;
                queue(other);
            }
        }
    }
}

/// Passes over places in rising order, where places may be noticed on the way.
#[derive(Debug, Default)]
struct Passes {
    current: BinaryHeap<Reverse<usize>>,
    following: Vec<Reverse<usize>>,
}

impl Passes {
    fn start(&mut self, places: impl Iterator<Item = usize>) {
        self.following.clear();
        self.current.clear();
        self.current.extend(places.map(Reverse));
    }

    /// Puts a place that was noticed at `now` on the list of this pass or the next.
    fn notice(&mut self, place: usize, now: usize) {
        if place > now {
            self.current.push(Reverse(place));
        } else {
            self.following.push(Reverse(place));
        }
    }

    fn next(&mut self) -> Option<usize> {
        if self.current.is_empty() {
            self.current.extend(self.following.drain(..));
        }
        self.current.pop().map(|place| place.0)
    }
}

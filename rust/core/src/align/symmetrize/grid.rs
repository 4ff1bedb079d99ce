//! The union of both directions of one sentence as a sparse grid with neighbours.

use super::{Candidate, Origin, Variant};

/// A link of the union: its place, and what became of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Point {
    pub candidate: Candidate,
    pub is_in: bool,
    /// Whether the link was looked at, or is about to be; it is never looked at twice.
    pub is_queued: bool,
    source_rank: usize,
    target_rank: usize,
}

/// The union, sorted in the order of the scan, with the coverage of both sentences.
///
/// Positions are replaced by their ranks among the positions that occur, so that memory depends on the number of links alone.
#[derive(Debug, Default)]
pub(super) struct Grid {
    pub points: Vec<Point>,
    /// Start of each row (equal first coordinate) in `points`, and the number of points at the end.
    rows: Vec<usize>,
    source_covered: Vec<bool>,
    target_covered: Vec<bool>,
    scans_by_target: bool,
}

impl Grid {
    /// Replaces the grid by the union of another sentence; links that both directions have are in.
    pub fn fill(&mut self, union: impl Iterator<Item = Candidate>, variant: Variant) {
        self.scans_by_target = variant == Variant::Symal;
        self.points.clear();
        self.points.extend(union.map(|candidate| Point {
            candidate,
            is_in: false,
            is_queued: false,
            source_rank: 0,
            target_rank: 0,
        }));
        // The union comes sorted by source.
        let sources = rank(
            &mut self.points,
            |p| p.candidate.link.source,
            |p| &mut p.source_rank,
        );
        self.points.sort_unstable_by_key(|p| {
            let link = p.candidate.link;
            (link.target, link.source)
        });
        let targets = rank(
            &mut self.points,
            |p| p.candidate.link.target,
            |p| &mut p.target_rank,
        );
        if !self.scans_by_target {
            self.points.sort_unstable_by_key(|p| p.candidate.link);
        }
        self.source_covered.clear();
        self.source_covered.resize(sources, false);
        self.target_covered.clear();
        self.target_covered.resize(targets, false);
        self.rows.clear();
        for k in 0..self.points.len() {
            if k == 0 || self.place(k).0 != self.place(k - 1).0 {
                self.rows.push(k);
            }
            if self.points[k].candidate.origin == Origin::Both {
                self.add(k);
            }
        }
        self.rows.push(self.points.len());
    }

    /// Puts a link in and covers its words.
    pub fn add(&mut self, k: usize) {
        let point = &mut self.points[k];
        point.is_in = true;
        self.source_covered[point.source_rank] = true;
        self.target_covered[point.target_rank] = true;
    }

    /// Whether the source word, and whether the target word of a link is aligned by a link that is in.
    pub fn coverage(&self, k: usize) -> (bool, bool) {
        let point = &self.points[k];
        (
            self.source_covered[point.source_rank],
            self.target_covered[point.target_rank],
        )
    }

    /// The link of the union at a distance, given in the coordinates of the scan.
    pub fn neighbour(&self, k: usize, distance: (i32, i32)) -> Option<usize> {
        let (first, second) = self.place(k);
        let (first, second) = (
            first.checked_add_signed(distance.0)?,
            second.checked_add_signed(distance.1)?,
        );
        let own = self.row(k);
        let row = match distance.0 {
            0 => own,
            d if d < 0 => own.checked_sub(1)?,
            _ => own + 1,
        };
        let (start, end) = (*self.rows.get(row)?, *self.rows.get(row + 1)?);
        if self.place(start).0 != first {
            return None;
        }
        self.points[start..end]
            .binary_search_by_key(&second, |p| self.coordinates(p).1)
            .ok()
            .map(|at| start + at)
    }

    fn row(&self, k: usize) -> usize {
        let point = &self.points[k];
        if self.scans_by_target {
            point.target_rank
        } else {
            point.source_rank
        }
    }

    fn place(&self, k: usize) -> (u32, u32) {
        self.coordinates(&self.points[k])
    }

    fn coordinates(&self, point: &Point) -> (u32, u32) {
        let link = point.candidate.link;
        if self.scans_by_target {
            (link.target, link.source)
        } else {
            (link.source, link.target)
        }
    }
}

/// Numbers the distinct positions of points that are sorted by them; returns how many there are.
fn rank(
    points: &mut [Point],
    position: impl Fn(&Point) -> u32,
    slot: impl Fn(&mut Point) -> &mut usize,
) -> usize {
    let mut count = 0;
    let mut last = None;
    for point in points {
        let here = position(point);
        if last != Some(here) {
            count += 1;
            last = Some(here);
        }
        *slot(point) = count - 1;
    }
    count
}

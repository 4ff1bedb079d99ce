//! Which lines are on top somewhere.

use super::hull::{Line, comes_before, is_needed};

/// Buffers of [`upper_hull`], to be used again.
#[derive(Debug, Clone, Default)]
pub struct HullBuffers {
    points: Vec<Point>,
    right: Vec<Point>,
    jobs: Vec<Job>,
}

/// A line and its number.
#[derive(Debug, Clone, Copy)]
struct Point {
    line: Line,
    number: usize,
}

/// What is left to do, the leftmost on top.
#[derive(Debug, Clone, Copy)]
enum Job {
    /// Points of which one is clearly above their chord.
    Split { part: Part, chord: Chord },
    /// Points that are as good as on their chord.
    Sort { part: Part },
    /// A line that is on the envelope, up to rounding.
    Emit { number: usize },
}

/// Fewer lines than this are sorted at once.
const FEW: usize = 6;

/// The upper envelope of `count` lines, given by number: their numbers, by rising slope, into `kept`.
///
/// Of equal lines, the first is kept. Exact, as far as [`Hull`](super::Hull) is: quickhull (Eddy 1977) only leaves out what is below a chord by more than rounding can
/// explain, and what is left is decided exactly.
///
/// # Complexity
/// O(n) mostly, O(n h) for an envelope of h lines at worst.
#[inline]
pub fn upper_hull(
    count: usize,
    line: impl Fn(usize) -> Line,
    buffers: &mut HullBuffers,
    kept: &mut Vec<usize>,
) {
    let HullBuffers {
        points,
        right,
        jobs,
    } = buffers;
    kept.clear();
    jobs.clear();
    let numbered = |number| Point {
        line: line(number),
        number,
    };
    if count <= FEW {
        points.clear();
        points.extend((0..count).map(numbered));
        emit_sorted(points, kept, &line);
        return;
    }
    let (mut first, mut last) = (numbered(0), numbered(0));
    for point in (1..count).map(numbered) {
        if comes_before(&point.line, &first.line) {
            first = point;
        }
        let (slope, steepest) = (point.line.slope, last.line.slope);
        if slope > steepest || (slope >= steepest && point.line.intercept > last.line.intercept) {
            last = point;
        }
    }
    kept.push(first.number);
    if first.line.slope >= last.line.slope {
        return;
    }
    if points.len() < count {
        points.resize(count, first);
        right.resize(count, first);
    }
    // Which point goes where is not to be foreseen: each is written without a branch, and stays if the end moves on.
    let chord = Chord::new(first.line, last.line);
    let mut part = Part::new(0);
    for point in (0..count).map(numbered) {
        points[part.end] = point;
        part.take(&chord, point.line, true);
    }
    let number = last.number;
    jobs.extend([Job::Emit { number }, part.job(chord)]);
    while let Some(job) = jobs.pop() {
        match job {
            Job::Emit { number } => emit(kept, number, &line),
            Job::Sort { part } => emit_sorted(&mut points[part.start..part.end], kept, &line),
            Job::Split { part, chord } => {
                let peak = points[part.top];
                let [before, behind] = chord.split(peak.line);
                let (mut left_part, mut right_part) = (Part::new(part.start), Part::new(0));
                for n in part.start..part.end {
                    let point = points[n];
                    let is_left = point.line.slope < peak.line.slope;
                    // Never beyond what has been read.
                    points[left_part.end] = point;
                    right[right_part.end] = point;
                    left_part.take(&before, point.line, is_left);
                    right_part.take(&behind, point.line, !is_left && n != part.top);
                }
                // There is room: both together are fewer than before.
                let moved = right_part.end;
                right_part.shift(left_part.end);
                points[right_part.start..right_part.end].copy_from_slice(&right[..moved]);
                let number = peak.number;
                jobs.extend([
                    right_part.job(behind),
                    Job::Emit { number },
                    left_part.job(before),
                ]);
            }
        }
    }
}

/// Adds a line to an envelope whose slopes are no larger.
#[inline]
fn emit(kept: &mut Vec<usize>, number: usize, line: &impl Fn(usize) -> Line) {
    let new = line(number);
    if let Some(last) = kept.last_mut() {
        let end = line(*last);
        if end.slope >= new.slope {
            if end.intercept > new.intercept {
                return;
            }
            if end.intercept >= new.intercept {
                *last = number.min(*last);
                return;
            }
            kept.pop();
        }
    }
    while let [.., before, last] = kept[..] {
        if is_needed(line(before), line(last), new) {
            break;
        }
        kept.pop();
    }
    kept.push(number);
}

fn emit_sorted(points: &mut [Point], kept: &mut Vec<usize>, line: &impl Fn(usize) -> Line) {
    // Few mostly. Comparisons, as two zeros are equal.
    points.sort_by(|a, b| {
        if comes_before(&a.line, &b.line) {
            std::cmp::Ordering::Less
        } else if comes_before(&b.line, &a.line) {
            std::cmp::Ordering::Greater
        } else {
            std::cmp::Ordering::Equal
        }
    });
    for point in points {
        emit(kept, point.number, line);
    }
}

/// A run of points, and which of them is the highest above the chord.
#[derive(Debug, Clone, Copy)]
struct Part {
    start: usize,
    end: usize,
    top: usize,
    height: f64,
}

impl Part {
    fn new(start: usize) -> Self {
        Self {
            start,
            end: start,
            top: start,
            height: 0.0,
        }
    }

    /// Counts in the point at its end, if it is wanted and not clearly below the chord.
    #[inline]
    #[expect(
        clippy::needless_bitwise_bool,
        reason = "which claims hold is not to be foreseen: no branch is faster"
    )]
    fn take(&mut self, chord: &Chord, line: Line, is_wanted: bool) {
        let along = (line.slope - chord.first.slope) * chord.rise;
        let up = (line.intercept - chord.first.intercept) * chord.run;
        let height = up - along;
        // Shewchuk 1997, the first filter of the test of orientation: the error is below 3.4e-16 of the magnitudes.
        let doubt = 1e-15 * (along.abs() + up.abs());
        if is_wanted & (height > doubt) & (height > self.height) {
            (self.top, self.height) = (self.end, height);
        }
        self.end += usize::from(is_wanted & (height >= -doubt));
    }

    fn shift(&mut self, by: usize) {
        self.start += by;
        self.end += by;
        self.top += by;
    }

    fn job(self, chord: Chord) -> Job {
        if self.height > 0.0 {
            Job::Split { part: self, chord }
        } else {
            Job::Sort { part: self }
        }
    }
}

/// The segment from one point to another of larger slope.
#[derive(Debug, Clone, Copy)]
struct Chord {
    first: Line,
    last: Line,
    run: f64,
    rise: f64,
}

impl Chord {
    fn new(first: Line, last: Line) -> Self {
        Self {
            first,
            last,
            run: last.slope - first.slope,
            rise: last.intercept - first.intercept,
        }
    }

    fn split(&self, peak: Line) -> [Self; 2] {
        [Self::new(self.first, peak), Self::new(peak, self.last)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::semiring::Hull;
    use proptest::prelude::*;

    fn lines(count: usize) -> impl Strategy<Value = Vec<Line>> {
        let number = prop_oneof![
            (-4..=4_i32).prop_map(f64::from),
            -10.0..10.0_f64,
            // Collinear up to rounding.
            (0..9_i32).prop_map(|n| 0.1 * f64::from(n)),
        ];
        let line = (number.clone(), number);
        let line = line.prop_map(|(slope, intercept)| Line { slope, intercept });
        proptest::collection::vec(line, 0..count)
    }

    proptest! {
        /// Against all triples and pairs, in exact arithmetic.
        #[test]
        fn an_envelope_has_the_lines_that_are_on_top_somewhere(lines in lines(24)) {
            let found = Hull.value(&lines);
            let is_covered = |line: &Line| {
                let higher = |other: &Line| other.slope.total_cmp(&line.slope).is_eq() && other.intercept > line.intercept;
                let above = |a: &Line, c: &Line| {
                    a.slope < line.slope && line.slope < c.slope && !is_needed(*a, *line, *c)
                };
                lines.iter().any(higher) || lines.iter().any(|a| lines.iter().any(|c| above(a, c)))
            };
            let mut expected: Vec<Line> = lines.iter().filter(|line| !is_covered(line)).copied().collect();
            expected.sort_by(|a, b| a.slope.total_cmp(&b.slope));
            expected.dedup();
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn the_first_of_equal_lines_is_kept(lines in lines(12)) {
            let twice = [&lines[..], &lines].concat();
            let (mut buffers, mut kept) = (HullBuffers::default(), Vec::new());
            upper_hull(twice.len(), |n| twice[n], &mut buffers, &mut kept);
            for n in kept {
                prop_assert!(twice[..n].iter().all(|line| *line != twice[n]));
            }
        }
    }
}

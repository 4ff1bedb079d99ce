//! The best derivations along a line: upper envelopes of straight lines.

use super::{Commutative, Idempotent, Semiring, Star};
use robust::{Coord, orient2d};

/// A straight line: `slope x + intercept`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// What it rises by for each unit of x.
    pub slope: f64,
    /// Its value at 0.
    pub intercept: f64,
}

impl Line {
    /// The sum of two lines.
    #[must_use]
    #[inline]
    pub fn plus(self, other: Self) -> Self {
        Self {
            slope: self.slope + other.slope,
            intercept: self.intercept + other.intercept,
        }
    }
}

/// Values are upper envelopes of lines: the convex functions `max_i (m_i x + b_i)`, as the lines that are the maximum on some open interval, by rising
/// slope (Dyer 2013, "Minimum error rate training and the convex hull semiring"; Macherey et al. 2008; Kumar et al. 2009).
///
/// `plus` is the maximum of two functions, `times` their sum; `zero` has no line, `one` is the line 0. A line as the point (slope, intercept) makes an
/// envelope the upper part of a convex hull: `plus` is the hull of both, `times` the Minkowski sum.
///
/// Which lines are kept is decided without rounding (Shewchuk 1997), so that `plus` is exact: associative, commutative and idempotent to the bit. `times`
/// rounds sums of slopes and of intercepts, with relative error 2^-53 each. This holds for numbers whose products neither overflow nor underflow: of
/// magnitudes from 1e-75 to 1e150, and 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hull;

impl Hull {
    /// The envelope of lines in any order. O(n log n).
    #[must_use]
    pub fn value(&self, lines: &[Line]) -> Vec<Line> {
        let slopes: Vec<f64> = lines.iter().map(|line| line.slope).collect();
        let intercepts: Vec<f64> = lines.iter().map(|line| line.intercept).collect();
        let mut kept = Vec::new();
        upper_hull(&slopes, &intercepts, &mut kept);
        kept.into_iter().map(|n| lines[n]).collect()
    }
}

impl Semiring for Hull {
    type Value = Vec<Line>;

    fn zero(&self) -> Vec<Line> {
        Vec::new()
    }

    fn one(&self) -> Vec<Line> {
        vec![Line {
            slope: 0.0,
            intercept: 0.0,
        }]
    }

    /// # Complexity
    /// O(a + b).
    fn plus(&self, a: &Vec<Line>, b: &Vec<Line>) -> Vec<Line> {
        let mut merged = Vec::with_capacity(a.len() + b.len());
        let (mut left, mut right) = (a.iter().peekable(), b.iter().peekable());
        loop {
            let next = match (left.peek(), right.peek()) {
                (Some(a), Some(b)) if comes_before(b, a) => right.next(),
                (Some(_), _) => left.next(),
                (None, _) => right.next(),
            };
            match next {
                Some(&line) => push(&mut merged, line, |&line| line),
                None => return merged,
            }
        }
    }

    /// # Complexity
    /// O(a + b).
    fn times(&self, a: &Vec<Line>, b: &Vec<Line>) -> Vec<Line> {
        let mut sum = Vec::with_capacity(a.len() + b.len());
        // Rounding can bring a line of the sum below its neighbours.
        minkowski(a, b, |i, j| push(&mut sum, a[i].plus(b[j]), |&line| line));
        sum
    }

    fn is_zero(&self, a: &Vec<Line>) -> bool {
        a.is_empty()
    }
}

impl Commutative for Hull {}

impl Idempotent for Hull {}

impl Star for Hull {
    /// `one`, where the function is nowhere above 0: for one horizontal line that is not above it, and no line.
    fn star(&self, a: &Vec<Line>) -> Option<Vec<Line>> {
        let is_below = |line: &Line| line.slope == 0.0 && line.intercept <= 0.0;
        a.iter().all(is_below).then(|| self.one())
    }
}

/// By rising slope, then the higher line first.
fn comes_before(a: &Line, b: &Line) -> bool {
    a.slope < b.slope || (a.slope <= b.slope && a.intercept > b.intercept)
}

/// Adds a line to an envelope whose slopes are no larger; of equal slopes the higher line comes first, and of equal lines the first stays.
#[inline]
fn push<T>(envelope: &mut Vec<T>, item: T, line: impl Fn(&T) -> Line) {
    let new = line(&item);
    if let Some(last) = envelope.last()
        && line(last).slope >= new.slope
    {
        return;
    }
    while let [.., before, last] = &envelope[..] {
        if is_needed(line(before), line(last), new) {
            break;
        }
        envelope.pop();
    }
    envelope.push(item);
}

/// Whether the middle one of three lines, by rising slope, is above the others somewhere. Exact.
#[inline]
fn is_needed(a: Line, b: Line, c: Line) -> bool {
    let [a, b, c] = [a, b, c].map(|line| Coord {
        x: line.slope,
        y: line.intercept,
    });
    orient2d(a, b, c) < 0.0
}

/// Calls `emit` with the pairs of lines whose sums are the sum of two envelopes, by rising slope. Where two lines of the one and two of the other cross
/// at the same place, both are stepped over at once.
#[inline]
pub(crate) fn minkowski(a: &[Line], b: &[Line], mut emit: impl FnMut(usize, usize)) {
    if a.is_empty() || b.is_empty() {
        return;
    }
    let (mut i, mut j) = (0, 0);
    emit(0, 0);
    loop {
        let (can_left, can_right) = (i + 1 < a.len(), j + 1 < b.len());
        let (left, right) = match (can_left, can_right) {
            (false, false) => return,
            (true, false) => (true, false),
            (false, true) => (false, true),
            (true, true) => {
                let order = crosses_before([a[i], a[i + 1]], [b[j], b[j + 1]]);
                (order >= 0.0, order <= 0.0)
            }
        };
        i += usize::from(left);
        j += usize::from(right);
        emit(i, j);
    }
}

/// Above 0 where the first pair of lines, by rising slope, crosses before the second one; 0 at the same place.
#[inline]
fn crosses_before(a: [Line; 2], b: [Line; 2]) -> f64 {
    // They cross at -(b2 - b1) / (m2 - m1); the steps of slopes are above 0.
    (a[1].intercept - a[0].intercept) * (b[1].slope - b[0].slope)
        - (b[1].intercept - b[0].intercept) * (a[1].slope - a[0].slope)
}

/// The upper envelope of lines given as slopes and intercepts: their numbers, by rising slope, into `kept`.
///
/// Of equal lines, the first is kept. Exact, as far as [`Hull`] is.
///
/// # Complexity
/// O(n + k log k) for the k lines that are not clearly below the hull of three extreme points; k is mostly a few.
pub fn upper_hull(slopes: &[f64], intercepts: &[f64], kept: &mut Vec<usize>) {
    kept.clear();
    candidates(slopes, intercepts, kept);
    // Numbers rise: a stable sort keeps the first of equal lines in front. Adding 0 makes the two zeros one.
    let order = |a: f64, b: f64| (a + 0.0).total_cmp(&(b + 0.0));
    kept.sort_by(|&a, &b| {
        order(slopes[a], slopes[b]).then_with(|| order(intercepts[b], intercepts[a]))
    });
    let line = |&n: &usize| Line {
        slope: slopes[n],
        intercept: intercepts[n],
    };
    let mut envelope = 0;
    for place in 0..kept.len() {
        let new = line(&kept[place]);
        if envelope > 0 && line(&kept[envelope - 1]).slope >= new.slope {
            continue;
        }
        while envelope > 1 && !is_needed(line(&kept[envelope - 2]), line(&kept[envelope - 1]), new)
        {
            envelope -= 1;
        }
        kept[envelope] = kept[place];
        envelope += 1;
    }
    kept.truncate(envelope);
}

/// Fewer lines than this are sorted at once.
const FEW: usize = 8;

/// The numbers of lines that may be on the envelope, rising: the first step of quickhull. Only what is below the hull of three extreme points by more than
/// rounding can explain is left out.
fn candidates(slopes: &[f64], intercepts: &[f64], kept: &mut Vec<usize>) {
    let count = slopes.len();
    if count <= FEW {
        kept.extend(0..count);
        return;
    }
    let intercepts = &intercepts[..count];
    let (mut first, mut last) = (0, 0);
    for n in 1..count {
        let (slope, intercept) = (slopes[n], intercepts[n]);
        if slope <= slopes[first] && (slope < slopes[first] || intercept > intercepts[first]) {
            first = n;
        }
        if slope >= slopes[last] && (slope > slopes[last] || intercept > intercepts[last]) {
            last = n;
        }
    }
    if slopes[first] >= slopes[last] {
        kept.push(first);
        return;
    }
    // Heights above the chord from the first to the last, not exact: any point makes a valid triangle.
    let (m, b) = (slopes[first], intercepts[first]);
    let (run, rise) = (slopes[last] - m, intercepts[last] - b);
    let (mut top, mut height) = (first, 0.0);
    for n in 0..count {
        let above = (intercepts[n] - b) * run - (slopes[n] - m) * rise;
        if above > height {
            (top, height) = (n, above);
        }
    }
    let (left, right) = (
        Chord::new(slopes, intercepts, first, top),
        Chord::new(slopes, intercepts, top, last),
    );
    let middle = slopes[top];
    kept.extend((0..count).filter(|&n| {
        let chord = if slopes[n] < middle { &left } else { &right };
        !chord.is_clearly_above(slopes[n], intercepts[n])
    }));
}

/// The segment from one point to another of larger slope.
struct Chord {
    slope: f64,
    intercept: f64,
    run: f64,
    rise: f64,
}

impl Chord {
    fn new(slopes: &[f64], intercepts: &[f64], from: usize, to: usize) -> Self {
        Self {
            slope: slopes[from],
            intercept: intercepts[from],
            run: slopes[to] - slopes[from],
            rise: intercepts[to] - intercepts[from],
        }
    }

    /// Whether a point is below the segment beyond doubt (Shewchuk 1997, the first filter of the test of orientation: errors are below 3.4e-16 of the
    /// magnitudes). Not for its ends, where both products are equal.
    #[inline]
    fn is_clearly_above(&self, slope: f64, intercept: f64) -> bool {
        let along = (slope - self.slope) * self.rise;
        let above = (intercept - self.intercept) * self.run;
        along - above > 1e-15 * (along.abs() + above.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
                let higher = |other: &Line| other.slope == line.slope && other.intercept > line.intercept;
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
            let (slopes, intercepts): (Vec<f64>, Vec<f64>) = twice.iter().map(|l| (l.slope, l.intercept)).unzip();
            let mut kept = Vec::new();
            upper_hull(&slopes, &intercepts, &mut kept);
            for n in kept {
                prop_assert!(twice[..n].iter().all(|line| *line != twice[n]));
            }
        }
    }
}

//! The best derivations along a line: upper envelopes of straight lines.

use super::upper_hull::{HullBuffers, upper_hull};
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

    /// Where it crosses another line, of larger slope.
    #[must_use]
    #[inline]
    pub fn crossing(self, steeper: Self) -> f64 {
        (self.intercept - steeper.intercept) / (steeper.slope - self.slope)
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
        let mut kept = Vec::new();
        let mut buffers = HullBuffers::default();
        upper_hull(lines.len(), |n| lines[n], &mut buffers, &mut kept);
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
pub(super) fn comes_before(a: &Line, b: &Line) -> bool {
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
pub(super) fn is_needed(a: Line, b: Line, c: Line) -> bool {
    let [a, b, c] = [a, b, c].map(|line| Coord {
        x: line.slope,
        y: line.intercept,
    });
    orient2d(a, b, c) < 0.0
}

/// Calls `emit` with the pairs of lines whose sums are the sum of two envelopes, by rising slope. Where two lines of the one and two of the other cross
/// at the same place, both are stepped over at once.
#[inline]
fn minkowski(a: &[Line], b: &[Line], mut emit: impl FnMut(usize, usize)) {
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

//! A step along a direction of descent that satisfies the strong Wolfe conditions (Nocedal and Wright 2006, algorithms 3.5 and 3.6).

use crate::error::Result;

/// Sufficient decrease (eq. 3.7a) and curvature (eq. 3.7b), the values of L-BFGS.
const DECREASE: f64 = 1e-4;
const CURVATURE: f64 = 0.9;

/// Evaluations before the search gives up.
const EVALUATIONS: usize = 30;

/// A point on the line: step, value, slope.
#[derive(Debug, Clone, Copy)]
pub(super) struct Point {
    pub step: f64,
    pub value: f64,
    pub slope: f64,
}

/// Finds a step. `evaluate(step)` returns value and slope; the last one it was asked for is the step that is returned. `None` when there is none:
/// the direction does not descend, or rounding hides the descent.
pub(super) fn search(
    start: Point,
    first: f64,
    mut evaluate: impl FnMut(f64) -> Result<(f64, f64)>,
) -> Result<Option<Point>> {
    if start.slope >= 0.0 {
        return Ok(None);
    }
    let mut low = start;
    // The end of a bracket: no good step yet between `low` and here, but there is one.
    let mut high: Option<Point> = None;
    let mut step = first;
    for _ in 0..EVALUATIONS {
        let (value, slope) = evaluate(step)?;
        let point = Point { step, value, slope };
        let is_lower = value <= start.value + DECREASE * step * start.slope && value <= low.value;
        if !is_lower || !value.is_finite() {
            high = Some(point);
        } else if slope.abs() <= -CURVATURE * start.slope {
            return Ok(Some(point));
        } else {
            let turns = slope * (high.map_or(f64::INFINITY, |high| high.step) - low.step) >= 0.0;
            if turns {
                high = Some(low);
            }
            low = point;
        }
        step = match high {
            None => low.step * 4.0,
            Some(high) => inside(low, high),
        };
        if let Some(high) = high
            && (high.step - low.step).abs() <= 1e-12 * step
        {
            break;
        }
    }
    // The best point so far is better than none, if it is lower at all.
    if low.step > 0.0 && low.value < start.value {
        let (value, slope) = evaluate(low.step)?;
        return Ok(Some(Point {
            step: low.step,
            value,
            slope,
        }));
    }
    Ok(None)
}

/// The minimum of the cubic through two points and their slopes (eq. 3.59), kept away from the ends.
fn inside(low: Point, high: Point) -> f64 {
    let width = high.step - low.step;
    let middle = low.step + 0.5 * width;
    if !high.value.is_finite() || !high.slope.is_finite() {
        return low.step + 0.1 * width;
    }
    let d1 = low.slope + high.slope - 3.0 * (low.value - high.value) / (low.step - high.step);
    let root = d1 * d1 - low.slope * high.slope;
    if root < 0.0 {
        return middle;
    }
    let d2 = root.sqrt().copysign(width);
    let found = high.step - width * (high.slope + d2 - d1) / (high.slope - low.slope + 2.0 * d2);
    let share = (found - low.step) / width;
    if (0.1..=0.9).contains(&share) {
        found
    } else if share.is_finite() {
        low.step + share.clamp(0.1, 0.9) * width
    } else {
        middle
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_conditions_hold_for_any_first_step() {
        let value = |x: f64| (x - 3.0).powi(2) + (5.0 * x).sin();
        let slope = |x: f64| 2.0 * (x - 3.0) + 5.0 * (5.0 * x).cos();
        let start = Point {
            step: 0.0,
            value: value(0.0),
            slope: slope(0.0) - 10.0,
        };
        let tilted = |x: f64| value(x) - 10.0 * x;
        for first in [1e-6, 0.01, 0.3, 1.0, 7.0, 1e4] {
            let found = search(start, first, |x| Ok((tilted(x), slope(x) - 10.0)))
                .expect("no error")
                .expect("a step");
            assert!(
                found.value <= start.value + DECREASE * found.step * start.slope,
                "{first}"
            );
            assert!(
                found.slope.abs() <= CURVATURE * start.slope.abs(),
                "{first}: {found:?}"
            );
        }
    }

    #[test]
    fn a_direction_that_ascends_has_no_step() {
        let start = Point {
            step: 0.0,
            value: 0.0,
            slope: 1.0,
        };
        assert!(
            search(start, 1.0, |x| Ok((x, 1.0)))
                .expect("no error")
                .is_none()
        );
    }
}

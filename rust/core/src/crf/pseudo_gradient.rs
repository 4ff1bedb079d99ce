//! The slope of an objective with absolute values of weights (Andrew and Gao 2007, eq. 4).

/// The norm of what the steepest descent follows: the gradient, with `l1` the pseudo-gradient.
pub(super) fn descent_norm(weights: &[f64], gradient: &[f64], l1: f64) -> f64 {
    let slopes = weights.iter().zip(gradient);
    let squares = slopes.map(|(&w, &g)| pseudo_derivative(w, g, l1).powi(2));
    squares.sum::<f64>().sqrt()
}

/// The derivative of the smooth part plus l1 |w| in the direction that descends, 0 where none does.
pub(super) fn pseudo_derivative(weight: f64, derivative: f64, l1: f64) -> f64 {
    if weight > 0.0 {
        derivative + l1
    } else if weight < 0.0 {
        derivative - l1
    } else if derivative < -l1 {
        derivative + l1
    } else if derivative > l1 {
        derivative - l1
    } else {
        0.0
    }
}

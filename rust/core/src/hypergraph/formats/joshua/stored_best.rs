//! The stored weight of an edge beside that of the model.

use super::super::Options;
use super::super::line::Line;
use crate::error::{Error, Result};

/// Values and weights are stored with four decimals.
const TOLERANCE: f64 = 2e-3;

/// Compares the weight that was stored with an edge with the model's, by its line of values.
pub fn check(line: Line<'_>, stored: f64, options: &Options, features: usize) -> Result<()> {
    let Some(sign) = options.sign else {
        return Err(Error::config(
            "sign",
            "given with the weights of the model",
            "none",
        ));
    };
    let weights = &options.weights;
    if weights.len() > features {
        let found = format!("{} for {features} values an edge", weights.len());
        return Err(Error::config(
            "weights",
            "one for each model value, the last ones may be left out",
            found,
        ));
    }
    let dot: f64 = line
        .fields()
        .zip(weights)
        .map(|(field, weight)| weight * field.parse().unwrap_or(0.0))
        .sum();
    let model = sign.apply(dot);
    if (stored - model).abs() <= TOLERANCE * (1.0 + model.abs()) {
        return Ok(());
    }
    let problem = format!(
        "by its stored best weight this edge has the log weight {stored:.4}, by its values and these weights {model:.4}; check the weights and the sign"
    );
    Err(line.error(line.text, &problem))
}

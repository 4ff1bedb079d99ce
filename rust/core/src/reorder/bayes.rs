//! Multinomial naive Bayes from counts (Alrajeh and Niranjan, WMT 2014): MAP and Bayesian inference.

use super::counts::Counts;
use super::rows::{Row, Rows};
use super::weights::{by_pieces, normalize};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::{ln_gamma, to_f64};

/// A value up to which the rising factorial is multiplied out.
const SMALL: f64 = 16.0;

/// How p(x | class) follows from counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inference {
    /// The most probable parameters (10). A prior of 1 makes that maximum likelihood (9): what never occurred is impossible.
    Map,
    /// All parameters, weighted by their probability (11).
    Bayesian,
}

/// A naive Bayes classifier.
#[derive(Debug, Clone)]
pub struct NaiveBayes {
    inference: Inference,
    classes: usize,
    columns: usize,
    log_prior: Vec<f64>,
    /// MAP: `log q_km`. Bayesian: the parameters `alpha_km` of the posterior (13). At `feature * classes + class`.
    table: Vec<f64>,
    /// The logarithms of `table`, for the Bayesian form; a feature that occurs once needs no more.
    logs: Vec<f64>,
    /// `sum_m alpha_km` for each class.
    totals: Vec<f64>,
}

impl NaiveBayes {
    /// The classifier of these counts. `prior` holds the Dirichlet parameter alpha of all features, or one for each.
    ///
    /// # Errors
    /// [`Error::Config`]: a parameter is below 1 (MAP), not above 0 (Bayesian), or there are not one or as many as features;
    /// [`Error::Examples`]: nothing was counted.
    ///
    /// # Complexity
    /// A logarithm for each feature and class.
    pub fn new(counts: &Counts, prior: &[f64], inference: Inference) -> Result<Self> {
        let (k, columns) = (counts.classes(), counts.columns());
        check_prior(prior, columns, inference)?;
        let n: u64 = counts.examples.iter().sum();
        if n == 0 {
            return Err(Error::Examples {
                example: 0,
                problem: "training needs examples".to_owned(),
                found: "none".to_owned(),
            });
        }
        let alpha = |m: usize| prior[if prior.len() == 1 { 0 } else { m }];
        let less = match inference {
            Inference::Map => 1.0,
            Inference::Bayesian => 0.0,
        };
        let mut table = vec![0.0; columns * k];
        let mut totals = vec![0.0; k];
        for m in 0..columns {
            for c in 0..k {
                let value = alpha(m) - less + counts.sums[m * k + c];
                table[m * k + c] = value;
                totals[c] += value;
            }
        }
        let logs = table.iter().map(|&value| libm::log(value)).collect();
        let log_prior = counts
            .examples
            .iter()
            .map(|&count| libm::log(to_f64(count) / to_f64(n)))
            .collect();
        let mut model = Self {
            inference,
            classes: k,
            columns,
            log_prior,
            table,
            logs,
            totals,
        };
        if inference == Inference::Map {
            model.divide_by_totals();
        }
        Ok(model)
    }

    /// Makes the logarithms those of probabilities (10). A class without any feature, and no prior, has all features equally likely.
    fn divide_by_totals(&mut self) {
        let k = self.classes;
        for (at, log) in self.logs.iter_mut().enumerate() {
            let total = self.totals[at % k];
            *log = if total > 0.0 {
                *log - libm::log(total)
            } else {
                -libm::log(to_f64(self.columns as u64))
            };
        }
    }

    /// `log q_km` for MAP, `log alpha_km` for the Bayesian form: `[feature * classes + class]`.
    #[must_use]
    pub fn logs(&self) -> &[f64] {
        &self.logs
    }

    /// The logarithm of the prior of each class (5).
    #[must_use]
    pub fn log_prior(&self) -> &[f64] {
        &self.log_prior
    }

    /// log p(class) + log p(x | class) for each row and class, without the multinomial coefficient C, which is the same for all classes.
    /// A row that no class can have (MAP with a prior of 1) gets the prior alone.
    ///
    /// # Errors
    /// [`Error::Model`]: the rows have other features; [`Error::Cancelled`].
    ///
    /// # Complexity
    /// Entries times classes; the Bayesian form takes a logarithm for each repetition of a feature and one for each class and token.
    pub fn joint(&self, rows: Rows<'_>, threads: usize, cancel: &CancelToken) -> Result<Vec<f64>> {
        if rows.columns() != self.columns {
            return Err(Counts::other_shape());
        }
        by_pieces(rows, self.classes, threads, cancel, |row, out| {
            match self.inference {
                Inference::Map => self.map(row, out),
                Inference::Bayesian => self.bayesian(row, out),
            }
            if out.iter().all(|&score| score == f64::NEG_INFINITY) {
                out.copy_from_slice(&self.log_prior);
            }
        })
    }

    /// Logarithms of the posterior probabilities of the classes.
    ///
    /// # Errors
    /// As [`NaiveBayes::joint`].
    pub fn log_posterior(
        &self,
        rows: Rows<'_>,
        threads: usize,
        cancel: &CancelToken,
    ) -> Result<Vec<f64>> {
        let mut scores = self.joint(rows, threads, cancel)?;
        normalize(&mut scores, self.classes);
        Ok(scores)
    }

    fn map(&self, row: Row<'_>, out: &mut [f64]) {
        let k = self.classes;
        out.copy_from_slice(&self.log_prior);
        row.for_each(|feature, value| {
            // A stored zero says nothing, also where the logarithm is -inf.
            if value != 0.0 {
                for (score, log) in out.iter_mut().zip(&self.logs[feature * k..feature * k + k]) {
                    *score += value * log;
                }
            }
        });
    }

    /// (11): ratios of gamma functions, `Gamma(a + x) / Gamma(a)`, for features and for the length of the row.
    fn bayesian(&self, row: Row<'_>, out: &mut [f64]) {
        let k = self.classes;
        out.copy_from_slice(&self.log_prior);
        let mut length = 0.0;
        row.for_each_value(|feature, value| {
            length += value;
            let at = feature as usize * k;
            for (c, score) in out.iter_mut().enumerate() {
                *score += if value.to_bits() == 1.0_f64.to_bits() {
                    self.logs[at + c]
                } else {
                    log_rising(self.table[at + c], value)
                };
            }
        });
        for (score, &total) in out.iter_mut().zip(&self.totals) {
            *score -= log_rising(total, length);
        }
    }
}

/// `log(Gamma(a + x) / Gamma(a))`: the logarithms of `a (a + 1) .. (a + x - 1)` for a small whole x, which no cancellation spoils.
fn log_rising(a: f64, x: f64) -> f64 {
    if x > SMALL || x.fract() != 0.0 {
        return ln_gamma(a + x) - ln_gamma(a);
    }
    let (mut log, mut step) = (0.0, 0.0);
    while step < x {
        log += libm::log(a + step);
        step += 1.0;
    }
    log
}

/// Fails unless these are Dirichlet parameters that [`NaiveBayes::new`] takes.
///
/// # Errors
/// [`Error::Config`]: a parameter is out of range, or there are not one or as many as features.
pub fn check_prior(prior: &[f64], columns: usize, inference: Inference) -> Result<()> {
    if prior.len() != 1 && prior.len() != columns {
        return Err(Error::config(
            "alpha",
            "one number, or one for each feature",
            format!("{} for {columns} features", prior.len()),
        ));
    }
    let (is_allowed, expected): (fn(f64) -> bool, _) = match inference {
        Inference::Map => (
            |alpha| alpha >= 1.0,
            "finite and at least 1 (1 is maximum likelihood, more smooths)",
        ),
        Inference::Bayesian => (|alpha| alpha > 0.0, "finite and above 0"),
    };
    match prior
        .iter()
        .find(|&&alpha| !(alpha.is_finite() && is_allowed(alpha)))
    {
        Some(alpha) => Err(Error::config("alpha", expected, alpha)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;

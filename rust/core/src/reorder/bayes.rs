//! Multinomial naive Bayes from counts (Alrajeh and Niranjan, WMT 2014): MAP and Bayesian inference.
#![expect(
    clippy::inline_always,
    reason = "K is a constant where a kernel is called, which makes its loops straight code"
)]

use super::rows::{Examples, Row, Rows};
use super::weights::{by_pieces, normalize};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::{ln_gamma, to_f64};
use rustc_hash::FxHashMap;

/// Sums of whole numbers are exact up to here.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A value up to which the rising factorial is multiplied out.
const SMALL: f64 = 16.0;

/// How often each feature occurred with each class: all that naive Bayes and mutual information learn from. Counts of parts of a corpus add up
/// to those of the whole, in any order when values are whole numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Counts {
    /// Examples of each class, `N_k`.
    pub examples: Vec<u64>,
    /// The sum of the values of each feature in each class, at `feature * classes + class`: `sum_n x_nm` of (10).
    pub sums: Vec<f64>,
    /// Examples of each class in which a feature has the value 1, in the same order.
    pub ones: Vec<u64>,
    /// The same for other values than 0 and 1, by feature and the bits of the value. Empty when values are not counted.
    pub others: FxHashMap<(u32, u64), Vec<u64>>,
    has_values: bool,
}

impl Counts {
    /// Counts of nothing. With `has_values`, how often a feature had which value is counted too, for mutual information.
    #[must_use]
    pub fn new(columns: usize, classes: usize, has_values: bool) -> Self {
        Self {
            examples: vec![0; classes],
            sums: vec![0.0; columns * classes],
            ones: vec![0; columns * classes * usize::from(has_values)],
            others: FxHashMap::default(),
            has_values,
        }
    }

    /// Counts from a saved model, without those of values.
    ///
    /// # Errors
    /// [`Error::Model`]: the table has no whole number of rows, or numbers that are no counts.
    pub fn from_sums(examples: Vec<u64>, sums: Vec<f64>) -> Result<Self> {
        let is_table = !examples.is_empty() && sums.len().is_multiple_of(examples.len());
        if !is_table || sums.iter().any(|sum| !(0.0..=EXACT).contains(sum)) {
            return Err(Error::Model {
                part: "the table of counts",
                problem: "must have a count for each feature and class".to_owned(),
            });
        }
        Ok(Self {
            examples,
            sums,
            ones: Vec::new(),
            others: FxHashMap::default(),
            has_values: false,
        })
    }

    /// Number of classes.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.examples.len()
    }

    /// Number of features.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.sums.len() / self.classes().max(1)
    }

    /// Whether the values of features are counted.
    #[must_use]
    pub fn has_values(&self) -> bool {
        self.has_values
    }

    /// Counts more examples.
    ///
    /// # Errors
    /// [`Error::Examples`]: a value is negative; [`Error::Model`]: other features or classes; [`Error::TooLarge`]: a sum above 2^53, where it would
    /// no longer be exact; [`Error::Cancelled`].
    ///
    /// # Complexity
    /// One pass over the entries.
    pub fn add(&mut self, examples: Examples<'_>, cancel: &CancelToken) -> Result<()> {
        if self.classes() != examples.classes() || self.columns() != examples.rows.columns() {
            return Err(Self::other_shape());
        }
        match examples.classes() {
            3 => self.add_for(3, examples, cancel),
            k => self.add_for(k, examples, cancel),
        }?;
        self.check_exact()
    }

    #[inline(always)]
    fn add_for(&mut self, k: usize, examples: Examples<'_>, cancel: &CancelToken) -> Result<()> {
        for i in 0..examples.len() {
            if i % (1 << 16) == 0 {
                cancel.check()?;
            }
            let (row, label) = (examples.rows.row(i), examples.label(i));
            self.examples[label] += 1;
            let mut negative = None;
            if self.has_values {
                row.for_each_value(|feature, value| {
                    if value < 0.0 {
                        negative = Some(value);
                    }
                    let at = feature as usize * k + label;
                    self.sums[at] += value;
                    if value.to_bits() == 1.0_f64.to_bits() {
                        self.ones[at] += 1;
                    } else if value != 0.0 {
                        let key = (feature, value.to_bits());
                        self.others.entry(key).or_insert_with(|| vec![0; k])[label] += 1;
                    }
                });
            } else {
                row.for_each(|feature, value| {
                    if value < 0.0 {
                        negative = Some(value);
                    }
                    self.sums[feature * k + label] += value;
                });
            }
            if let Some(value) = negative {
                return Err(Error::Examples {
                    example: i as u64 + 1,
                    problem: "Negative values in data: naive Bayes counts features, whose values are at least 0".to_owned(),
                    found: value.to_string(),
                });
            }
        }
        Ok(())
    }

    /// Adds the counts of another part of the corpus.
    ///
    /// # Errors
    /// [`Error::Model`]: other features or classes; [`Error::TooLarge`]: a sum above 2^53.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        if self.classes() != other.classes()
            || self.sums.len() != other.sums.len()
            || self.has_values != other.has_values
        {
            return Err(Self::other_shape());
        }
        add_all(&mut self.examples, &other.examples);
        add_all(&mut self.ones, &other.ones);
        for (sum, more) in self.sums.iter_mut().zip(&other.sums) {
            *sum += more;
        }
        for (key, counts) in &other.others {
            let here = self
                .others
                .entry(*key)
                .or_insert_with(|| vec![0; counts.len()]);
            add_all(here, counts);
        }
        self.check_exact()
    }

    fn check_exact(&self) -> Result<()> {
        if self.sums.iter().any(|&sum| sum > EXACT) {
            return Err(Error::TooLarge {
                what: "the sum of the values of a feature",
                limit: 1 << 53,
            });
        }
        Ok(())
    }

    fn other_shape() -> Error {
        Error::Model {
            part: "the table of counts",
            problem: "is for other features or classes than the examples have".to_owned(),
        }
    }
}

fn add_all(sums: &mut [u64], more: &[u64]) {
    for (sum, more) in sums.iter_mut().zip(more) {
        *sum += more;
    }
}

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

fn check_prior(prior: &[f64], columns: usize, inference: Inference) -> Result<()> {
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
mod tests {
    use super::*;

    fn counted(labels: &[u32], features: &[u32], offsets: &[u64]) -> Counts {
        let rows = Rows::new(offsets, features, None, 3).expect("three features");
        let examples = Examples::new(rows, labels, 2).expect("two classes");
        let mut counts = Counts::new(3, 2, true);
        counts.add(examples, &CancelToken::new()).expect("few");
        counts
    }

    #[test]
    fn counts_of_parts_add_up_to_those_of_the_whole() {
        let whole = counted(&[0, 1, 1], &[0, 0, 1, 2, 2], &[0, 2, 4, 5]);
        let mut parts = counted(&[1, 1], &[1, 2, 2], &[0, 2, 3]);
        parts
            .merge(&counted(&[0], &[0, 0], &[0, 2]))
            .expect("the same features");
        assert_eq!(parts, whole);
        assert_eq!(whole.examples, [1, 2]);
        assert_eq!(whole.sums, [2.0, 0.0, 0.0, 1.0, 0.0, 2.0]);
        assert_eq!(whole.others[&(0, 2.0_f64.to_bits())], [1, 0]);
    }

    #[test]
    fn what_no_class_can_have_gets_the_prior() {
        let counts = counted(&[0, 1, 1], &[0, 0, 1], &[0, 2, 3, 3]);
        let model = NaiveBayes::new(&counts, &[1.0], Inference::Map).expect("counts");
        let rows = Rows::new(&[0, 2, 2], &[0, 1], None, 3).expect("three features");
        let got = model
            .log_posterior(rows, 1, &CancelToken::new())
            .expect("three features");
        for pair in got.chunks(2) {
            assert!((pair[0] - (1.0_f64 / 3.0).ln()).abs() < 1e-12, "{got:?}");
        }
    }

    #[test]
    fn the_rising_factorial_is_the_ratio_of_gamma_functions() {
        for (a, x) in [(0.5, 3.0), (7.25, 16.0), (2.0, 0.0), (1e6, 1.0)] {
            let expected = ln_gamma(a + x) - ln_gamma(a);
            assert!((log_rising(a, x) - expected).abs() < 1e-8 * expected.abs().max(1.0));
        }
    }

    #[test]
    fn priors_out_of_range_are_refused() {
        let counts = counted(&[0, 1], &[0, 1], &[0, 1, 2]);
        for (prior, inference) in [
            (&[0.5][..], Inference::Map),
            (&[0.0], Inference::Bayesian),
            (&[1.0, 1.0], Inference::Map),
            (&[f64::NAN], Inference::Bayesian),
        ] {
            assert!(NaiveBayes::new(&counts, prior, inference).is_err());
        }
    }
}

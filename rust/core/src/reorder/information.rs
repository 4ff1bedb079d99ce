//! Mutual information of each feature and the class (Alrajeh and Niranjan, WMT 2014, eq. 15 and 16), for feature selection.

use super::counts::Counts;
use crate::error::{Error, Result};
use crate::numeric::{to_f64, to_index};

/// What features say about the class, in nats.
#[derive(Debug, Clone, PartialEq)]
pub struct Information {
    /// I(X; Y) of each feature, at least 0.
    pub mutual: Vec<f64>,
    /// H(X) of each feature.
    pub entropies: Vec<f64>,
    /// H(Y), of the class.
    pub class_entropy: f64,
}

impl Information {
    /// The information in counts of values. A feature's values are what it had in the examples, 0 among them.
    ///
    /// # Errors
    /// [`Error::Config`]: values were not counted; [`Error::Examples`]: nothing was counted.
    ///
    /// # Complexity
    /// Time: features times classes, and their repeated values.
    pub fn new(counts: &Counts) -> Result<Self> {
        if !counts.has_values() {
            return Err(Error::config(
                "counts",
                "counts with values",
                "counts without",
            ));
        }
        let (k, columns) = (counts.classes(), counts.columns());
        let n: u64 = counts.examples.iter().sum();
        if n == 0 {
            return Err(Error::Examples {
                example: 0,
                problem: "mutual information needs examples".to_owned(),
                found: "none".to_owned(),
            });
        }
        // N (H(X) + H(Y) - H(X, Y)) = N log N - sum x log x over values - the same over classes + the same over both.
        let class_sum: f64 = counts.examples.iter().map(|&count| x_log_x(count)).sum();
        let whole = x_log_x(n);
        let mut value_sums = vec![0.0; columns];
        let mut joint_sums = vec![0.0; columns];
        let mut zeros: Vec<u64> = counts
            .examples
            .iter()
            .copied()
            .cycle()
            .take(columns * k)
            .collect();
        let mut take = |m: usize, cells: &[u64]| {
            value_sums[m] += x_log_x(cells.iter().sum());
            joint_sums[m] += cells.iter().map(|&count| x_log_x(count)).sum::<f64>();
            for (zero, &count) in zeros[m * k..m * k + k].iter_mut().zip(cells) {
                *zero -= count;
            }
        };
        for (m, cells) in counts.ones.chunks(k).enumerate() {
            take(m, cells);
        }
        let mut others: Vec<_> = counts.others.iter().collect();
        others.sort_unstable_by_key(|&(key, _)| key);
        for (&(feature, _), cells) in others {
            take(to_index(feature), cells);
        }
        for (m, cells) in zeros.chunks(k).enumerate() {
            value_sums[m] += x_log_x(cells.iter().sum());
            joint_sums[m] += cells.iter().map(|&count| x_log_x(count)).sum::<f64>();
        }
        let total = to_f64(n);
        let mutual = value_sums
            .iter()
            .zip(&joint_sums)
            .map(|(&values, &joint)| ((whole - values - class_sum + joint) / total).max(0.0))
            .collect();
        Ok(Self {
            mutual,
            entropies: value_sums
                .iter()
                .map(|&values| ((whole - values) / total).max(0.0))
                .collect(),
            class_entropy: ((whole - class_sum) / total).max(0.0),
        })
    }

    /// Information over the smaller of the two entropies (16), 0 where that is 0.
    #[must_use]
    pub fn normalized(&self) -> Vec<f64> {
        let ratio = |(&mutual, &entropy): (&f64, &f64)| {
            let least = entropy.min(self.class_entropy);
            if least > 0.0 { mutual / least } else { 0.0 }
        };
        self.mutual.iter().zip(&self.entropies).map(ratio).collect()
    }
}

fn x_log_x(count: u64) -> f64 {
    if count == 0 {
        return 0.0;
    }
    let x = to_f64(count);
    x * libm::log(x)
}

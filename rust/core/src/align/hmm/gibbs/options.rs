//! Everything that decides a result of the sampler, besides the options of the HMM that it starts from.

pub use crate::align::ibm::options::Sampler;
use crate::align::ibm::samples::MAX_SAMPLES;
use crate::error::{Error, Result};

/// Where the counts of the lexicon come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pooling {
    /// Each direction has its own.
    Own,
    /// The mean of both directions.
    Mean,
    /// The links that both directions have.
    Agreed,
}

/// How many sweeps, and with which priors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// B: sweeps before the first sample.
    pub burn_in: u32,
    /// M: samples.
    pub samples: u32,
    /// L: sweeps from one sample to the next; B + M L sweeps in all.
    pub lag: u32,
    /// Exact or several blocks side by side.
    pub sampler: Sampler,
    /// Seed of the random streams.
    pub seed: u64,
    /// Pseudo-counts of the fertilities of all words in those of each word; 0: fertilities do not matter.
    pub fertility: f64,
    /// What a link multiplies the probability by when both directions have it; 1: they do not look at each other.
    pub coupling: f64,
    /// Counts of the lexicon.
    pub pooling: Pooling,
    /// Share of the posteriors of the training before in those of the samples.
    pub em_share: f64,
    /// experiment
    pub scale: f64,
}

impl Sampling {
    /// Looks for options out of range.
    ///
    /// # Errors
    /// [`Error::Config`] with the name of the option.
    pub fn check(&self) -> Result<()> {
        if self.samples == 0 || self.samples > MAX_SAMPLES {
            return Err(config("samples", "from 1 to 65535", self.samples));
        }
        if self.lag == 0 {
            return Err(config("lag", "at least 1", 0));
        }
        if !(self.fertility.is_finite() && self.fertility >= 0.0) {
            return Err(config("fertility", "finite and not negative", self.fertility));
        }
        if !(self.coupling.is_finite() && self.coupling >= 1.0) {
            return Err(config("coupling", "finite and at least 1", self.coupling));
        }
        if !(0.0..=1.0).contains(&self.em_share) {
            return Err(config("em_share", "from 0 to 1", self.em_share));
        }
        Ok(())
    }
}

fn config(name: &'static str, expected: &str, found: impl std::fmt::Display) -> Error {
    Error::Config {
        name,
        expected: expected.to_owned(),
        found: found.to_string(),
    }
}

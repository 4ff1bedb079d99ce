//! Everything that decides a result of the sampler, besides the options of the HMM that it starts from.

pub use crate::align::ibm::options::Sampler;
use crate::align::ibm::samples::MAX_SAMPLES;
use crate::error::{Error, Result};

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
    /// Share of the posteriors of the training before in those of the samples.
    pub em_share: f64,
}

impl Sampling {
    /// Looks for options out of range.
    ///
    /// # Errors
    /// [`Error::Config`] with the name of the option.
    pub fn check(&self) -> Result<()> {
        if self.samples == 0 || self.samples > MAX_SAMPLES {
            return Err(Error::config("samples", "from 1 to 65535", self.samples));
        }
        if self.lag == 0 {
            return Err(Error::config("lag", "at least 1", 0));
        }
        if self.sweeps().is_none() {
            return Err(Error::config("samples", "fewer than 2^32 sweeps", "more"));
        }
        if !(self.fertility.is_finite() && self.fertility >= 0.0) {
            return Err(Error::config(
                "fertility",
                "finite and not negative",
                self.fertility,
            ));
        }
        if !(0.0..=1.0).contains(&self.em_share) {
            return Err(Error::config("em_share", "from 0 to 1", self.em_share));
        }
        Ok(())
    }

    /// B + M L; None from 2^32 on.
    #[must_use]
    pub fn sweeps(&self) -> Option<u32> {
        let sampling = self.samples.checked_mul(self.lag)?;
        self.burn_in.checked_add(sampling)
    }
}

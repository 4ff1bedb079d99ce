//! Everything that decides a result.

use super::initial::Initial;
use super::placement::Model;
use super::samples::MAX_SAMPLES;
use crate::error::{Error, Result};

/// How many sweeps, and how a chain starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sampling {
    /// B: sweeps before the first sample.
    pub burn_in: u32,
    /// M: samples.
    pub samples: u32,
    /// L: sweeps from one sample to the next; B + M L sweeps in all.
    pub lag: u32,
    /// Where the chain starts.
    pub initial: Initial,
    /// Exact or several blocks side by side.
    pub sampler: Sampler,
}

/// Whether blocks of a sweep run side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sampler {
    /// One block a direction: every draw sees all other current links.
    Exact,
    /// So many blocks a direction; their totals are merged at the end of a sweep.
    Blocks(u32),
    /// Exact for small corpora, one block for about [`TOKENS_PER_BLOCK`] tokens in large ones.
    Auto,
}

/// Tokens for which [`Sampler::Auto`] opens one more block.
pub const TOKENS_PER_BLOCK: usize = 250_000;

/// Most blocks of [`Sampler::Auto`].
const MOST_BLOCKS: usize = 64;

/// Which inference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inference {
    /// Expectation maximisation with so many iterations.
    Em(u32),
    /// Variational Bayes with so many iterations.
    Vb(u32),
    /// Collapsed Gibbs sampling.
    Gibbs(Sampling),
}

/// Everything that decides a result.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Which model.
    pub model: Model,
    /// Which inference.
    pub inference: Inference,
    /// Iterations of Model 1 before Model 2 with EM or variational Bayes.
    pub warm_up: u32,
    /// Pseudo-count of every word pair.
    pub theta: f64,
    /// Pseudo-count of every relative distortion.
    pub phi: f64,
    /// Probability of NULL; without it 1 / (I + 1) in Model 1, 0.2 in Model 2.
    pub null_probability: Option<f64>,
    /// Seed of the random streams.
    pub seed: u64,
    /// Whether the objective of every iteration is computed.
    pub wants_objective: bool,
    /// Whether the posteriors of all likely links are kept, not only the best links.
    pub wants_posteriors: bool,
}

impl Options {
    /// Looks for options out of range.
    ///
    /// # Errors
    /// [`Error::Config`] with the name of the option.
    pub fn check(&self) -> Result<()> {
        positive("theta", self.theta)?;
        positive("phi", self.phi)?;
        if let Some(p0) = self.null_probability
            && !(p0 > 0.0 && p0 < 1.0)
        {
            return Err(Error::config("p0", "above 0 and below 1", p0));
        }
        match self.inference {
            Inference::Em(0) | Inference::Vb(0) => {
                Err(Error::config("iterations", "at least 1", 0))
            }
            Inference::Gibbs(sampling)
                if sampling.samples == 0 || sampling.samples > MAX_SAMPLES =>
            {
                Err(Error::config(
                    "samples",
                    "from 1 to 65535",
                    sampling.samples,
                ))
            }
            Inference::Gibbs(sampling) if sampling.lag == 0 => {
                Err(Error::config("lag", "at least 1", 0))
            }
            Inference::Gibbs(sampling) if sampling.initial == Initial::Em(0) => {
                Err(Error::config("initial", "at least one iteration of EM", 0))
            }
            _ => Ok(()),
        }
    }
}

fn positive(name: &'static str, value: f64) -> Result<()> {
    if value.is_finite() && value > 0.0 {
        Ok(())
    } else {
        Err(Error::config(name, "a finite number above 0", value))
    }
}

impl Sampler {
    /// Number of blocks a direction with so many emitted tokens is cut into.
    #[must_use]
    pub fn blocks(self, tokens: usize) -> usize {
        match self {
            Self::Exact => 1,
            Self::Blocks(count) => count.max(1) as usize,
            Self::Auto => (tokens / TOKENS_PER_BLOCK).clamp(1, MOST_BLOCKS),
        }
    }
}

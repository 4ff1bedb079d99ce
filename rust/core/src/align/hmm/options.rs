//! Everything that decides a result of the HMM.

use super::gibbs::options::Sampling;
use super::lexicon::Strength;
use crate::error::{Error, Result};

/// Whether the two directions are trained together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coupling {
    /// Each direction for itself (the paper).
    Independent,
    /// The product of both link posteriors is the expected count of both lexicons (Liang, Taskar and Klein 2006).
    Agreement,
}

impl Coupling {
    /// The expected number of links of two tokens, from the posteriors of both directions.
    #[must_use]
    #[inline]
    pub fn expected(self, forward: f32, reverse: f32) -> f32 {
        match self {
            Self::Agreement => forward * reverse,
            Self::Independent => 0.5 * (forward + reverse),
        }
    }
}

/// Which links are read out of a direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decoding {
    /// The most probable candidate of each emitted word.
    Posterior,
    /// The most probable alignment of the sentence (the paper).
    Viterbi,
}

/// What forward-backward may leave out; 0 for nothing. In the first iteration of an HMM whose directions agree it is ten times as much, up to 0.01.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beam {
    /// Candidates whose translation probability is below this share of the token's best one.
    pub emission: f32,
    /// States whose forward probability is below this share of the sum.
    pub state: f32,
}

/// How much more is left out in the first iteration of the HMM: Model 1 leaves many candidates, and the lattice costs their product.
const FIRST_BEAM: f32 = 10.0;

/// The factor goes no further than this.
const FIRST_MOST: f32 = 0.01;

impl Beam {
    /// The beam of a first iteration.
    #[must_use]
    pub fn widened(self) -> Self {
        let share = |x: f32| x.max((FIRST_BEAM * x).min(FIRST_MOST));
        Self {
            emission: share(self.emission),
            state: share(self.state),
        }
    }
}

/// How the HMM is trained and read.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Iterations of Model 1 before the HMM.
    pub warm_up: u32,
    /// Iterations of the HMM; 0 leaves Model 1.
    pub iterations: u32,
    /// Independent or agreeing directions.
    pub coupling: Coupling,
    /// tau of eq. 11: weight of the word-independent jumps in those of each word. Infinity: the plain HMM; 0: maximum likelihood.
    pub tau: f64,
    /// Weight of the word-independent jumps in those of each class of words; 0: maximum likelihood (Och and Ney 2000).
    pub class_tau: f64,
    /// p0: probability of NULL.
    pub null_probability: f64,
    /// The same in Model 1; without it NULL is one of I + 1 equal candidates.
    pub warm_up_null: Option<f64>,
    /// alpha: share of the uniform distribution in all jumps.
    pub smoothing: f64,
    /// How fast jumps are less likely the further they are from +1 when training starts, per position (natural logarithm); 0: all equally likely.
    pub initial_decay: f64,
    /// Lengths, in characters and falling, of the prefixes that the lexicon backs off to.
    pub prefixes: Vec<u32>,
    /// Pseudo-counts of the next shorter form in the estimate of each level: whole words first, relative frequencies last. Either one for each level
    /// (`prefixes.len() + 1`), or a single one for all.
    pub strength: Vec<f64>,
    /// Pseudo-counts of the next shorter form for each different translation, besides the constant ones.
    pub variety: f64,
    /// Share of a token's own expected count that is taken out before its sentence is looked at again, 0 to 1.
    pub leave_out: f64,
    /// Share of the relative word frequencies in NULL's lexicon, 0 to 1.
    pub null_mixture: f64,
    /// What forward-backward may leave out.
    pub beam: Beam,
    /// Which links are read out.
    pub decoding: Decoding,
    /// Whether the posteriors of all likely links are kept, not only the best links.
    pub wants_posteriors: bool,
    /// Samples of links after training, which replace its links and posteriors.
    pub sampling: Option<Sampling>,
}

impl Options {
    /// Looks for options out of range.
    ///
    /// # Errors
    /// [`Error::Config`] with the name of the option.
    pub fn check(&self) -> Result<()> {
        if self.warm_up + self.iterations == 0 {
            return Err(Error::config(
                "iterations",
                "at least 1, or warm_up at least 1",
                0,
            ));
        }
        if self.tau.is_nan() || self.tau < 0.0 {
            return Err(Error::config(
                "tau",
                "0 or more; inf for the plain HMM",
                self.tau,
            ));
        }
        if self.class_tau.is_nan() || self.class_tau < 0.0 {
            return Err(Error::config("class_tau", "0 or more", self.class_tau));
        }
        for p0 in [Some(self.null_probability), self.warm_up_null]
            .into_iter()
            .flatten()
        {
            if !(p0 > 0.0 && p0 < 1.0) {
                return Err(Error::config("p0", "above 0 and below 1", p0));
            }
        }
        if !(self.variety.is_finite() && self.variety >= 0.0) {
            return Err(Error::config(
                "variety",
                "finite and not negative",
                self.variety,
            ));
        }
        if !(self.initial_decay.is_finite() && self.initial_decay >= 0.0) {
            return Err(Error::config(
                "initial_decay",
                "finite and not negative",
                self.initial_decay,
            ));
        }
        share("smoothing", self.smoothing)?;
        share("leave_out", self.leave_out)?;
        share("null_mixture", self.null_mixture)?;
        share("beam", f64::from(self.beam.emission))?;
        share("beam", f64::from(self.beam.state))?;
        if !self.prefixes.is_sorted_by(|a, b| a > b) || self.prefixes.last() == Some(&0) {
            return Err(Error::config(
                "prefixes",
                "lengths above 0 that fall",
                format!("{:?}", self.prefixes),
            ));
        }
        if ![1, self.prefixes.len() + 1].contains(&self.strength.len()) {
            let expected = format!("1 or {} numbers", self.prefixes.len() + 1);
            return Err(Error::config("strength", &expected, self.strength.len()));
        }
        if let Some(sampling) = &self.sampling {
            sampling.check()?;
            self.check_sampling()?;
        }
        match self
            .strength
            .iter()
            .find(|k| !(k.is_finite() && **k >= 0.0))
        {
            Some(k) => Err(Error::config("strength", "finite and not negative", k)),
            None => Ok(()),
        }
    }

    /// Looks for options that the sampler cannot have: its priors need mass.
    fn check_sampling(&self) -> Result<()> {
        if self.iterations == 0 {
            return Err(Error::config("iterations", "at least 1 for the sampler", 0));
        }
        if self.tau <= 0.0 {
            return Err(Error::config("tau", "above 0 for the sampler", self.tau));
        }
        if self.strength.first().is_none_or(|&k| k <= 0.0) {
            let found = format!("{:?}", self.strength);
            return Err(Error::config("strength", "above 0 for the sampler", found));
        }
        if self.decoding == Decoding::Viterbi {
            return Err(Error::config(
                "decoding",
                "posterior for the sampler",
                "viterbi",
            ));
        }
        Ok(())
    }

    /// The pseudo-counts of all levels.
    #[must_use]
    pub fn lexicon_strength(&self) -> Strength {
        let levels = self.prefixes.len() + 1;
        let constant = match self.strength[..] {
            [all] => vec![all; levels],
            _ => self.strength.clone(),
        };
        Strength {
            constant,
            variety: self.variety,
        }
    }
}

fn share(name: &'static str, value: f64) -> Result<()> {
    if (0.0..=1.0).contains(&value) {
        Ok(())
    } else {
        Err(Error::config(name, "from 0 to 1", value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_iteration_leaves_out_more_but_never_less_and_nothing_of_nothing() {
        let beam = |emission, state| Beam { emission, state };
        let tiny = 2.0_f32.powi(-12);
        assert_eq!(beam(0.0, 0.0).widened(), beam(0.0, 0.0));
        assert_eq!(beam(tiny, 0.001).widened(), beam(10.0 * tiny, 0.01));
        assert_eq!(beam(0.004, 0.05).widened(), beam(0.01, 0.05));
    }
}

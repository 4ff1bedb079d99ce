//! Training of both directions side by side.

use super::chain::train_gibbs;
use super::emissions::{Direction, Emissions};
use super::lexicon::Lexicon;
use super::maximize::{read_expectation, train_em, train_expectation};
use super::options::{Inference, Options};
use super::readout::DirectionReadout;
use super::run::Side;
use super::vb::VariationalBayes;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::{to_f64, to_u64};
use crate::parallel;
use crate::progress::Progress;
use crate::text::Bitext;

/// A trained direction.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainedDirection {
    /// Links and posteriors of the training text.
    pub readout: DirectionReadout,
    /// Translation table.
    pub lexicon: Lexicon,
    /// After each iteration: the objective (EM: log-likelihood, VB: bound; natural logarithm) of the parameters it started from, or for Gibbs the share
    /// of tokens whose link changed.
    pub history: Vec<f64>,
}

/// Both directions, forward first.
#[derive(Debug, Clone, PartialEq)]
pub struct Trained {
    /// P(target | source).
    pub forward: TrainedDirection,
    /// P(source | target).
    pub reverse: TrainedDirection,
}

/// Blocks of an E-step; their number has no influence on the result.
const EXPECTATION_BLOCKS: usize = 48;

/// Who runs, who may stop it, who hears of it.
pub struct Context<'a> {
    /// Most threads at a time.
    pub threads: usize,
    /// Request to stop.
    pub cancel: &'a CancelToken,
    /// Hears of every iteration.
    pub progress: &'a dyn Progress,
}

/// Trains both directions and reads out the links of the training text.
///
/// # Errors
/// [`Error::Config`] for an option out of range, [`Error::TooLarge`] for a corpus over the limits, [`Error::Cancelled`].
///
/// # Complexity
/// An iteration is O(sum of I J) time for each direction. Memory for each direction: 8 bytes an emitted token; for the sampler 6 more, about 6 a given
/// token (rows), and 8 for each candidate that was sampled or likely; for EM and variational Bayes 16 a co-occurring pair; 12 for each link that is read out.
pub fn train(bitext: &Bitext, options: &Options, context: &Context<'_>) -> Result<Trained> {
    options.check()?;
    context.progress.report("indexing", 0, 1, &[]);
    let directions = parallel::map(
        context.threads,
        context.cancel,
        Direction::BOTH.to_vec(),
        |_, direction| Emissions::new(bitext, direction),
    )?;
    let sides: Vec<Side<'_>> = directions
        .iter()
        .map(|emissions| Side {
            emissions,
            blocks: emissions.blocks(EXPECTATION_BLOCKS),
        })
        .collect();
    let trained = match options.inference {
        Inference::Em(iterations) => {
            let runs = train_em(&sides, options, options.model, iterations, context)?;
            read_expectation(&sides, options, runs, bitext.len(), context)?
        }
        Inference::Vb(iterations) => {
            let update = |emissions: &Emissions<'_>| VariationalBayes {
                theta: options.theta,
                phi: options.phi,
                emitted_types: to_f64(to_u64(emissions.emitted().vocabulary().len())),
            };
            let schedule = (options.model, iterations);
            let runs = train_expectation(&sides, options, schedule, "VB", update, context)?;
            read_expectation(&sides, options, runs, bitext.len(), context)?
        }
        Inference::Gibbs(sampling) => {
            train_gibbs(&sides, options, sampling, bitext.usable(), context)?
        }
    };
    let mut trained = trained.into_iter();
    match (trained.next(), trained.next()) {
        (Some(forward), Some(reverse)) => Ok(Trained { forward, reverse }),
        _ => Err(Error::Cancelled),
    }
}

//! Sweeps of the Model 1 sampler over a made corpus: what `benches/run.py instructions` counts under valgrind.
//!
//! `sweeps PAIRS SWEEPS` prints the tokens of both sides, which is the number of links drawn in a sweep.

use plait_core::align::ibm::initial::Initial;
use plait_core::align::ibm::options::{Inference, Options, Sampler, Sampling};
use plait_core::align::ibm::placement::Model;
use plait_core::align::ibm::train::{Context, train};
use plait_core::cancel::CancelToken;
use plait_core::progress::Silent;
use plait_core::rng::Stream;
use plait_core::text::{Bitext, BitextBuilder, TextOptions};
use std::fmt::Write;

/// Word types of a side.
const TYPES: f64 = 20_000.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next = |name| {
        arguments
            .next()
            .ok_or(format!("usage: sweeps PAIRS SWEEPS ({name} is missing)"))
    };
    let pairs: u64 = next("PAIRS")?.parse()?;
    let sweeps: u32 = next("SWEEPS")?.parse()?;
    let bitext = made(pairs)?;
    let options = Options {
        model: Model::One,
        inference: Inference::Gibbs(Sampling {
            burn_in: sweeps.saturating_sub(1),
            samples: 1,
            lag: 1,
            initial: Initial::CoOccurrence,
            sampler: Sampler::Auto,
        }),
        warm_up: 0,
        theta: 1e-4,
        phi: 1.0,
        null_probability: None,
        seed: 1,
        wants_objective: false,
        wants_posteriors: false,
    };
    let context = Context {
        threads: 1,
        cancel: &CancelToken::new(),
        progress: &Silent,
    };
    train(&bitext, &options, &context)?;
    println!(
        "{}",
        bitext.source().tokens().len() + bitext.target().tokens().len()
    );
    Ok(())
}

/// Pairs of 5 to 34 words of a Zipf-like law; seven target words of ten translate the source word beside them.
fn made(pairs: u64) -> Result<Bitext, Box<dyn std::error::Error>> {
    let mut text = String::new();
    for pair in 0..pairs {
        let draws = Stream::new(&[pair]);
        let length = 5 + u64::from(draws.below(0, 30));
        // TYPES to the power of a uniform number: the logarithm of the rank is uniform.
        let word = |n| TYPES.powf(f64::from(draws.unit_f32(n))).floor();
        for n in 1..=length {
            write!(text, "s{} ", word(n))?;
        }
        text.push_str("|||");
        for n in 1..=length {
            let is_translation = draws.below(length + n, 10) < 7;
            write!(
                text,
                " t{}",
                word(if is_translation { n } else { 2 * length + n })
            )?;
        }
        text.push('\n');
    }
    let builder = BitextBuilder::new(TextOptions::default())?;
    builder.feed_joint(text.as_bytes())?;
    builder.end_joint()?;
    Ok(builder.finish()?)
}

//! Collapsed Gibbs sampling (Mermer, Saraçlar and Sarikaya 2013, eq. 6 and eq. 10, Table I).
//!
//! ```text
//! Model 1:  P(a_j = i | E, F, A \ j)  ~  (N[e_i, f_j] + theta) / (N[e_i] + V theta)
//! Model 2:                            ~  the same, times (N_d[delta] + phi), NULL: times p0 / (1 - p0) (N_d + 11 phi)
//! ```
//!
//! A sweep resamples every token once, grouped by emitted type. Within a column the numerators are a dense array that is filled from the column's own
//! links, so N[e, f] is stored nowhere, and a candidate costs one read of `weight[e] = (N[e, f] + theta) / (N[e] + V theta)`, which is kept up to date whenever a
//! count changes.
//!
//! With one block the sampler is exact: each draw sees every other current link. With several blocks, which run side by side, each block sees the totals N[e]
//! and `N_d` of the other blocks as they were when the sweep began, and its own up to date; the numerators N[e, f] are always exact, since a type lies
//! in one block. (The paper's threads freeze all counts for the whole sweep.)
//!
//! Weights are single precision and use only + * / and comparison, so they have the same bits on every platform; counts are integers.

use super::column::Column;
use super::emissions::{Block, Emissions};
use super::pairs::PairCounts;
use super::placement::{CENTRE, JUMPS, Model, Runs};
use super::rows::{BATCH, Batch, CHUNK, Row, Rows};
use super::samples::{Recorder, Samples};
use super::strategy::Strategy;
use super::token::{DEFAULT_NULL_PROBABILITY, token_prior};
use super::wheel::Wheel;
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::numeric::to_f32;
use crate::rng::Stream;

/// The sampler of one direction and chain.
#[derive(Debug)]
pub struct Gibbs {
    /// The candidates of every sentence.
    pub rows: Rows,
    /// Which model.
    pub model: Model,
    /// Probability of NULL; Model 1 has 1 / (I + 1) without it.
    pub null_probability: Option<f64>,
    /// Pseudo-count of every word pair.
    pub theta: f64,
    /// Pseudo-count of every relative distortion.
    pub phi: f64,
    /// Seed of the random streams.
    pub seed: u64,
    /// Number of the chain.
    pub chain: u64,
}

/// Counts that a sweep starts from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameters {
    /// N[e]: links of each given type, NULL last.
    pub totals: Vec<u32>,
    /// `N_d`: links of each relative distortion, without NULL links.
    pub jumps: [u64; JUMPS],
    /// Number of sweeps done.
    pub sweep: u64,
    /// Whether the next sweep's draws are remembered as a sample.
    pub is_sample: bool,
    /// N[e, f] of links outside of the text at hand, for a corpus that is sampled in shards; their totals are in `totals`.
    pub elsewhere: Option<PairCounts>,
}

/// What a sweep changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statistics {
    totals: Vec<i64>,
    jumps: [i64; JUMPS],
    /// Number of tokens whose link changed.
    pub moved: u64,
}

/// The current links of a block's tokens.
#[derive(Debug, Clone, Default)]
pub struct State {
    /// Candidate of each slot: 0 for NULL, i + 1 for position i.
    pub links: Vec<u16>,
    /// Given type of each slot's link, NULL = number of given types.
    linked: Vec<u32>,
    /// What was drawn so far.
    pub samples: Samples,
}

impl State {
    /// The state of a block whose tokens have these links.
    #[must_use]
    pub fn new(emissions: &Emissions<'_>, rows: &Rows, block: &Block, links: Vec<u16>) -> Self {
        let rows = block
            .slots
            .clone()
            .map(|slot| rows.row(emissions.sentence_of(slot)));
        let linked = rows
            .zip(&links)
            .map(|(row, &link)| row.id(link.into()))
            .collect();
        Self {
            links,
            linked,
            samples: Samples::default(),
        }
    }

    /// Given types of the links of these slots, counted from the start of the block.
    #[must_use]
    pub fn linked(&self, slots: std::ops::Range<usize>) -> &[u32] {
        &self.linked[slots]
    }
}

impl Gibbs {
    /// The counts of these links.
    #[must_use]
    pub fn count(
        &self,
        emissions: &Emissions<'_>,
        blocks: &[Block],
        states: &[State],
    ) -> Parameters {
        let mut parameters = Parameters {
            totals: vec![0; emissions.null() + 1],
            jumps: [0; JUMPS],
            sweep: 0,
            is_sample: false,
            elsewhere: None,
        };
        for (block, state) in blocks.iter().zip(states) {
            for (n, slot) in block.slots.clone().enumerate() {
                parameters.totals[state.linked[n] as usize] += 1;
                if let (Model::Two(tail), Some(i)) = (self.model, state.links[n].checked_sub(1)) {
                    let len = self.rows.row(emissions.sentence_of(slot)).len;
                    let runs = Runs::new(len, emissions.diagonal_of(slot), tail);
                    parameters.jumps[runs.place(i.into()).0] += 1;
                }
            }
        }
        parameters
    }

    /// What Model 1 multiplies the weight of NULL by.
    #[inline]
    fn flat_null_odds(&self, len: usize) -> f32 {
        self.null_probability.map_or(1.0, |_| {
            let (null, real) = token_prior(self.model, self.null_probability, len);
            to_f32(null / real)
        })
    }

    fn null_odds(&self) -> f32 {
        let p0 = self.null_probability.unwrap_or(DEFAULT_NULL_PROBABILITY);
        to_f32(p0 / (1.0 - p0))
    }
}

/// Draws a candidate for a token whose link is taken away, and records the draw.
#[inline]
fn draw(
    row: Row<'_>,
    share: f32,
    weigh: impl Fn(usize, &[u32; CHUNK]) -> [f32; CHUNK],
    wheel: &mut Wheel,
    recorder: Option<&mut Recorder>,
) -> usize {
    wheel.fill(row.ids, &weigh);
    let new = wheel.at(share, row.len + 1, row.ids, &weigh);
    if let Some(recorder) = recorder {
        let weights = row
            .ids
            .iter()
            .enumerate()
            .map(|(number, ids)| weigh(number, ids));
        recorder.token(new, weights, wheel.total());
    }
    new
}

/// Distortion counts as factors: `N_d[delta] + phi`, without the common denominator.
struct Distortion {
    counts: [u64; JUMPS],
    total: u64,
    factors: [f32; JUMPS],
    phi: f32,
    null_odds: f32,
}

impl Distortion {
    fn new(counts: [u64; JUMPS], phi: f64, null_odds: f32) -> Self {
        let mut distortion = Self {
            counts,
            total: counts.iter().sum(),
            factors: [0.0; JUMPS],
            phi: to_f32(phi),
            null_odds,
        };
        for delta in 0..JUMPS {
            distortion.refresh(delta);
        }
        distortion
    }

    #[inline]
    fn refresh(&mut self, delta: usize) {
        self.factors[delta] = wide(self.counts[delta]) + self.phi;
    }

    #[inline]
    fn remove(&mut self, delta: usize) {
        self.counts[delta] -= 1;
        self.total -= 1;
        self.refresh(delta);
    }

    #[inline]
    fn add(&mut self, delta: usize) {
        self.counts[delta] += 1;
        self.total += 1;
        self.refresh(delta);
    }

    /// Weighs the candidates of a token of Model 2, a chunk at a time.
    #[inline]
    fn weigher(
        &self,
        runs: &Runs,
        weight: &[f32],
    ) -> impl Fn(usize, &[u32; CHUNK]) -> [f32; CHUNK] {
        let mut factors = self.factors;
        factors[0] *= to_f32(runs.left_share());
        factors[JUMPS - 1] *= to_f32(runs.right_share());
        let (diagonal, null) = (runs.diagonal(), self.null());
        move |number, ids| {
            // Candidate c is position c - 1, which is c - 1 - diagonal from the diagonal.
            let first = CHUNK * number + CENTRE - 1;
            let mut chunk: [f32; CHUNK] = std::array::from_fn(|n| {
                let bucket = (first + n).saturating_sub(diagonal).min(JUMPS - 1);
                weight[ids[n] as usize] * factors[bucket]
            });
            if number == 0 {
                chunk[0] = weight[ids[0] as usize] * null;
            }
            chunk
        }
    }

    /// The factor of NULL on the same scale.
    #[inline]
    fn null(&self) -> f32 {
        self.null_odds * (wide(self.total) + 11.0 * self.phi)
    }
}

#[inline]
#[expect(
    clippy::cast_precision_loss,
    reason = "a weight needs no more than 24 bits"
)]
fn wide(count: u64) -> f32 {
    count as f32
}

impl Strategy for Gibbs {
    type Parameters = Parameters;
    type Statistics = Statistics;
    type State = State;

    fn accumulate(
        &self,
        emissions: &Emissions<'_>,
        block: &Block,
        state: &mut State,
        parameters: &Parameters,
        cancel: &CancelToken,
    ) -> Result<Statistics> {
        let emitted_types = emissions.emitted().vocabulary().len();
        let mut column = Column::new(&parameters.totals, self.theta, emitted_types);
        let mut distortion = Distortion::new(parameters.jumps, self.phi, self.null_odds());
        let key = [
            self.seed,
            self.chain,
            parameters.sweep,
            emissions.direction().key(),
        ];
        let draws = Stream::new(&key);
        let mut recorder = parameters
            .is_sample
            .then(|| state.samples.record(block.slots.len()));
        let mut wheel = Wheel::default();
        let mut batch = Batch::default();
        let mut moved = 0;
        for word in block.types.clone() {
            let slots = emissions.slots(word);
            let local = slots.start - block.slots.start..slots.end - block.slots.start;
            column.open(&state.linked[local.clone()]);
            if let Some(elsewhere) = &parameters.elsewhere {
                elsewhere
                    .column(word)
                    .for_each(|(e, count)| column.lend(e, count));
            }
            for (slot, n) in slots.clone().zip(local.clone()) {
                let in_batch = (slot - slots.start) % BATCH;
                if in_batch == 0 {
                    cancel.check()?;
                    let end = (slot + BATCH).min(slots.end);
                    batch.fetch(&self.rows, emissions.sentences_of(slot..end));
                }
                let row = batch.row(&self.rows, in_batch);
                let old = state.links[n];
                column.remove(state.linked[n] as usize);
                let share = draws.unit_f32(emissions.token(slot));
                let new = match self.model {
                    Model::One => {
                        let (weight, odds) = (column.weight(), self.flat_null_odds(row.len));
                        let weigh = |number: usize, ids: &[u32; CHUNK]| {
                            let mut chunk = ids.map(|e| weight[e as usize]);
                            chunk[0] *= if number == 0 { odds } else { 1.0 };
                            chunk
                        };
                        draw(row, share, weigh, &mut wheel, recorder.as_mut())
                    }
                    Model::Two(tail) => {
                        let runs = Runs::new(row.len, emissions.diagonal_of(slot), tail);
                        if let Some(i) = old.checked_sub(1) {
                            distortion.remove(runs.place(i.into()).0);
                        }
                        let weigh = distortion.weigher(&runs, column.weight());
                        let new = draw(row, share, weigh, &mut wheel, recorder.as_mut());
                        if let Some(i) = new.checked_sub(1) {
                            distortion.add(runs.place(i).0);
                        }
                        new
                    }
                };
                let e = row.id(new);
                column.add(e as usize);
                state.linked[n] = e;
                state.links[n] = u16::try_from(new).unwrap_or(u16::MAX);
                moved += u64::from(state.links[n] != old);
            }
            column.close(&state.linked[local]);
            if let Some(elsewhere) = &parameters.elsewhere {
                elsewhere.column(word).for_each(|(e, _)| column.close(&[e]));
            }
        }
        if let Some(recorder) = recorder {
            state.samples = recorder.finish();
        }
        let change = |new: u64, old: u64| new.cast_signed() - old.cast_signed();
        let mut jumps = [0; JUMPS];
        for (delta, jump) in jumps.iter_mut().enumerate() {
            *jump = change(distortion.counts[delta], parameters.jumps[delta]);
        }
        Ok(Statistics {
            totals: column
                .totals()
                .zip(&parameters.totals)
                .map(|(new, &old)| i64::from(new) - i64::from(old))
                .collect(),
            jumps,
            moved,
        })
    }

    fn merge(&self, into: &mut Statistics, more: Statistics) -> Result<()> {
        for (sum, part) in into.totals.iter_mut().zip(more.totals) {
            *sum += part;
        }
        for (sum, part) in into.jumps.iter_mut().zip(more.jumps) {
            *sum += part;
        }
        into.moved += more.moved;
        Ok(())
    }

    fn estimate(&self, mut parameters: Parameters, statistics: Statistics) -> Result<Parameters> {
        for (total, change) in parameters.totals.iter_mut().zip(statistics.totals) {
            // A total is a number of tokens, of which there are fewer than 2^32.
            *total = u32::try_from(i64::from(*total) + change).unwrap_or(0);
        }
        for (count, change) in parameters.jumps.iter_mut().zip(statistics.jumps) {
            *count = count.checked_add_signed(change).unwrap_or(0);
        }
        parameters.sweep += 1;
        Ok(parameters)
    }
}

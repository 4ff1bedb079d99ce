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

use super::emissions::{Block, Emissions};
use super::expectation::{DEFAULT_NULL_PROBABILITY, token_prior};
use super::placement::{JUMPS, Model, Runs, diagonal};
use super::samples::Samples;
use super::strategy::Strategy;
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::ids::WordId;
use crate::numeric::{to_f32, to_f64, to_u64};
use crate::rng::Stream;

/// The sampler of one direction and chain.
#[derive(Debug, Clone, PartialEq)]
pub struct Gibbs {
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
    pub fn new(emissions: &Emissions<'_>, block: &Block, links: Vec<u16>) -> Self {
        let linked = block
            .slots
            .clone()
            .zip(&links)
            .map(|(slot, &link)| linked_type(emissions, slot, link))
            .collect();
        Self {
            links,
            linked,
            samples: Samples::default(),
        }
    }
}

fn linked_type(emissions: &Emissions<'_>, slot: usize, link: u16) -> u32 {
    match link.checked_sub(1) {
        None => u32::try_from(emissions.null()).unwrap_or(u32::MAX),
        Some(i) => emissions.given_sentence(slot)[usize::from(i)].as_u32(),
    }
}

fn slot_runs(emissions: &Emissions<'_>, slot: usize, model: Model, given_len: usize) -> Runs {
    match model {
        Model::One => Runs::flat(given_len),
        Model::Two(tail) => {
            let position = emissions.position_of(slot).into();
            Runs::new(
                given_len,
                diagonal(position, emissions.emitted_len(slot), given_len),
                tail,
            )
        }
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
        };
        for (block, state) in blocks.iter().zip(states) {
            for (n, slot) in block.slots.clone().enumerate() {
                parameters.totals[state.linked[n] as usize] += 1;
                if let (Model::Two(_), Some(i)) = (self.model, state.links[n].checked_sub(1)) {
                    let given_len = emissions.given_sentence(slot).len();
                    let runs = slot_runs(emissions, slot, self.model, given_len);
                    parameters.jumps[runs.place(i.into()).0] += 1;
                }
            }
        }
        parameters
    }

    fn null_odds(&self) -> f32 {
        let p0 = self.null_probability.unwrap_or(DEFAULT_NULL_PROBABILITY);
        to_f32(p0 / (1.0 - p0))
    }
}

/// Counts and weights of one column, dense over given types.
struct Column {
    counts: Vec<u32>,
    totals: Vec<u32>,
    weight: Vec<f32>,
    theta: f32,
    prior_mass: f32,
}

impl Column {
    fn new(totals: &[u32], theta: f64, emitted_types: usize) -> Self {
        let mut column = Self {
            counts: vec![0; totals.len()],
            totals: totals.to_vec(),
            weight: vec![0.0; totals.len()],
            theta: to_f32(theta),
            prior_mass: to_f32(theta * to_f64(to_u64(emitted_types))),
        };
        for e in 0..totals.len() {
            column.refresh(e);
        }
        column
    }

    /// Recomputes the weight of a given type from its counts.
    #[inline]
    fn refresh(&mut self, e: usize) {
        self.weight[e] =
            (single(self.counts[e]) + self.theta) / (single(self.totals[e]) + self.prior_mass);
    }

    #[inline]
    fn remove(&mut self, e: usize) {
        self.counts[e] -= 1;
        self.totals[e] -= 1;
        self.refresh(e);
    }

    #[inline]
    fn add(&mut self, e: usize) {
        self.counts[e] += 1;
        self.totals[e] += 1;
        self.refresh(e);
    }

    /// Fills the numerators from a column's links.
    fn open(&mut self, linked: &[u32]) {
        for &e in linked {
            self.counts[e as usize] += 1;
        }
        for &e in linked {
            self.refresh(e as usize);
        }
    }

    /// Empties the numerators again.
    fn close(&mut self, linked: &[u32]) {
        for &e in linked {
            self.counts[e as usize] = 0;
            self.refresh(e as usize);
        }
    }
}

/// A count as a single: exact up to 2^24, rounded above.
#[inline]
#[expect(
    clippy::cast_precision_loss,
    reason = "a weight needs no more than 24 bits"
)]
fn single(count: u32) -> f32 {
    count as f32
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

/// Positions whose weights are summed as one.
const CHUNK: usize = 8;

/// Cumulative weights of the candidates of one token, chunk by chunk.
struct Wheel {
    null: f32,
    total: f32,
    ends: Vec<f32>,
    chunks: Vec<(usize, usize)>,
}

impl Wheel {
    fn new() -> Self {
        Self {
            null: 0.0,
            total: 0.0,
            ends: Vec::new(),
            chunks: Vec::new(),
        }
    }

    fn begin(&mut self, null: f32) {
        self.null = null;
        self.total = null;
        self.ends.clear();
        self.chunks.clear();
    }

    /// Adds positions `start ..` whose words share one factor.
    #[inline]
    fn run(&mut self, words: &[WordId], start: usize, weight: &[f32], factor: f32) {
        let chunks = words.chunks_exact(CHUNK);
        let rest = chunks.remainder();
        let mut at = start;
        for chunk in chunks {
            let w = |n: usize| weight[chunk[n].index()];
            let sum = ((w(0) + w(1)) + (w(2) + w(3))) + ((w(4) + w(5)) + (w(6) + w(7)));
            self.close(at, CHUNK, sum * factor);
            at += CHUNK;
        }
        if !rest.is_empty() {
            let sum: f32 = rest.iter().map(|e| weight[e.index()]).sum();
            self.close(at, rest.len(), sum * factor);
        }
    }

    /// Adds positions `start ..` with a factor each.
    #[inline]
    fn core(&mut self, words: &[WordId], start: usize, weight: &[f32], factors: &[f32]) {
        if words.is_empty() {
            return;
        }
        let sum: f32 = words
            .iter()
            .zip(factors)
            .map(|(e, factor)| weight[e.index()] * factor)
            .sum();
        self.close(start, words.len(), sum);
    }

    #[inline]
    fn close(&mut self, start: usize, len: usize, sum: f32) {
        self.total += sum;
        self.ends.push(self.total);
        self.chunks.push((start, len));
    }

    /// The candidate at `share` (in [0, 1)) of the total; `weigh(i)` is the weight of position `i`.
    #[inline]
    fn at(&self, share: f32, weigh: impl Fn(usize) -> f32) -> u16 {
        let goal = share * self.total;
        if goal < self.null {
            return 0;
        }
        let mut before = self.null;
        let mut last = 0;
        for (&end, &(start, len)) in self.ends.iter().zip(&self.chunks) {
            last = start + len;
            if goal < end {
                let mut sum = before;
                for i in start..last {
                    sum += weigh(i);
                    if goal < sum {
                        last = i + 1;
                        break;
                    }
                }
                break;
            }
            before = end;
        }
        // Falling off an end by rounding means the last candidate before it.
        u16::try_from(last).unwrap_or(u16::MAX)
    }
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
        let draws = Stream::new(&[
            self.seed,
            self.chain,
            parameters.sweep,
            emissions.direction().key(),
        ]);
        let mut recorder = parameters
            .is_sample
            .then(|| state.samples.record(block.slots.len()));
        let mut wheel = Wheel::new();
        let mut moved = 0;
        for word in block.types.clone() {
            cancel.check()?;
            let slots = emissions.slots(word);
            let local = slots.start - block.slots.start..slots.end - block.slots.start;
            column.open(&state.linked[local.clone()]);
            for (slot, n) in slots.zip(local.clone()) {
                let token = Draw::new(self, emissions, slot);
                let old = state.links[n];
                token.unlink(old, state.linked[n], &mut column, &mut distortion);
                token.weigh(&column, &distortion, &mut wheel);
                let share = draws.unit_f32(emissions.token(slot));
                let new = wheel.at(share, |i| token.weight(i, &column, &distortion));
                if let Some(recorder) = &mut recorder {
                    token.record(new, &wheel, &column, &distortion, recorder);
                }
                state.linked[n] = token.link(new, &mut column, &mut distortion);
                state.links[n] = new;
                moved += u64::from(new != old);
            }
            column.close(&state.linked[local]);
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
                .totals
                .iter()
                .zip(&parameters.totals)
                .map(|(&new, &old)| i64::from(new) - i64::from(old))
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

/// One token that is being resampled.
struct Draw<'a> {
    given: &'a [WordId],
    runs: Runs,
    has_distortion: bool,
    prior: (f32, f32),
}

impl<'a> Draw<'a> {
    #[inline]
    fn new(gibbs: &Gibbs, emissions: &Emissions<'a>, slot: usize) -> Self {
        let given = emissions.given_sentence(slot);
        let prior = match (gibbs.model, gibbs.null_probability) {
            (Model::One, Some(_)) => token_prior(Model::One, gibbs.null_probability, given.len()),
            _ => (1.0, 1.0),
        };
        Self {
            given,
            runs: slot_runs(emissions, slot, gibbs.model, given.len()),
            has_distortion: matches!(gibbs.model, Model::Two(_)),
            prior: (to_f32(prior.0), to_f32(prior.1)),
        }
    }

    #[inline]
    fn unlink(&self, link: u16, linked: u32, column: &mut Column, distortion: &mut Distortion) {
        column.remove(linked as usize);
        if let (true, Some(i)) = (self.has_distortion, link.checked_sub(1)) {
            distortion.remove(self.runs.place(i.into()).0);
        }
    }

    /// Adds the link to the counts; returns the given type it goes to.
    #[inline]
    fn link(&self, link: u16, column: &mut Column, distortion: &mut Distortion) -> u32 {
        let linked = match link.checked_sub(1) {
            None => column.totals.len() - 1,
            Some(i) => {
                if self.has_distortion {
                    distortion.add(self.runs.place(i.into()).0);
                }
                self.given[usize::from(i)].index()
            }
        };
        column.add(linked);
        u32::try_from(linked).unwrap_or(u32::MAX)
    }

    #[inline]
    fn weigh(&self, column: &Column, distortion: &Distortion, wheel: &mut Wheel) {
        let weight = &column.weight;
        let null = weight[weight.len() - 1];
        if self.has_distortion {
            let factors = &distortion.factors;
            let words = |run: &std::ops::Range<usize>| &self.given[run.clone()];
            let (left, core, right) = (&self.runs.left, &self.runs.core, &self.runs.right);
            wheel.begin(null * distortion.null());
            wheel.run(
                words(left),
                left.start,
                weight,
                factors[0] * to_f32(self.runs.left_share()),
            );
            wheel.core(
                words(core),
                core.start,
                weight,
                &factors[self.runs.first_bucket..],
            );
            let last = factors[JUMPS - 1] * to_f32(self.runs.right_share());
            wheel.run(words(right), right.start, weight, last);
        } else {
            wheel.begin(null * self.prior.0);
            wheel.run(self.given, 0, weight, self.prior.1);
        }
    }

    #[inline]
    fn weight(&self, i: usize, column: &Column, distortion: &Distortion) -> f32 {
        let weight = column.weight[self.given[i].index()];
        if self.has_distortion {
            let (bucket, share) = self.runs.place(i);
            weight * (distortion.factors[bucket] * to_f32(share))
        } else {
            weight * self.prior.1
        }
    }

    fn record(
        &self,
        drawn: u16,
        wheel: &Wheel,
        column: &Column,
        distortion: &Distortion,
        recorder: &mut super::samples::Recorder,
    ) {
        let inverse = 1.0 / wheel.total;
        let real = (0..self.given.len()).map(|i| self.weight(i, column, distortion));
        let all = std::iter::once(wheel.null).chain(real);
        recorder.token(drawn, all.map(|weight| (weight * inverse).min(1.0)));
    }
}

//! The E-step of a block of sentence pairs.

use super::cells::Block;
use super::count::Counter;
use super::kept::{Cell, Kept, Looked};
use super::options::{Beam, Decoding};
use super::readout::{BlockLinks, read_sentence};
use super::sentence::{Emissions, Inference, Posteriors, Workspace};
use super::statistics::Statistics;
use super::train::{Parameters, Training};
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::ids::WordId;
use crate::numeric::{to_f32, to_f64, to_u64};
use std::sync::{Mutex, PoisonError};

/// A token's own expected links below this are not remembered.
pub(super) const SMALLEST_OWN: f32 = 1e-3;

/// Sentence pairs between two looks at the request to stop.
const BETWEEN_LOOKS: usize = 64;

/// Links between two looks, when estimates are made anew without them: each takes some hundred nanoseconds.
pub(super) const BETWEEN_LOOKS_TAKING_OUT: usize = 1 << 14;

/// One iteration.
pub(super) struct Step<'a> {
    /// Counted from 0, Model 1 first.
    pub(super) iteration: u32,
    /// Whether it is Model 1 or the HMM.
    pub(super) is_hmm: bool,
    /// What forward-backward leaves out.
    pub(super) beam: Beam,
    /// Whether links are read out.
    pub(super) is_last: bool,
    /// Share of the best translation probability that a cell must have in one direction to be kept.
    pub(super) least: Option<f32>,
    pub(super) parameters: &'a Parameters,
    pub(super) statistics: &'a Statistics,
    pub(super) pool: &'a Pool,
    pub(super) cancel: &'a CancelToken,
}

/// A block between two iterations.
pub(super) struct State {
    /// Its cells.
    pub(super) looked: Looked,
    /// Its own expected links, sentence after sentence: cell in the block, and expected links.
    pub(super) own: Vec<(u32, f32)>,
}

impl State {
    pub(super) fn new(block: Block) -> Self {
        Self {
            looked: block.into(),
            own: Vec::new(),
        }
    }
}

/// What a block hands back.
pub(super) struct Part {
    pub(super) state: State,
    pub(super) links: BlockLinks,
    pub(super) ln_likelihoods: [f64; 2],
}

/// Buffers that live longer than a block: one set for each thread. Asking the system for those of a long pair anew costs as much as the work in them.
#[derive(Default)]
pub(super) struct Pool(Mutex<Vec<Buffers>>);

impl Pool {
    fn take(&self) -> Buffers {
        let mut free = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        free.pop().unwrap_or_default()
    }

    /// Gives all memory back to the system.
    pub(super) fn clear(&self) {
        let mut free = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *free = Vec::new();
    }

    fn give_back(&self, buffers: Buffers) {
        let mut free = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        free.push(buffers);
    }
}

/// Buffers that live longer than a sentence; what is in them is overwritten.
#[derive(Default)]
pub(super) struct Buffers {
    pub(super) emissions: Emissions,
    pub(super) posteriors: Posteriors,
    pub(super) spaces: [Workspace; 2],
    pub(super) words: [Vec<Option<WordId>>; 2],
}

impl Training<'_> {
    /// The E-step of a block.
    pub(super) fn expect(&self, state: State, step: &Step<'_>) -> Result<Part> {
        let State { mut looked, own } = state;
        let options = self.options;
        let mut links = BlockLinks::new(options.wants_posteriors);
        let mut ln_likelihoods = [0.0; 2];
        let mut buffers = step.pool.take();
        let jumps = &step.parameters.jumps;
        let inference = Inference {
            jumps: [jumps[0].tables(), jumps[1].tables()],
            p0: options.null_probability,
            beam: step.beam,
            cancel: step.cancel,
        };
        let remembers = options.leave_out > 0.0 && (step.iteration > 0 || options.warm_up == 0);
        let mut counter = Counter::new(options.coupling, remembers, step.statistics, self.words());
        let mut kept = step.least.map(|least| (least, Kept::default()));
        let mut earlier = &own[..];
        let (mut start, mut turn) = (0, 0);
        for (k, n) in looked.sentences.clone().enumerate() {
            if k % BETWEEN_LOOKS == 0 {
                step.cancel.check()?;
            }
            if !self.used[n] {
                if step.is_last {
                    links.skip();
                }
                continue;
            }
            let sides = [
                self.bitext.source().sentence(n),
                self.bitext.target().sentence(n),
            ];
            let lengths = [sides[0].len(), sides[1].len()];
            let end = looked.write(turn, start, lengths, &mut buffers.emissions.cells);
            let mine = earlier.partition_point(|entry| (entry.0 as usize) < end);
            self.emit(sides, (&earlier[..mine], start), step, &mut buffers)?;
            (earlier, start, turn) = (&earlier[mine..], end, turn + 1);
            let Buffers {
                emissions,
                posteriors,
                spaces,
                words,
            } = &mut buffers;
            if let Some((least, kept)) = &mut kept {
                emissions.thin(*least, step.cancel, spaces)?;
                kept.push(&emissions.cells);
            }
            if step.is_hmm {
                emissions.hmm([&words[0], &words[1]], &inference, spaces, posteriors)?;
                counter.add_hmm(sides, emissions, spaces, step.cancel)?;
            } else {
                emissions.model_1(options.warm_up_null, step.cancel, posteriors)?;
                counter.add_model_1(sides, emissions, posteriors, step.cancel)?;
            }
            counter.add_ends(posteriors.ln_likelihoods, &mut ln_likelihoods);
            if step.is_last {
                if step.is_hmm {
                    emissions.spread(spaces, posteriors);
                }
                let viterbi = step.is_hmm && options.decoding == Decoding::Viterbi;
                let lattices = viterbi.then_some(spaces);
                read_sentence(emissions, posteriors, lattices, step.cancel, &mut links)?;
            }
        }
        step.pool.give_back(buffers);
        let (rest, own) = counter.finish();
        step.statistics.merge(&rest);
        if let Some((_, kept)) = kept {
            looked.keep(kept);
        }
        Ok(Part {
            state: State { looked, own },
            links,
            ln_likelihoods,
        })
    }

    /// Number of source and of target words.
    fn words(&self) -> [usize; 2] {
        [self.bitext.source(), self.bitext.target()].map(|side| side.vocabulary().len())
    }

    /// Translation probabilities of the cells of a sentence pair, its own counts left out.
    pub(super) fn emit(
        &self,
        sides: [&[WordId]; 2],
        (own, start): (&[(u32, f32)], usize),
        step: &Step<'_>,
        buffers: &mut Buffers,
    ) -> Result<()> {
        let Buffers {
            emissions, words, ..
        } = buffers;
        let Parameters { tables, nulls, .. } = step.parameters;
        emissions.lengths = [sides[0].len(), sides[1].len()];
        emissions.values.clear();
        let value = |cell: &Cell| tables.entries[cell.pair as usize];
        match tables.uniform {
            Some(all) => emissions.values.resize(emissions.cells.len(), all),
            None => emissions.values.extend(emissions.cells.iter().map(value)),
        }
        for direction in 0..2 {
            words[direction].clear();
            words[direction].extend(sides[direction].iter().map(|&word| Some(word)));
            emissions.nulls[direction].clear();
            let emitted = sides[1 - direction].iter();
            emissions.nulls[direction].extend(emitted.map(|word| nulls[direction][word.index()]));
        }
        let weight = to_f32(self.options.leave_out);
        if weight <= 0.0 || tables.uniform.is_some() {
            return Ok(());
        }
        let Emissions { cells, values, .. } = emissions;
        let mut take_out = |at: usize, own: f32| {
            let (pair, own) = (cells[at].words(sides), own * weight);
            if tables.matters(values[at], pair, own) {
                let forms = [&self.forms[0], &self.forms[1]];
                values[at] = tables.without(&self.ladder, forms, pair, own);
            }
        };
        if step.iteration == 1 && self.options.warm_up > 0 {
            self.initial_links(sides, step.cancel, &mut take_out)
        } else {
            for own in own.chunks(BETWEEN_LOOKS_TAKING_OUT) {
                step.cancel.check()?;
                for &(cell, own) in own {
                    take_out(cell as usize - start, own);
                }
            }
            Ok(())
        }
    }

    /// The expected links of the first iteration, where all translations are equally likely: too many to remember, and easily found again.
    fn initial_links(
        &self,
        sides: [&[WordId]; 2],
        cancel: &CancelToken,
        take_out: &mut impl FnMut(usize, f32),
    ) -> Result<()> {
        let types = [self.forms[0].types(), self.forms[1].types()];
        let posterior = |direction: usize, word: &WordId| -> f32 {
            let given = to_f64(to_u64(sides[direction].len()));
            let t = f64::from(to_f32(1.0 / to_f64(to_u64(types[1 - direction].max(1)))));
            let null = f64::from(self.initial_nulls[direction][word.index()]);
            let (each, p0) = match self.options.warm_up_null {
                Some(p0) => ((1.0 - p0) / given, p0),
                None => (1.0 / (given + 1.0), 1.0 / (given + 1.0)),
            };
            to_f32(each * t / (p0 * null + each * t * given))
        };
        let of_target: Vec<f32> = sides[1].iter().map(|f| posterior(0, f)).collect();
        let mut cell = 0;
        for e in sides[0] {
            cancel.check()?;
            let of_source = posterior(1, e);
            for p in &of_target {
                let own = self.options.coupling.expected(*p, of_source);
                if own >= SMALLEST_OWN {
                    take_out(cell, own);
                }
                cell += 1;
            }
        }
        Ok(())
    }
}

//! Aligning new text with a trained model, without further training.

use super::cells::{Block, Cells, Pairs, used};
use super::forms::Forms;
use super::kept::{Cell, write_all};
use super::lexicon::{Ladder, Tables};
use super::model::Model;
use super::options::Decoding;
use super::prior::Additions;
use super::readout::{BlockLinks, assemble, read_sentence};
use super::sentence::{Emissions, Inference, Posteriors, Workspace};
use crate::align::ibm::readout::DirectionReadout;
use crate::align::ibm::train::Context;
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::ids::WordId;
use crate::numeric::{to_f32, to_f64, to_fixed, to_index, to_u64};
use crate::parallel;
use crate::text::{Bitext, Vocabulary, WordIndex};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Fewer tokens than this are aligned sooner than threads start.
const FEW_TOKENS: usize = 2000;

/// A model with everything that follows from it, made once.
#[derive(Debug)]
pub struct Knowledge {
    model: Arc<Model>,
    vocabularies: [Vocabulary; 2],
    indexes: [WordIndex; 2],
    /// Tokens of each side, at least 1.
    totals: [f64; 2],
    forms: [Forms; 2],
    ladder: Ladder,
    tables: Tables,
    /// For each level, the number of a pair of forms.
    numbers: Vec<FxHashMap<(u32, u32), u32>>,
}

/// Pairs of words that one piece of work estimates.
const PIECE: usize = 1 << 14;

/// Links and scores of new text.
#[derive(Debug, Clone, PartialEq)]
pub struct NewText {
    /// Links and posteriors, forward and reverse.
    pub readouts: [DirectionReadout; 2],
    /// ln P(f | e) and ln P(e | f) of each sentence pair, nats; NaN for pairs that are left out.
    pub ln_likelihoods: [Vec<f64>; 2],
}

/// One level of the back-off of a pair of words.
struct Step {
    level: usize,
    /// The source and the target form, where training knows them.
    given: [Option<u32>; 2],
    /// The number of their pair, where training knows it.
    number: Option<u32>,
    /// Shares of the target and the source form in their shorter forms.
    shares: [f32; 2],
}

/// A word of new text: its id, and its forms from the shortest known one to the word itself.
pub(super) struct NewWord {
    pub(super) id: Option<WordId>,
    /// Form at each level, words first.
    forms: Vec<Option<u32>>,
    /// t(word | NULL).
    pub(super) null: f32,
}

impl Knowledge {
    /// Prepares a model whose words are those of `vocabularies`.
    ///
    /// # Errors
    /// [`crate::error::Error::TooLarge`], [`crate::error::Error::Cancelled`].
    ///
    /// # Complexity
    /// O(pairs of the model) time and memory.
    pub fn new(
        model: Arc<Model>,
        vocabularies: [Vocabulary; 2],
        threads: usize,
        cancel: &CancelToken,
    ) -> Result<Self> {
        let prefixes = &model.options.prefixes;
        let forms = [
            Forms::new(&vocabularies[0], &model.frequencies[0], prefixes)?,
            Forms::new(&vocabularies[1], &model.frequencies[1], prefixes)?,
        ];
        let mut pairs = Pairs {
            targets: model.targets.clone(),
            ..Pairs::default()
        };
        for (e, row) in (0_u32..).zip(model.starts.windows(2)) {
            pairs.sources.resize(to_index(row[1]), e);
        }
        pairs.starts = model.starts.iter().map(|&n| to_index(n)).collect();
        let ladder = Ladder::new(pairs, [&forms[0], &forms[1]], cancel)?;
        let links: Vec<Vec<u64>> = model
            .links
            .iter()
            .map(|counts| counts.iter().map(|&c| fixed(c)).collect())
            .collect();
        let strength = model.options.lexicon_strength();
        let tables = Tables::estimate(
            &ladder,
            [&forms[0], &forms[1]],
            &links,
            &Additions::default(),
            &strength,
            Tables::default(),
            (threads, cancel),
        )?;
        let numbers = ladder
            .levels
            .iter()
            .map(|rung| {
                cancel.check()?;
                let pairs = rung
                    .sources
                    .iter()
                    .copied()
                    .zip(rung.targets.iter().copied());
                Ok(pairs.zip(0_u32..).collect())
            })
            .collect::<Result<_>>()?;
        let indexes = [vocabularies[0].index()?, vocabularies[1].index()?];
        let totals = [0, 1].map(|side: usize| {
            let total: u64 = model.frequencies[side].iter().sum();
            to_f64(total.max(1))
        });
        Ok(Self {
            model,
            vocabularies,
            indexes,
            totals,
            forms,
            ladder,
            tables,
            numbers,
        })
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The vocabularies of its words, source and target.
    #[must_use]
    pub fn vocabularies(&self) -> &[Vocabulary; 2] {
        &self.vocabularies
    }

    /// Links, posteriors and scores of new text. Deterministic, and the same for a sentence pair whatever other pairs there are.
    ///
    /// # Errors
    /// As [`super::train::train`].
    ///
    /// # Complexity
    /// That of an iteration of training.
    pub fn align(&self, bitext: &Bitext, context: &Context<'_>) -> Result<NewText> {
        let used = used(bitext);
        context.progress.report("aligning", 0, 1, &[]);
        let tokens = bitext.source().tokens().len() + bitext.target().tokens().len();
        let threads = if tokens < FEW_TOKENS {
            1
        } else {
            context.threads
        };
        let Cells { pairs, blocks } = Cells::new(bitext, &used, threads, context.cancel)?;
        let words = [
            self.words(0, bitext.source().vocabulary()),
            self.words(1, bitext.target().vocabulary()),
        ];
        let mut entries = vec![[0.0_f32; 2]; pairs.len()];
        let pieces = entries
            .chunks_mut(PIECE)
            .zip(pairs.sources.chunks(PIECE).zip(pairs.targets.chunks(PIECE)));
        parallel::map(
            threads,
            context.cancel,
            pieces.collect(),
            |_, (out, pairs)| {
                for (entry, (&e, &f)) in out.iter_mut().zip(pairs.0.iter().zip(pairs.1)) {
                    *entry = self.entry(&words[0][e as usize], &words[1][f as usize]);
                }
                Ok(())
            },
        )?;
        let parts = parallel::map(threads, context.cancel, blocks, |_, block| {
            self.align_block(bitext, &used, &block, &entries, &words, context.cancel)
        })?;
        let mut ln_likelihoods = [Vec::new(), Vec::new()];
        let mut read = Vec::new();
        for (links, scores) in parts {
            read.push(links);
            for (all, some) in ln_likelihoods.iter_mut().zip(scores) {
                all.extend(some);
            }
        }
        context.progress.report("aligning", 1, 1, &[]);
        Ok(NewText {
            readouts: assemble(read, true)?,
            ln_likelihoods,
        })
    }

    /// What is known of the words of a new vocabulary.
    fn words(&self, side: usize, vocabulary: &Vocabulary) -> Vec<NewWord> {
        vocabulary
            .words()
            .map(|word| self.word(side, word))
            .collect()
    }

    /// What is known of a word.
    pub(super) fn word(&self, side: usize, word: &str) -> NewWord {
        let id = self.indexes[side]
            .get(word)
            .filter(|id| self.model.frequencies[side][id.index()] > 0);
        let mut forms = vec![id.map(WordId::as_u32)];
        forms.extend(self.forms[side].lookup(word, &self.model.options.prefixes));
        let null = match id {
            Some(id) => self.model.nulls[1 - side][id.index()],
            None => to_f32(self.model.options.null_mixture.max(1e-3) / self.totals[side]),
        };
        NewWord { id, forms, null }
    }

    /// Both probabilities of a pair of words; a form that training never saw counts as one token of its shorter form.
    pub(super) fn entry(&self, e: &NewWord, f: &NewWord) -> [f32; 2] {
        let mut estimate = [1.0_f32; 2];
        for level in (0..self.ladder.levels.len()).rev() {
            let step = self.step(level, e, f);
            for (direction, estimate) in estimate.iter_mut().enumerate() {
                let prior = *estimate * step.shares[direction];
                *estimate = self.estimate(&step, direction, step.number, prior);
            }
        }
        estimate
    }

    /// What each level adds to both probabilities of a pair of words, whole words first, relative frequencies last; their sum is [`Self::entry`].
    pub(super) fn parts(&self, e: &NewWord, f: &NewWord) -> [Vec<f32>; 2] {
        let mut parts = [Vec::new(), Vec::new()];
        let mut rest = [1.0_f32; 2];
        for level in 0..self.ladder.levels.len() {
            let step = self.step(level, e, f);
            for direction in 0..2 {
                let own = self.estimate(&step, direction, step.number, 0.0);
                parts[direction].push(rest[direction] * own);
                rest[direction] *=
                    self.estimate(&step, direction, None, 1.0) * step.shares[direction];
            }
        }
        for (parts, rest) in parts.iter_mut().zip(rest) {
            parts.push(rest);
        }
        parts
    }

    /// The forms of a pair of words at one level.
    fn step(&self, level: usize, e: &NewWord, f: &NewWord) -> Step {
        let given = [e.forms[level], f.forms[level]];
        let share = |side: usize, word: &NewWord| match word.forms[level] {
            Some(form) => self.forms[side].shares(level)[form as usize],
            None => self.unseen_share(side, level, word),
        };
        let number = given[0]
            .zip(given[1])
            .and_then(|pair| self.numbers[level].get(&pair));
        Step {
            level,
            given,
            number: number.copied(),
            shares: [share(1, f), share(0, e)],
        }
    }

    fn estimate(&self, step: &Step, direction: usize, number: Option<u32>, prior: f32) -> f32 {
        let given = step.given[direction];
        self.tables
            .entry_above(step.level, direction, given, number, prior)
    }

    /// The share of an unseen form in its shorter form: one token of those and itself; 1 when the shorter form is unseen too, as it is the same token.
    fn unseen_share(&self, side: usize, level: usize, word: &NewWord) -> f32 {
        match word.forms.get(level + 1) {
            Some(None) => 1.0,
            Some(Some(shorter)) => {
                to_f32(1.0 / (self.forms[side].frequency(level + 1, *shorter) + 1.0))
            }
            None => to_f32(1.0 / self.totals[side]),
        }
    }

    /// What forward-backward needs of the model.
    pub(super) fn inference<'a>(&'a self, cancel: &'a CancelToken) -> Inference<'a> {
        let Model { jumps, options, .. } = &*self.model;
        Inference {
            jumps: [jumps[0].tables(), jumps[1].tables()],
            p0: options.null_probability,
            beam: options.beam,
            cancel,
        }
    }

    fn align_block(
        &self,
        bitext: &Bitext,
        used: &[bool],
        block: &Block,
        entries: &[[f32; 2]],
        words: &[Vec<NewWord>; 2],
        cancel: &CancelToken,
    ) -> Result<(BlockLinks, [Vec<f64>; 2])> {
        let options = &self.model.options;
        let mut links = BlockLinks::new(true);
        let mut scores = [Vec::new(), Vec::new()];
        let (mut emissions, mut posteriors) = (Emissions::default(), Posteriors::default());
        let mut spaces: [Workspace; 2] = Default::default();
        let inference = self.inference(cancel);
        let mut start = 0;
        for n in block.sentences.clone() {
            cancel.check()?;
            if !used[n] {
                links.skip();
                for all in &mut scores {
                    all.push(f64::NAN);
                }
                continue;
            }
            let sides = [bitext.source().sentence(n), bitext.target().sentence(n)];
            let size = sides[0].len() * sides[1].len();
            emissions.lengths = [sides[0].len(), sides[1].len()];
            emissions.cells.clear();
            write_all(
                emissions.lengths,
                &block.cells[start..start + size],
                &mut emissions.cells,
            );
            let value = |cell: &Cell| entries[cell.pair as usize];
            emissions.values.clear();
            emissions.values.extend(emissions.cells.iter().map(value));
            start += size;
            let ids = [0, 1].map(|side| {
                sides[side]
                    .iter()
                    .map(|w| words[side][w.index()].id)
                    .collect::<Vec<_>>()
            });
            for direction in 0..2 {
                emissions.nulls[direction] = sides[1 - direction]
                    .iter()
                    .map(|w| words[1 - direction][w.index()].null)
                    .collect();
            }
            let is_hmm = options.iterations > 0;
            if is_hmm {
                emissions.hmm([&ids[0], &ids[1]], &inference, &mut spaces, &mut posteriors)?;
                emissions.spread(&spaces, &mut posteriors);
            } else {
                emissions.model_1(options.warm_up_null, cancel, &mut posteriors)?;
            }
            for (all, &ln) in scores.iter_mut().zip(&posteriors.ln_likelihoods) {
                all.push(ln);
            }
            let viterbi = is_hmm && options.decoding == Decoding::Viterbi;
            let lattices = viterbi.then_some(&mut spaces);
            read_sentence(&emissions, &posteriors, lattices, cancel, &mut links)?;
        }
        Ok((links, scores))
    }
}

/// An expected count, which may be above 1, in units of 2^-32.
fn fixed(count: f32) -> u64 {
    let whole = count.trunc();
    let rest = f64::from(count - whole);
    (to_u64_count(whole) << 32) + to_fixed(rest)
}

/// A whole number that was read from a count.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts are not negative and below 2^32; the cast saturates"
)]
fn to_u64_count(whole: f32) -> u64 {
    to_u64(whole as u32 as usize)
}

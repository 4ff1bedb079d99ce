//! Training of both directions: Model 1, then the HMM.

use super::cells::{Block, Cells, used};
use super::forms::{Forms, frequencies};
use super::gibbs;
use super::jumps::Jumps;
use super::lexicon::{Ladder, MOST_LEVELS, Tables};
use super::model::Model;
use super::options::{Coupling, Options};
use super::prior::{Additions, Prior};
use super::readout::{BlockLinks, assemble, read_sentence};
use super::sentence::{Emissions, Posteriors, Workspace};
use super::statistics::{Rest, Statistics};
use crate::align::ibm::readout::DirectionReadout;
use crate::align::ibm::train::Context;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::ids::WordId;
use crate::numeric::{from_fixed, to_f32, to_f64, to_fixed, to_u64};
use crate::parallel;
use crate::text::Bitext;

/// Expected links below this are not counted.
pub(super) const SMALLEST_LINK: f32 = 1e-5;

/// A token's own expected links below this are not remembered.
const SMALLEST_OWN: f32 = 1e-3;

/// Sentence pairs between two looks at the request to stop.
const BETWEEN_LOOKS: usize = 64;

/// What training leaves.
#[derive(Debug, Clone, PartialEq)]
pub struct Trained {
    /// Links and posteriors of the training text, forward and reverse.
    pub readouts: [DirectionReadout; 2],
    /// ln P(F | E) and ln P(E | F) of the parameters that each iteration started from, nats; for the HMM with the last jump.
    pub histories: [Vec<f64>; 2],
    /// Lexicon, jumps and NULL.
    pub model: Model,
    /// Usable sentence pairs that are too long for the HMM, and those that no alignment can explain.
    pub left_out: [u64; 2],
}

/// The state of training between two iterations.
pub(super) struct Parameters {
    pub(super) tables: Tables,
    /// t(f | NULL) and t(e | NULL).
    pub(super) nulls: [Vec<f32>; 2],
    pub(super) jumps: [Jumps; 2],
}

/// Everything that does not change.
pub(super) struct Training<'a> {
    pub(super) bitext: &'a Bitext,
    pub(super) options: &'a Options,
    pub(super) used: Vec<bool>,
    pub(super) forms: [Forms; 2],
    pub(super) ladder: Ladder,
    pub(super) prior: Additions,
    /// Model 1's first posteriors depend on these alone.
    initial_nulls: [Vec<f32>; 2],
    /// Words of each side as the jumps want them.
    ids: [Vec<Option<WordId>>; 2],
}

/// What a block remembers from one iteration to the next: its own expected links, sentence after sentence.
#[derive(Debug, Default)]
pub(super) struct Own {
    /// Cell in the block, and expected links.
    pub(super) entries: Vec<(u32, f32)>,
}

/// Trains both directions and reads out the links of the training text; `classes` has the class of each source and target word, [`u16::MAX`] for none, and
/// the counts of `prior` are added to the expected links from the first estimate on.
///
/// # Errors
/// [`Error::Config`] for an option out of range, [`Error::TooLarge`], [`Error::Cancelled`].
///
/// # Complexity
/// Model 1: O(sum of I J) an iteration. HMM: O(sum of I J) and, with beams, a few steps for each token. Memory: 4 bytes a cell, 20 a pair of words that
/// occur together, 12 a pair of shorter forms, 8 for each likely link of a token.
pub fn train(
    bitext: &Bitext,
    classes: [Option<Vec<u16>>; 2],
    prior: Option<&Prior>,
    options: &Options,
    context: &Context<'_>,
) -> Result<Trained> {
    options.check()?;
    if options.prefixes.len() >= MOST_LEVELS {
        return Err(Error::Config {
            name: "prefixes",
            expected: format!("fewer than {MOST_LEVELS}"),
            found: options.prefixes.len().to_string(),
        });
    }
    context.progress.report("counting word pairs", 0, 1, &[]);
    let used = used(bitext);
    let cells = Cells::new(bitext, &used, context.threads, context.cancel)?;
    let counts = [
        frequencies(bitext.source(), &used),
        frequencies(bitext.target(), &used),
    ];
    let sides = [bitext.source(), bitext.target()];
    let form = |side: usize| Forms::new(sides[side].vocabulary(), &counts[side], &options.prefixes);
    let forms = [form(0)?, form(1)?];
    let Cells { pairs, blocks } = cells;
    let starts = pairs.starts.clone();
    let ladder = Ladder::new(pairs, [&forms[0], &forms[1]], context.cancel)?;
    let prior = match prior {
        Some(prior) => {
            prior.check()?;
            prior.additions(bitext, [&forms[0], &forms[1]], &options.prefixes, &ladder)?
        }
        None => Additions::default(),
    };
    context.progress.report("counting word pairs", 1, 1, &[]);
    // NULL starts from relative frequencies where these have a share in its lexicon, else uniform.
    let relative = |side: usize| -> Vec<f32> {
        let frequencies = forms[side].relative_frequencies();
        let uniform = 1.0 / to_f64(to_u64(frequencies.len().max(1)));
        let start = |p: f64| {
            to_f32(if options.null_mixture > 0.0 {
                p
            } else {
                uniform
            })
        };
        frequencies.into_iter().map(start).collect()
    };
    let ids = |side: usize| {
        (0_u32..)
            .take(sides[side].vocabulary().len())
            .map(|id| Some(WordId::from_u32(id)))
            .collect()
    };
    let training = Training {
        bitext,
        options,
        initial_nulls: [relative(1), relative(0)],
        ids: [ids(0), ids(1)],
        used,
        forms,
        ladder,
        prior,
    };
    let [source_classes, target_classes] = classes;
    let start = |classes| {
        let (decay, tau, smoothing) = (options.initial_decay, options.tau, options.smoothing);
        if decay > 0.0 {
            Jumps::peaked(decay, tau, smoothing, classes)
        } else {
            Jumps::uniform(tau, smoothing, classes)
        }
    };
    let mut parameters = Parameters {
        tables: Tables::uniform(
            training.ladder.levels[0].targets.len(),
            counts[0].len(),
            counts[1].len(),
        ),
        nulls: training.initial_nulls.clone(),
        jumps: [start(source_classes), start(target_classes)],
    };
    let mut own: Vec<Own> = blocks.iter().map(|_| Own::default()).collect();
    let mut histories = [Vec::new(), Vec::new()];
    let total = options.warm_up + options.iterations;
    let mut readouts = None;
    let mut impossible = 0;
    for iteration in 0..total {
        let last = iteration + 1 == total;
        context
            .progress
            .report("aligning", u64::from(iteration), u64::from(total), &[]);
        let statistics = Statistics::new(
            parameters.tables.entries.len(),
            counts[0].len(),
            counts[1].len(),
            options.coupling == Coupling::Agreement,
        );
        let items: Vec<(&Block, Own)> = blocks.iter().zip(own).collect();
        let parts = parallel::map(context.threads, context.cancel, items, |_, (block, own)| {
            training.expect(
                block,
                own,
                iteration,
                last,
                &parameters,
                &statistics,
                context.cancel,
            )
        })?;
        own = Vec::with_capacity(parts.len());
        let mut read = Vec::new();
        let mut sums = [0.0; 2];
        for part in parts {
            own.push(part.own);
            read.push(part.links);
            sums = [
                sums[0] + part.ln_likelihoods[0],
                sums[1] + part.ln_likelihoods[1],
            ];
        }
        histories[0].push(sums[0]);
        histories[1].push(sums[1]);
        let (links, rest) = statistics.finish();
        impossible = rest.impossible.into_iter().max().unwrap_or(0);
        if last {
            if options.sampling.is_none() {
                own = Vec::new();
            }
            readouts = Some(assemble(read, options.wants_posteriors)?);
        }
        parameters = training.estimate(
            parameters,
            links,
            rest,
            iteration >= options.warm_up,
            context,
        )?;
        let figures = [
            ("forward", histories[0][iteration as usize]),
            ("reverse", histories[1][iteration as usize]),
        ];
        context.progress.report(
            "aligning",
            u64::from(iteration) + 1,
            u64::from(total),
            &figures,
        );
    }
    if let Some(sampling) = &options.sampling {
        let sampled = gibbs::sample(&training, sampling, &blocks, own, &parameters, context)?;
        readouts = Some(sampled.readouts);
        histories = sampled.histories;
        parameters.tables = sampled.tables;
    }
    let usable = bitext.usable().iter().filter(|&&usable| usable).count();
    let too_long = usable - training.used.iter().filter(|&&used| used).count();
    let Parameters {
        tables,
        nulls,
        jumps,
    } = parameters;
    Ok(Trained {
        readouts: readouts.unwrap_or_default(),
        histories,
        model: Model::new(
            options,
            counts,
            &starts,
            &training.ladder.levels[0].targets,
            tables.links(),
            nulls,
            jumps,
        )
        .with_pairs(&training.prior.apart),
        left_out: [to_u64(too_long), impossible],
    })
}

/// What a block hands back.
struct Part {
    own: Own,
    links: BlockLinks,
    ln_likelihoods: [f64; 2],
}

/// Buffers that live longer than a sentence.
#[derive(Default)]
pub(super) struct Buffers {
    pub(super) emissions: Emissions,
    pub(super) posteriors: Posteriors,
    pub(super) spaces: [Workspace; 2],
    pub(super) words: [Vec<Option<WordId>>; 2],
    /// Posteriors of one direction by cell, while they are multiplied.
    other: Vec<f32>,
}

impl Training<'_> {
    /// The E-step of a block.
    #[expect(clippy::too_many_arguments, reason = "one call, from the loop above")]
    fn expect(
        &self,
        block: &Block,
        own: Own,
        iteration: u32,
        last: bool,
        parameters: &Parameters,
        statistics: &Statistics,
        cancel: &CancelToken,
    ) -> Result<Part> {
        let sizes = [
            self.bitext.source().vocabulary().len(),
            self.bitext.target().vocabulary().len(),
        ];
        let mut rest = Rest::new(sizes[0], sizes[1]);
        let mut part = Part {
            own: Own::default(),
            links: BlockLinks::new(self.options.wants_posteriors),
            ln_likelihoods: [0.0; 2],
        };
        let mut buffers = Buffers::default();
        let tables = [parameters.jumps[0].tables(), parameters.jumps[1].tables()];
        let mut earlier = &own.entries[..];
        let mut start = 0;
        for (k, n) in block.sentences.clone().enumerate() {
            if k % BETWEEN_LOOKS == 0 {
                cancel.check()?;
            }
            if !self.used[n] {
                if last {
                    part.links.skip();
                }
                continue;
            }
            let size =
                self.bitext.source().sentence(n).len() * self.bitext.target().sentence(n).len();
            let cells = &block.cells[start..start + size];
            let mine = earlier.partition_point(|entry| (entry.0 as usize) < start + size);
            self.emit(
                n,
                cells,
                (&earlier[..mine], start),
                iteration,
                parameters,
                &mut buffers,
            );
            earlier = &earlier[mine..];
            let is_hmm = iteration >= self.options.warm_up;
            if is_hmm {
                let (p0, beam) = (self.options.null_probability, self.options.beam);
                let Buffers {
                    emissions,
                    posteriors,
                    spaces,
                    words,
                    ..
                } = &mut buffers;
                emissions.hmm(
                    [&words[0], &words[1]],
                    [&tables[0], &tables[1]],
                    p0,
                    beam,
                    spaces,
                    posteriors,
                );
                if last {
                    emissions.spread(spaces, posteriors);
                }
            } else {
                buffers
                    .emissions
                    .model_1(self.options.warm_up_null, &mut buffers.posteriors);
            }
            let remembers =
                self.options.leave_out > 0.0 && (iteration > 0 || self.options.warm_up == 0);
            let remember = |cell: usize, own: f32| {
                if remembers {
                    part.own
                        .entries
                        .push((u32::try_from(start + cell).unwrap_or(u32::MAX), own));
                }
            };
            if is_hmm {
                let Buffers { spaces, other, .. } = &mut buffers;
                self.count_candidates(n, cells, spaces, other, statistics, &mut rest, remember);
            } else {
                self.count_all(
                    n,
                    cells,
                    &buffers.posteriors,
                    statistics,
                    &mut rest,
                    remember,
                );
            }
            for direction in 0..2 {
                let ln = buffers.posteriors.ln_likelihoods[direction];
                if ln.is_finite() {
                    part.ln_likelihoods[direction] += ln;
                } else {
                    rest.impossible[direction] += 1;
                }
            }
            if last {
                let Buffers {
                    emissions,
                    posteriors,
                    spaces,
                    ..
                } = &mut buffers;
                read_sentence(
                    emissions,
                    posteriors,
                    spaces,
                    self.options.decoding,
                    is_hmm,
                    &mut part.links,
                );
            }
            start += size;
        }
        statistics.merge(&rest);
        Ok(part)
    }

    /// Translation probabilities of a sentence pair, its own counts left out.
    pub(super) fn emit(
        &self,
        n: usize,
        cells: &[u32],
        (own, start): (&[(u32, f32)], usize),
        iteration: u32,
        parameters: &Parameters,
        buffers: &mut Buffers,
    ) {
        let sides = [
            self.bitext.source().sentence(n),
            self.bitext.target().sentence(n),
        ];
        let (emissions, tables) = (&mut buffers.emissions, &parameters.tables);
        emissions.lengths = [sides[0].len(), sides[1].len()];
        emissions.cells.clear();
        emissions
            .cells
            .extend(cells.iter().map(|&pair| tables.entries[pair as usize]));
        for direction in 0..2 {
            buffers.words[direction].clear();
            buffers.words[direction].extend(
                sides[direction]
                    .iter()
                    .map(|word| self.ids[direction][word.index()]),
            );
            emissions.nulls[direction].clear();
            emissions.nulls[direction].extend(
                sides[1 - direction]
                    .iter()
                    .map(|word| parameters.nulls[direction][word.index()]),
            );
        }
        let weight = to_f32(self.options.leave_out);
        if weight <= 0.0 || iteration == 0 {
            return;
        }
        let forms = [&self.forms[0], &self.forms[1]];
        let targets = sides[1].len();
        let mut take_out = |cell: usize, own: f32| {
            let (pair, own) = (cells[cell] as usize, own * weight);
            let (e, f) = (sides[0][cell / targets], sides[1][cell % targets]);
            let known = &mut buffers.emissions.cells[cell];
            if tables.matters(*known, e, f, own) {
                *known = tables.without(&self.ladder, forms, pair, own);
            }
        };
        if iteration == 1 && self.options.warm_up > 0 {
            self.initial_links(sides, &mut take_out);
        } else {
            own.iter()
                .for_each(|&(cell, own)| take_out(cell as usize - start, own));
        }
    }

    /// The expected links of the first iteration, where all translations are equally likely: too many to remember, and easily found again.
    fn initial_links(&self, sides: [&[WordId]; 2], take_out: &mut impl FnMut(usize, f32)) {
        let vocabularies = [
            self.bitext.source().vocabulary().len(),
            self.bitext.target().vocabulary().len(),
        ];
        let posterior = |direction: usize, word: &WordId| -> f32 {
            let given = to_f64(to_u64(sides[direction].len()));
            let t = f64::from(to_f32(
                1.0 / to_f64(to_u64(vocabularies[1 - direction].max(1))),
            ));
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
            let of_source = posterior(1, e);
            for p in &of_target {
                let own = if self.options.coupling == Coupling::Agreement {
                    p * of_source
                } else {
                    0.5 * (p + of_source)
                };
                if own >= SMALLEST_OWN {
                    take_out(cell, own);
                }
                cell += 1;
            }
        }
    }

    /// Adds the expected links and NULL links of Model 1.
    fn count_all(
        &self,
        n: usize,
        cells: &[u32],
        posteriors: &Posteriors,
        statistics: &Statistics,
        rest: &mut Rest,
        mut remember: impl FnMut(usize, f32),
    ) {
        let (source, target) = (
            self.bitext.source().sentence(n),
            self.bitext.target().sentence(n),
        );
        let [forward, reverse] = &posteriors.links;
        let mut real = vec![0.0_f32; target.len()];
        let mut cell = 0;
        for e in source {
            let mut sum = 0.0_f32;
            for total in &mut real {
                let (p, q) = (forward[cell], reverse[cell]);
                *total += p;
                sum += q;
                self.count_link(statistics, cells[cell], p, q, |own| remember(cell, own));
                cell += 1;
            }
            rest.nulls[1][e.index()] += to_fixed(f64::from((1.0 - sum).max(0.0)));
        }
        for (f, sum) in target.iter().zip(real) {
            rest.nulls[0][f.index()] += to_fixed(f64::from((1.0 - sum).max(0.0)));
        }
    }

    #[inline]
    fn count_link(
        &self,
        statistics: &Statistics,
        pair: u32,
        p: f32,
        q: f32,
        remember: impl FnOnce(f32),
    ) {
        let agree = self.options.coupling == Coupling::Agreement;
        let expected = if agree { p * q } else { 0.5 * (p + q) };
        if expected < SMALLEST_LINK {
            return;
        }
        if agree {
            statistics.add_link(0, pair as usize, expected);
        } else {
            statistics.add_link(0, pair as usize, p);
            statistics.add_link(1, pair as usize, q);
        }
        if expected >= SMALLEST_OWN {
            remember(expected);
        }
    }

    /// Adds the expected links, NULL links and jumps of the HMM. `other` has room for a number a cell, and is all 0 before and after.
    #[expect(clippy::too_many_arguments, reason = "one call, from the loop above")]
    fn count_candidates(
        &self,
        n: usize,
        cells: &[u32],
        spaces: &[Workspace; 2],
        other: &mut Vec<f32>,
        statistics: &Statistics,
        rest: &mut Rest,
        mut remember: impl FnMut(usize, f32),
    ) {
        let sides = [
            self.bitext.source().sentence(n),
            self.bitext.target().sentence(n),
        ];
        if other.len() < cells.len() {
            other.resize(cells.len(), 0.0);
        }
        for (&cell, &q) in spaces[1].cells.iter().zip(&spaces[1].lattice.posteriors) {
            other[cell as usize] = q;
        }
        for (&cell, &p) in spaces[0].cells.iter().zip(&spaces[0].lattice.posteriors) {
            let at = cell as usize;
            self.count_link(statistics, cells[at], p, other[at], |own| remember(at, own));
            other[at] = 0.0;
        }
        for &cell in &spaces[1].cells {
            let at = cell as usize;
            // What only the reverse direction has.
            if other[at] > 0.0 {
                self.count_link(statistics, cells[at], 0.0, other[at], |own| {
                    remember(at, own)
                });
                other[at] = 0.0;
            }
        }
        for direction in 0..2 {
            let (words, lattice) = (sides[direction], &spaces[direction].lattice);
            let emitted = sides[1 - direction]
                .iter()
                .zip(spaces[direction].candidates.starts.windows(2));
            for (word, span) in emitted {
                let sum: f32 = lattice.posteriors[span[0]..span[1]].iter().sum();
                rest.nulls[direction][word.index()] += to_fixed(f64::from((1.0 - sum).max(0.0)));
            }
            rest.jumps[direction].add_rows(words, &lattice.jumps);
            for &(position, expected) in &lattice.ends {
                // An alignment to NULL alone says nothing of where alignments end.
                if position > 0 {
                    rest.jumps[direction].add_last(position as usize, words.len(), expected);
                }
            }
        }
    }

    /// The M-step.
    fn estimate(
        &self,
        before: Parameters,
        links: Vec<Vec<u64>>,
        rest: Rest,
        is_hmm: bool,
        context: &Context<'_>,
    ) -> Result<Parameters> {
        let strength = self.options.lexicon_strength();
        let forms = [&self.forms[0], &self.forms[1]];
        let tables = Tables::estimate(
            &self.ladder,
            forms,
            links,
            &self.prior,
            &strength,
            context.threads,
            context.cancel,
        )?;
        let mixture = self.options.null_mixture;
        let null = |direction: usize| -> Vec<f32> {
            let counts = &rest.nulls[direction];
            let total = from_fixed(counts.iter().sum());
            let relative = self.initial_nulls[direction].iter().map(|&p| f64::from(p));
            counts
                .iter()
                .zip(relative)
                .map(|(&n, p)| {
                    let own = if total > 0.0 {
                        from_fixed(n) / total
                    } else {
                        0.0
                    };
                    to_f32((1.0 - mixture) * own + mixture * p)
                })
                .collect()
        };
        let nulls = [null(0), null(1)];
        let [forward, reverse] = before.jumps;
        let jumps = if is_hmm {
            [
                forward.estimate(&rest.jumps[0]),
                reverse.estimate(&rest.jumps[1]),
            ]
        } else {
            [forward, reverse]
        };
        Ok(Parameters {
            tables,
            nulls,
            jumps,
        })
    }
}

//! The sampler against slow twins: ratios of joint probabilities, and all alignments of a tiny corpus.

use super::block::{Block, NULL, Place, Sentence};
use super::counts::{Counts, FIRST, LAST, Numbering};
use super::options::{Sampler, Sampling};
use super::sweep::Sweep;
use super::{fertility, jumps};
use crate::align::hmm::jumps::{BUCKETS, bucket};
use crate::align::hmm::options::Coupling;
use crate::cancel::CancelToken;
use crate::numeric::{ln_gamma, to_f32, to_f64, to_u64};
use crate::rng::Stream;

const P0: f64 = 0.2;
const TAU: f64 = 3.0;
const SMOOTHING: f64 = 0.1;
const ALPHA: f64 = 1.5;
const NULL_STRENGTH: f64 = 2.5;
const VOCABULARY: usize = 3;

fn sampling() -> Sampling {
    Sampling {
        burn_in: 0,
        samples: 1,
        lag: 1,
        sampler: Sampler::Exact,
        seed: 11,
        fertility: ALPHA,
        em_share: 0.0,
    }
}

/// Pseudo-counts without any pattern.
fn base(direction: usize, given: usize, emitted: usize) -> f32 {
    let n = to_u64(1 + direction * 17 + given * 5 + emitted * 3);
    to_f32(0.05 + to_f64(n * n % 7) / 4.0)
}

fn strength(direction: usize, given: usize) -> f32 {
    to_f32(1.0 + to_f64(to_u64(direction + given)) / 2.0)
}

fn null_base(direction: usize, emitted: usize) -> f32 {
    to_f32(0.2 + to_f64(to_u64(direction + 2 * emitted)) / 5.0)
}

fn narrow(n: usize) -> u32 {
    u32::try_from(n).expect("small")
}

/// Sentence pairs of these lengths whose words have no pattern; every position is a candidate of every token, and links are drawn.
fn corpus(lengths: &[[usize; 2]]) -> Block {
    let draws = Stream::new(&[5]);
    let mut next = 0;
    let mut draw = |bound: usize| {
        next += 1;
        draws.below(next, narrow(bound)) as usize
    };
    let mut block = Block {
        range: 0..lengths.len(),
        numbering: Numbering {
            pairs: (0..narrow(VOCABULARY * VOCABULARY)).collect(),
            words: [0, 1].map(|_| (0..narrow(VOCABULARY)).collect()),
        },
        ..Block::default()
    };
    for (number, &lengths) in lengths.iter().enumerate() {
        let starts = [block.words[0].len(), block.words[1].len()];
        for (words, length) in block.words.iter_mut().zip(lengths) {
            words.extend((0..length).map(|_| narrow(draw(VOCABULARY))));
        }
        block.sentences.push(Sentence {
            number,
            starts,
            lengths,
        });
    }
    for d in 0..2 {
        let lane = &mut block.lanes[d];
        lane.starts.push(0);
        for sentence in &block.sentences {
            for j in 0..sentence.lengths[1 - d] {
                let f = block.words[1 - d][sentence.starts[1 - d] + j] as usize;
                let first = lane.positions.len();
                for i in 0..sentence.lengths[d] {
                    let e = block.words[d][sentence.starts[d] + i] as usize;
                    let (source, target) = if d == 0 { (e, f) } else { (f, e) };
                    lane.positions.push(narrow(i + 1));
                    lane.pairs.push(narrow(source * VOCABULARY + target));
                    lane.bases.push(base(d, e, f));
                }
                lane.starts.push(lane.positions.len());
                let choice = draw(sentence.lengths[d] + 1);
                lane.links.push(narrow(choice));
                lane.chosen
                    .push(choice.checked_sub(1).map_or(NULL, |i| narrow(first + i)));
            }
        }
        lane.masses = vec![0.0; lane.positions.len()];
        lane.fertilities = vec![0; block.words[d].len()];
        lane.strengths = (0..VOCABULARY).map(|e| strength(d, e)).collect();
        lane.null_bases = (0..VOCABULARY).map(|f| null_base(d, f)).collect();
    }
    block
}

fn counted(block: &mut Block, coupling: Coupling) -> Counts {
    let mut counts = Counts::new(VOCABULARY * VOCABULARY, [VOCABULARY; 2], coupling);
    block.count_all(&mut counts, coupling);
    counts
}

fn sweep<'a>(sampling: &'a Sampling, counts: &Counts, coupling: Coupling) -> Sweep<'a> {
    Sweep {
        sampling,
        coupling,
        null_probability: to_f32(P0),
        null_strengths: [to_f32(NULL_STRENGTH); 2],
        jumps: [0, 1].map(|d: usize| jumps::Priors::new(&counts.directions[d], TAU, SMOOTHING)),
        fertilities: Some(
            [0, 1].map(|d: usize| {
                fertility::Prior::new(&counts.directions[d].all_fertilities(), ALPHA)
            }),
        ),
        number: 0,
        is_sample: false,
    }
}

/// What the priors of a sweep are made of: relative frequencies with half a count each, and a share of the uniform distribution.
fn mean(counts: &[u64], smoothing: f64) -> Vec<f64> {
    let total: f64 = counts.iter().map(|&n| to_f64(n) + 0.5).sum();
    let even = 1.0 / to_f64(to_u64(counts.len()));
    counts
        .iter()
        .map(|&n| (1.0 - smoothing) * (to_f64(n) + 0.5) / total + smoothing * even)
        .collect()
}

/// ln of the Dirichlet-categorical probability of a sequence with these counts.
fn dirichlet(counts: &[f64], masses: &[f64], total: f64) -> f64 {
    let all: f64 = counts.iter().sum();
    let rises = counts
        .iter()
        .zip(masses)
        .map(|(n, mass)| ln_gamma(mass + n) - ln_gamma(*mass));
    rises.sum::<f64>() - (ln_gamma(total + all) - ln_gamma(total))
}

/// The slow twin: ln of the joint probability of the links of one direction, from the links alone; the means of the priors are those of `priors`.
fn ln_joint(block: &Block, d: usize, priors: &Counts) -> f64 {
    let (lane, before) = (&block.lanes[d], &priors.directions[d]);
    let between = mean(&before.between(), SMOOTHING);
    let edges = [FIRST, LAST].map(|which| {
        let row: Vec<u64> = before.edges.row(which)[8..BUCKETS]
            .iter()
            .map(|&n| n.into())
            .collect();
        mean(&row, SMOOTHING)
    });
    let fertility_mean = mean(&before.all_fertilities(), 0.0);
    let mut ln = 0.0;
    let mut lexicon = vec![vec![0.0; VOCABULARY]; VOCABULARY];
    let mut nulls = vec![0.0; VOCABULARY];
    let mut jump_counts = vec![vec![0.0; BUCKETS]; VOCABULARY];
    let mut edge_counts = [vec![0.0; 7], vec![0.0; 7]];
    let mut fertilities = vec![vec![0.0; fertility::CLASSES]; VOCABULARY];
    for sentence in &block.sentences {
        let length = sentence.lengths[d];
        let (mut previous, mut links) = (0, vec![0_usize; length]);
        for j in 0..sentence.lengths[1 - d] {
            let token = sentence.starts[1 - d] + j;
            let f = block.words[1 - d][token] as usize;
            let position = lane.links[token] as usize;
            if position == 0 {
                ln += P0.ln();
                nulls[f] += 1.0;
                continue;
            }
            ln += (1.0 - P0).ln();
            let e = block.given_word(sentence, d, position);
            lexicon[e][f] += 1.0;
            links[position - 1] += 1;
            if previous == 0 {
                ln += edge(position, length, &edges[FIRST], &mut edge_counts[FIRST]);
            } else {
                let from = block.given_word(sentence, d, previous);
                let b = bucket(previous, position);
                jump_counts[from][b] += 1.0;
                let fits = 7 - (previous - 1).min(7)..8 + (length - previous).min(7);
                ln -= between[fits].iter().sum::<f64>().ln();
                let same = (1..=length).filter(|&i| bucket(previous, i) == b).count();
                ln -= to_f64(to_u64(same)).ln();
            }
            previous = position;
        }
        if previous > 0 {
            let distance = length + 1 - previous;
            ln += edge(distance, length, &edges[LAST], &mut edge_counts[LAST]);
        } else {
            ln -= to_f64(to_u64(length)).ln();
        }
        for (i, &n) in links.iter().enumerate() {
            let e = block.given_word(sentence, d, i + 1);
            fertilities[e][n.min(8)] += 1.0;
            ln += to_f64(to_u64(n.saturating_sub(8))) * 0.5_f64.ln();
        }
    }
    let bases = |e: usize| -> Vec<f64> { (0..VOCABULARY).map(|f| base(d, e, f).into()).collect() };
    for e in 0..VOCABULARY {
        ln += dirichlet(&lexicon[e], &bases(e), strength(d, e).into());
        let masses: Vec<f64> = between.iter().map(|g| TAU * g).collect();
        ln += dirichlet(&jump_counts[e], &masses, TAU);
        let masses: Vec<f64> = fertility_mean.iter().map(|g| ALPHA * g).collect();
        ln += dirichlet(&fertilities[e], &masses, ALPHA);
    }
    let masses: Vec<f64> = (0..VOCABULARY).map(|f| null_base(d, f).into()).collect();
    ln += dirichlet(&nulls, &masses, NULL_STRENGTH);
    for counts in &edge_counts {
        ln += dirichlet(counts, &[0.5; 7], 3.5);
    }
    ln
}

/// Counts a first or last jump; ln of what its positions share and of what does not fit.
fn edge(distance: usize, length: usize, mean: &[f64], counts: &mut [f64]) -> f64 {
    let class = distance.min(7) - 1;
    counts[class] += 1.0;
    let fits: f64 = mean[..length.min(7)].iter().sum();
    let same = (1..=length)
        .filter(|&n| n.min(7) == distance.min(7))
        .count();
    -fits.ln() - to_f64(to_u64(same)).ln()
}

fn set(block: &mut Block, d: usize, token: usize, choice: usize) {
    let lane = &mut block.lanes[d];
    lane.links[token] = narrow(choice);
    lane.chosen[token] = match choice.checked_sub(1) {
        None => NULL,
        Some(i) => narrow(lane.starts[token] + i),
    };
}

#[test]
fn conditionals_are_ratios_of_joint_probabilities() {
    let mut block = corpus(&[[3, 4], [9, 10], [1, 11], [11, 2], [2, 1]]);
    let mut counts = counted(&mut block, Coupling::Independent);
    let priors = counts.clone();
    let sampling = sampling();
    let sweep = sweep(&sampling, &priors, Coupling::Independent);
    let draws = Stream::new(&[3]);
    let (mut weights, mut checked) = (Vec::new(), 0);
    for round in 0..3_u64 {
        for sentence in block.sentences.clone() {
            for d in 0..2 {
                let mut previous = 0;
                for emitted in 0..sentence.lengths[1 - d] {
                    let token = sentence.starts[1 - d] + emitted;
                    let next = block.next(&sentence, d, emitted);
                    let place = Place {
                        direction: d,
                        emitted,
                        previous,
                        next,
                    };
                    let old = block.lanes[d].chosen[token];
                    block.count(
                        &mut counts,
                        Coupling::Independent,
                        &sentence,
                        place,
                        old,
                        false,
                    );
                    let total = sweep.weigh(&block, &counts, &sentence, place, &mut weights);
                    let choices = sentence.lengths[d] + 1;
                    let joints: Vec<f64> = (0..choices)
                        .map(|choice| {
                            set(&mut block, d, token, choice);
                            ln_joint(&block, d, &priors)
                        })
                        .collect();
                    let most = joints.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                    let sum: f64 = joints.iter().map(|ln| (ln - most).exp()).sum();
                    for (weight, ln) in weights.iter().zip(&joints) {
                        let (found, expected) = (weight / total, (ln - most).exp() / sum);
                        let error = (f64::from(found) - expected).abs();
                        assert!(error < 2e-5, "{place:?}: {found} is not {expected}");
                        checked += 1;
                    }
                    let key = round * 1000 + to_u64(2 * token + d);
                    let choice = draws.below(key, narrow(choices)) as usize;
                    set(&mut block, d, token, choice);
                    let new = block.lanes[d].chosen[token];
                    block.count(
                        &mut counts,
                        Coupling::Independent,
                        &sentence,
                        place,
                        new,
                        true,
                    );
                    previous = if choice > 0 { choice } else { previous };
                }
            }
        }
    }
    assert!(checked > 900, "{checked}");
}

#[test]
fn counts_of_a_sweep_are_those_of_its_links() {
    for coupling in [Coupling::Independent, Coupling::Agreement] {
        let mut block = corpus(&[[3, 4], [9, 10], [1, 11], [11, 2]]);
        let mut counts = counted(&mut block, coupling);
        let sampling = sampling();
        for number in 0..5 {
            let mut sweep = sweep(&sampling, &counts, coupling);
            sweep.number = number;
            let moved = sweep
                .run(&mut block, &mut counts, &CancelToken::new())
                .expect("not cancelled");
            assert!(moved[0] > 0 && moved[1] > 0);
            assert_eq!(counts, counted(&mut block.clone(), coupling));
        }
        let agreed: u32 = counts.links[0].pairs.rows().map(|row| row[0]).sum();
        let real = block.lanes[0].links.iter().filter(|&&link| link > 0);
        assert_eq!(
            agreed as usize == real.count(),
            coupling == Coupling::Independent
        );
    }
}

#[test]
fn blocks_add_up_to_the_corpus() {
    let mut whole = corpus(&[[3, 4], [2, 3]]);
    let expected = counted(&mut whole, Coupling::Agreement);
    let mut counts = Counts::new(
        VOCABULARY * VOCABULARY,
        [VOCABULARY; 2],
        Coupling::Agreement,
    );
    for n in 0..2 {
        let mut block = whole.clone();
        block.sentences = vec![whole.sentences[n].clone()];
        // Only the tokens of its sentence have fertilities.
        for side in 0..2 {
            let Sentence {
                starts, lengths, ..
            } = whole.sentences[n];
            let tokens = starts[side]..starts[side] + lengths[side];
            block.words[side] = whole.words[side][tokens.clone()].to_vec();
            let lane = &mut block.lanes[1 - side];
            lane.links = whole.lanes[1 - side].links[tokens.clone()].to_vec();
            lane.chosen = whole.lanes[1 - side].chosen[tokens].to_vec();
            block.lanes[side].fertilities.truncate(lengths[side]);
            block.sentences[0].starts[side] = 0;
        }
        let mut mine = counts.gather(&block.numbering);
        block.count_all(&mut mine, Coupling::Agreement);
        mine.subtract(&counts, &block.numbering);
        counts.add(&mine, &block.numbering);
    }
    assert_eq!(counts, expected);
}

/// Marginals of all alignments of a direction, in the order of the candidates.
fn enumerated(block: &Block, d: usize, priors: &Counts) -> Vec<f64> {
    let mut block = block.clone();
    let choices: Vec<usize> = block.lanes[d]
        .starts
        .windows(2)
        .map(|span| span[1] - span[0] + 1)
        .collect();
    let mut masses = vec![0.0; block.lanes[d].positions.len()];
    let mut sum = 0.0;
    for mut number in 0..choices.iter().product() {
        for (token, &bound) in choices.iter().enumerate() {
            set(&mut block, d, token, number % bound);
            number /= bound;
        }
        let joint = ln_joint(&block, d, priors).exp();
        sum += joint;
        for &c in block.lanes[d].chosen.iter().filter(|&&c| c != NULL) {
            masses[c as usize] += joint;
        }
    }
    masses.iter().map(|mass| mass / sum).collect()
}

#[test]
fn long_runs_have_the_marginals_of_all_alignments() {
    const SWEEPS: u32 = 20_000;
    let mut block = corpus(&[[2, 3], [3, 2], [2, 2]]);
    let mut counts = counted(&mut block, Coupling::Independent);
    let priors = counts.clone();
    let sampling = sampling();
    let mut sweep = sweep(&sampling, &priors, Coupling::Independent);
    sweep.is_sample = true;
    for number in 0..SWEEPS {
        sweep.number = number.into();
        sweep
            .run(&mut block, &mut counts, &CancelToken::new())
            .expect("not cancelled");
    }
    for d in 0..2 {
        let expected = enumerated(&block, d, &priors);
        let found = block.lanes[d].masses.iter();
        for (mass, expected) in found.zip(expected) {
            let found = f64::from(*mass) / f64::from(SWEEPS);
            // Conditionals vary by less than 0.3 from sweep to sweep, and samples are correlated over fewer than ten sweeps: four standard errors.
            assert!((found - expected).abs() < 0.02, "{found} is not {expected}");
        }
    }
}

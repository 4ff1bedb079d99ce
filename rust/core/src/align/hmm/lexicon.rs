//! The lexicon: t(f | e) and t(e | f) of every pair of words that occur together, backed off to shorter forms of both.
//!
//! With c the expected links of two forms, e' and f' the next shorter forms, and K the strength of a level,
//!
//! ```text
//! t(f | e) = (c(e, f) + K t(f' | e') n(f) / n(f')) / (c(e) + K)
//! ```
//!
//! where n counts tokens; below the shortest forms stands the relative frequency n(f) / N. It is the mean of a Dirichlet prior with K pseudo-counts, level
//! after level (`MacKay` and Peto 1995 for such hierarchies). K = 0 without shorter forms is the maximum likelihood estimate of the paper.
//!
//! A word that occurs once would confirm whatever link it got first. So the expected count that a token's own sentence gave is taken out of all levels (in part: `leave_out`)
//! when that sentence is looked at again, as collapsed samplers and collapsed variational Bayes do.

mod ladder;

pub use ladder::{Ladder, Rung};

use super::forms::Forms;
use super::prior::Additions;
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::ids::WordId;
use crate::numeric::{from_fixed, to_f32, to_f64, to_u64};
use crate::parallel;

/// A token's own count matters when it is more than this share of all that is known of its pair; below, nothing is taken out.
const OWN_SHARE: f32 = 0.2;

/// Pairs in one piece of the M-step.
const PIECE: usize = 1 << 16;

/// Estimates of one iteration.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tables {
    /// t(f | e) and t(e | f) of each pair of words.
    pub entries: Vec<[f32; 2]>,
    /// The same for all pairs, where training starts; then there are no entries.
    pub uniform: Option<[f32; 2]>,
    /// Expected links of each pair at each level, for each direction; one direction only when they agree.
    counts: Vec<Vec<Vec<f32>>>,
    /// What is known of each source and target form of each level.
    sums: Vec<[Vec<Sums>; 2]>,
}

/// A pair of words that occur together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WordPair {
    /// Its number at level 0.
    pub number: usize,
    /// The source word.
    pub source: WordId,
    /// The target word.
    pub target: WordId,
}

/// What estimates need of a form.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Sums {
    /// Its expected links.
    total: f32,
    /// Pseudo-counts of the shorter form in the estimate of its translations.
    strength: f32,
    /// Its share of the tokens of its shorter form.
    share: f32,
}

impl Tables {
    /// All translations of a word equally likely: where training starts.
    #[must_use]
    pub fn uniform(sources: usize, targets: usize) -> Self {
        let one_of = |n: usize| to_f32(1.0 / to_f64(to_u64(n.max(1))));
        Self {
            entries: Vec::new(),
            uniform: Some([one_of(targets), one_of(sources)]),
            counts: Vec::new(),
            sums: Vec::new(),
        }
    }

    /// Estimates from the expected links of pairs of words, forward and reverse or both in one, and what a prior adds to them; `strengths` has one number a level.
    /// The memory of `old` estimates, which have no other influence, is used again: asking the system for large pieces costs as much as filling them.
    ///
    /// # Errors
    /// [`crate::error::Error::Cancelled`].
    ///
    /// # Complexity
    /// O(pairs) time and 12 bytes a pair for each level.
    pub fn estimate(
        ladder: &Ladder,
        forms: [&Forms; 2],
        links: &[Vec<u64>],
        prior: &Additions,
        strength: &Strength,
        old: Self,
        (threads, cancel): (usize, &CancelToken),
    ) -> Result<Self> {
        let levels = ladder.levels.len();
        let mut old_counts = old.counts.into_iter();
        let mut counts: Vec<Vec<Vec<f32>>> = Vec::with_capacity(levels);
        let mut totals: Vec<[Vec<f32>; 2]> = Vec::with_capacity(levels);
        let mut strengths: Vec<[Vec<f32>; 2]> = Vec::with_capacity(levels);
        // Expected links of the current level above words, and of the one before.
        let mut current: Vec<Vec<u64>> = vec![Vec::new(); links.len()];
        let mut spare = current.clone();
        for (level, rung) in ladder.levels.iter().enumerate() {
            cancel.check()?;
            let here = if level == 0 { links } else { &current[..] };
            let reverse = &here[here.len() - 1];
            let (sums_e, kinds_e) = given_totals(&rung.sources, &here[0], forms[0].len(level));
            cancel.check()?;
            let (sums_f, kinds_f) = given_totals(&rung.targets, reverse, forms[1].len(level));
            cancel.check()?;
            strengths.push([strength.of(level, &kinds_e), strength.of(level, &kinds_f)]);
            totals.push([sums_e, sums_f]);
            let mut here_counts = old_counts.next().unwrap_or_default();
            here_counts.resize(here.len(), Vec::new());
            for (counts, links) in here_counts.iter_mut().zip(here) {
                counts.clear();
                counts.extend(links.iter().map(|&n| to_f32(from_fixed(n))));
                trim(counts);
            }
            counts.push(here_counts);
            cancel.check()?;
            if let Some(above) = ladder.levels.get(level + 1) {
                let pieces = here.iter().zip(&mut spare).collect();
                parallel::map(threads, cancel, pieces, |_, (links, sums)| {
                    sum(&rung.parents, links, above.targets.len(), sums);
                    Ok(())
                })?;
                std::mem::swap(&mut current, &mut spare);
            }
            if let Some(added) = prior.levels.get(level) {
                for counts in counts.last_mut().into_iter().flatten() {
                    add(counts, &added.pairs);
                }
                for (totals, added) in totals.last_mut().into_iter().flatten().zip(&added.totals) {
                    add(totals, added);
                }
            }
        }
        let sums = totals.into_iter().zip(strengths).enumerate();
        let sums = sums
            .map(|(level, (totals, strengths))| {
                [0, 1].map(|side: usize| {
                    let shares = forms[side].shares(level);
                    let parts = totals[side].iter().zip(&strengths[side]).zip(shares);
                    parts
                        .map(|((&total, &strength), &share)| Sums {
                            total,
                            strength,
                            share,
                        })
                        .collect()
                })
            })
            .collect();
        let mut tables = Self {
            entries: old.entries,
            uniform: None,
            counts,
            sums,
        };
        tables.fill(ladder, threads, cancel)?;
        Ok(tables)
    }

    /// Entries level after level, from the shortest forms down to words.
    fn fill(&mut self, ladder: &Ladder, threads: usize, cancel: &CancelToken) -> Result<()> {
        let mut above: Vec<[f32; 2]> = Vec::new();
        let mut entries = std::mem::take(&mut self.entries);
        if ladder.levels.len().is_multiple_of(2) {
            // The last level to be filled, that of words, gets the memory that was theirs before.
            std::mem::swap(&mut above, &mut entries);
        }
        for (level, rung) in ladder.levels.iter().enumerate().rev() {
            let sums = &self.sums[level];
            let inverse = |side: usize| -> Vec<f32> {
                let all = sums[side].iter().map(|form| form.total + form.strength);
                all.map(|n| if n > 0.0 { 1.0 / n } else { 0.0 }).collect()
            };
            let inverses = [inverse(0), inverse(1)];
            let counts = &self.counts[level];
            let (forward, reverse) = (&counts[0], &counts[counts.len() - 1]);
            entries.resize(rung.targets.len(), [0.0; 2]);
            let pieces: Vec<(usize, &mut [[f32; 2]])> =
                entries.chunks_mut(PIECE).enumerate().collect();
            parallel::map(threads, cancel, pieces, |_, (piece, out)| {
                let start = piece * PIECE;
                for (pair, entry) in (start..).zip(out) {
                    let (e, f) = (rung.sources[pair] as usize, rung.targets[pair] as usize);
                    let (by_source, by_target) = (inverses[0][e], inverses[1][f]);
                    let (e, f) = (sums[0][e], sums[1][f]);
                    let shorter = match rung.parents.get(pair) {
                        Some(&parent) => above[parent as usize],
                        None => [1.0; 2],
                    };
                    *entry = [
                        (forward[pair] + e.strength * shorter[0] * f.share) * by_source,
                        (reverse[pair] + f.strength * shorter[1] * e.share) * by_target,
                    ];
                }
                Ok(())
            })?;
            std::mem::swap(&mut above, &mut entries);
        }
        self.entries = above;
        trim(&mut self.entries);
        Ok(())
    }

    /// Whether so much of a token's own count makes a difference to the probabilities `known` of its pair of words.
    #[must_use]
    #[inline]
    pub fn matters(&self, known: [f32; 2], pair: WordPair, own: f32) -> bool {
        let [sources, targets] = &self.sums[0];
        let (e, f) = (sources[pair.source.index()], targets[pair.target.index()]);
        // The numerators of both estimates: counts of the pair with those of the prior.
        let forward = known[0] * (e.total + e.strength);
        let reverse = known[1] * (f.total + f.strength);
        own > OWN_SHARE * forward.min(reverse)
    }

    /// Both probabilities of a pair of words without so many of its links.
    #[must_use]
    pub fn without(
        &self,
        ladder: &Ladder,
        forms: [&Forms; 2],
        pair: WordPair,
        own: f32,
    ) -> [f32; 2] {
        self.descend(ladder, forms, pair, own, 0)
    }

    /// What the shorter forms of a pair of words, without so many of its links, add to its counts: their pseudo-counts for this pair, `K t(f' | e') n(f) / n(f')`.
    #[must_use]
    pub fn pseudo_counts(
        &self,
        ladder: &Ladder,
        forms: [&Forms; 2],
        pair: WordPair,
        own: f32,
    ) -> [f32; 2] {
        let estimate = self.descend(ladder, forms, pair, own, 1);
        let [of_sources, of_targets] = &self.sums[0];
        let source = of_sources[pair.source.index()];
        let target = of_targets[pair.target.index()];
        [
            source.strength * estimate[0] * target.share,
            target.strength * estimate[1] * source.share,
        ]
    }

    /// The pseudo-counts of all translations of a given word together: a source word forward, a target word reverse.
    #[must_use]
    pub fn strength(&self, direction: usize, given: u32) -> f32 {
        self.sums[0][direction][given as usize].strength
    }

    /// Both probabilities of the forms of a pair of words at level `to`, from the shortest forms down.
    fn descend(
        &self,
        ladder: &Ladder,
        forms: [&Forms; 2],
        pair: WordPair,
        own: f32,
        to: usize,
    ) -> [f32; 2] {
        let mut pairs = [0_usize; MOST_LEVELS];
        let levels = ladder.levels.len();
        pairs[0] = pair.number;
        for level in 1..levels {
            pairs[level] = ladder.levels[level - 1].parents[pairs[level - 1]] as usize;
        }
        let (sources, targets) = (forms[0].chain(pair.source), forms[1].chain(pair.target));
        let mut estimate = [1.0_f32; 2];
        for level in (to..levels).rev() {
            let [of_sources, of_targets] = &self.sums[level];
            let source = of_sources[sources[level] as usize];
            let target = of_targets[targets[level] as usize];
            let counts = &self.counts[level];
            for (direction, (given, emitted)) in
                [(source, target), (target, source)].into_iter().enumerate()
            {
                let k = given.strength;
                let count = (counts[direction.min(counts.len() - 1)][pairs[level]] - own).max(0.0);
                let total = (given.total - own).max(0.0) + k;
                let mass = count + k * estimate[direction] * emitted.share;
                estimate[direction] = if total > 0.0 { mass / total } else { 0.0 };
            }
        }
        estimate
    }

    /// One step of the back-off for any pair of forms of a level: `given` is the given form and `pair` its number, where training knows them, and `prior` what the
    /// shorter forms say.
    #[must_use]
    pub fn entry_above(
        &self,
        level: usize,
        direction: usize,
        given: Option<u32>,
        pair: Option<u32>,
        prior: f32,
    ) -> f32 {
        let sums = given.map(|form| self.sums[level][direction][form as usize]);
        let k = sums.map_or(0.0, |sums| sums.strength);
        let counts = &self.counts[level][direction.min(self.counts[level].len() - 1)];
        let count = pair.map_or(0.0, |pair| counts[pair as usize]);
        let total = sums.map_or(0.0, |sums| sums.total) + k;
        if total > 0.0 {
            (count + k * prior) / total
        } else {
            prior
        }
    }

    /// Expected links of the pairs of words: one list when the directions agree, else forward and reverse.
    #[must_use]
    pub fn links(&self) -> &[Vec<f32>] {
        self.counts.first().map_or(&[], |counts| &counts[..])
    }
}

/// Most levels of a ladder.
pub const MOST_LEVELS: usize = 16;

/// The pseudo-counts of shorter forms.
#[derive(Debug, Clone, PartialEq)]
pub struct Strength {
    /// For each level, those of a form without translations.
    pub constant: Vec<f64>,
    /// Those of each translation: the more different ones a form has, the more likely is one that was not seen (as in Witten and Bell 1991).
    pub variety: f64,
}

impl Strength {
    fn of(&self, level: usize, kinds: &[f32]) -> Vec<f32> {
        let (constant, variety) = (to_f32(self.constant[level]), to_f32(self.variety));
        kinds.iter().map(|n| constant + variety * n).collect()
    }
}

/// For each given form, its expected links, and the expected number of its different translations: one whose links are expected less than once counts so much.
fn given_totals(given: &[u32], links: &[u64], forms: usize) -> (Vec<f32>, Vec<f32>) {
    let (mut sums, mut kinds) = (vec![0_u64; forms], vec![0_u64; forms]);
    for (&form, &n) in given.iter().zip(links) {
        sums[form as usize] += n;
        kinds[form as usize] += n.min(1 << 32);
    }
    let real = |counts: Vec<u64>| counts.into_iter().map(|n| to_f32(from_fixed(n))).collect();
    (real(sums), real(kinds))
}

/// Gives memory back that was needed before pairs were forgotten.
pub fn trim<T>(values: &mut Vec<T>) {
    if values.capacity() > 2 * values.len() {
        values.shrink_to_fit();
    }
}

fn add(counts: &mut [f32], added: &[(u32, f32)]) {
    for &(place, count) in added {
        counts[place as usize] += count;
    }
}

/// The expected links of each of so many pairs of shorter forms.
fn sum(parents: &[u32], links: &[u64], above: usize, sums: &mut Vec<u64>) {
    sums.clear();
    sums.resize(above, 0);
    for (&parent, &n) in parents.iter().zip(links) {
        sums[parent as usize] += n;
    }
}

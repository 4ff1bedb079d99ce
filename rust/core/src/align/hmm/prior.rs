//! Counts of links from elsewhere, which count like links of the text.
//!
//! A count of two words is added to the expected links of the pair and to the totals of both, at every level of the back-off. Words or pairs that the text does
//! not have count in the totals of those that it has: what a word is linked to elsewhere, it is linked to less here.

use super::forms::Forms;
use super::lexicon::Ladder;
use crate::error::{Error, Result};
use crate::ids::WordId;
use crate::numeric::to_f32;
use crate::text::{Bitext, Vocabulary};
use rustc_hash::FxHashMap;

/// The sum of all counts stays below this, as that of expected links does.
const MOST_LINKS: f64 = 2_147_483_648.0;

/// Counts of links between words.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prior {
    /// Source and target words of the counts, by id.
    pub words: [Vocabulary; 2],
    /// Source word of each count.
    pub sources: Vec<u32>,
    /// Target word of each count.
    pub targets: Vec<u32>,
    /// The counts; they may repeat.
    pub counts: Vec<f64>,
}

/// What a prior adds to the pairs and forms of a text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Additions {
    /// What is added at each level; none without a prior.
    pub levels: Vec<Level>,
    /// Counts of words of the text that do not occur together in it, rising.
    pub apart: Vec<(u32, u32, f32)>,
}

/// What a prior adds at one level.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Level {
    /// Pair of forms and count.
    pub pairs: Vec<(u32, f32)>,
    /// Form and count, for source and target forms.
    pub totals: [Vec<(u32, f32)>; 2],
}

impl Prior {
    /// Looks for counts that cannot be added up.
    ///
    /// # Errors
    /// [`Error::Config`].
    pub fn check(&self) -> Result<()> {
        let is_known = |ids: &[u32], words: &Vocabulary| {
            ids.len() == self.counts.len() && ids.iter().all(|&id| (id as usize) < words.len())
        };
        let are_counts = self.counts.iter().all(|&n| n.is_finite() && n >= 0.0);
        if is_known(&self.sources, &self.words[0])
            && is_known(&self.targets, &self.words[1])
            && are_counts
            && self.counts.iter().sum::<f64>() < MOST_LINKS
        {
            return Ok(());
        }
        Err(Error::Config {
            name: "prior",
            expected: "counts of at least 0 with a sum below 2^31, of known words".to_owned(),
            found: "others".to_owned(),
        })
    }

    /// What it adds to the pairs of a text.
    ///
    /// # Errors
    /// [`Error::Memory`].
    ///
    /// # Complexity
    /// O(counts and pairs of the text) time for each level.
    pub fn additions(
        &self,
        bitext: &Bitext,
        forms: [&Forms; 2],
        prefixes: &[u32],
        ladder: &Ladder,
    ) -> Result<Additions> {
        let sides = [bitext.source(), bitext.target()];
        let mut known = Vec::with_capacity(2);
        for side in 0..2 {
            let index = sides[side].vocabulary().index()?;
            let look_up = |word: &str| {
                let is_used = |id: &WordId| forms[side].frequency(0, id.as_u32()) > 0.0;
                let mut all = vec![index.get(word).filter(is_used).map(WordId::as_u32)];
                all.extend(forms[side].lookup(word, prefixes));
                all
            };
            known.push(self.words[side].words().map(look_up).collect::<Vec<_>>());
        }
        let mut additions = Additions::default();
        for (level, rung) in ladder.levels.iter().enumerate() {
            let mut totals = [0, 1].map(|side: usize| vec![0.0_f64; forms[side].len(level)]);
            let mut pairs: FxHashMap<(u32, u32), f64> = FxHashMap::default();
            let entries = self.sources.iter().zip(&self.targets).zip(&self.counts);
            for ((&e, &f), &count) in entries.filter(|entry| *entry.1 > 0.0) {
                let both = [known[0][e as usize][level], known[1][f as usize][level]];
                for (totals, form) in totals.iter_mut().zip(both) {
                    if let Some(form) = form {
                        totals[form as usize] += count;
                    }
                }
                if let [Some(e), Some(f)] = both {
                    *pairs.entry((e, f)).or_default() += count;
                }
            }
            let mut added = Level::default();
            for ((&e, &f), number) in rung.sources.iter().zip(&rung.targets).zip(0_u32..) {
                if let Some(count) = pairs.remove(&(e, f)) {
                    added.pairs.push((number, to_f32(count)));
                }
            }
            added.totals = totals.map(|totals| {
                (0_u32..)
                    .zip(totals)
                    .filter(|total| total.1 > 0.0)
                    .map(|(form, total)| (form, to_f32(total)))
                    .collect()
            });
            if level == 0 {
                additions.apart = pairs
                    .into_iter()
                    .map(|((e, f), count)| (e, f, to_f32(count)))
                    .collect();
                additions.apart.sort_unstable_by_key(|&(e, f, _)| (e, f));
            }
            additions.levels.push(added);
        }
        Ok(additions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::align::hmm::cells::Pairs;
    use crate::cancel::CancelToken;
    use crate::text::{BitextBuilder, TextOptions};

    #[test]
    fn counts_go_to_pairs_and_totals_of_every_level() {
        let builder = BitextBuilder::new(TextOptions::default()).expect("defaults");
        builder
            .feed_joint(b"abc ||| xyz\nabd ||| uvw\n")
            .expect("text");
        builder.end_joint().expect("text");
        let bitext = builder.finish().expect("text");
        let forms = [bitext.source(), bitext.target()]
            .map(|side| Forms::new(side.vocabulary(), &[1, 1], &[2]).expect("small"));
        let pairs = Pairs {
            starts: vec![0, 1, 2],
            sources: vec![0, 1],
            targets: vec![0, 1],
        };
        let both = [&forms[0], &forms[1]];
        let ladder = Ladder::new(pairs, both, &CancelToken::new()).expect("small");
        let list = |words: &[&str]| {
            Vocabulary::from_words(words.iter().map(|&word| word.to_owned()).collect())
        };
        let prior = Prior {
            words: [list(&["abc", "abq"]), list(&["xyz", "uvw", "new"])],
            sources: vec![0, 0, 0, 1],
            targets: vec![0, 1, 2, 0],
            counts: vec![4.0, 2.0, 1.0, 8.0],
        };
        prior.check().expect("counts");
        let found = prior
            .additions(&bitext, both, &[2], &ladder)
            .expect("small");
        assert_eq!(found.levels[0].pairs, [(0, 4.0)]);
        assert_eq!(found.levels[0].totals[0], [(0, 7.0)]);
        assert_eq!(found.levels[0].totals[1], [(0, 12.0), (1, 2.0)]);
        // "ab" stands for all three source words.
        assert_eq!(found.levels[1].pairs, [(0, 12.0), (1, 2.0)]);
        assert_eq!(found.levels[1].totals[0], [(0, 15.0)]);
        assert_eq!(found.levels[1].totals[1], [(0, 12.0), (1, 2.0)]);
        assert_eq!(found.apart, [(0, 1, 2.0)]);
    }

    #[test]
    fn counts_that_are_none_are_refused() {
        for counts in [vec![f64::NAN], vec![-1.0], vec![MOST_LINKS], vec![]] {
            let words = || Vocabulary::from_words(vec!["a".to_owned()]);
            let prior = Prior {
                words: [words(), words()],
                sources: vec![0],
                targets: vec![0],
                counts,
            };
            assert!(prior.check().is_err());
        }
    }
}

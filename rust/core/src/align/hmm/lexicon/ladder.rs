//! Pairs of words, and the pairs of ever shorter forms that they belong to.

use crate::align::hmm::cells::Pairs;
use crate::align::hmm::forms::Forms;
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::ids::WordId;

/// Pairs of forms at each level, and which pair of shorter forms belongs to a pair.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ladder {
    /// Level 0: pairs of words.
    pub levels: Vec<Rung>,
}

/// The pairs of forms of one level.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rung {
    /// Source form of each pair.
    pub sources: Vec<u32>,
    /// Target form of each pair.
    pub targets: Vec<u32>,
    /// The pair of the next level that each pair belongs to; empty at the last level.
    pub parents: Vec<u32>,
}

impl Ladder {
    /// The pairs of all levels above those of words.
    ///
    /// # Errors
    /// [`crate::error::Error::Cancelled`].
    ///
    /// # Complexity
    /// O(pairs) time and 12 bytes a pair for each level.
    pub fn new(pairs: Pairs, forms: [&Forms; 2], cancel: &CancelToken) -> Result<Self> {
        let mut levels = vec![Rung {
            sources: pairs.sources,
            targets: pairs.targets,
            parents: Vec::new(),
        }];
        for level in 1..forms[0].levels() {
            let below = levels
                .last_mut()
                .unwrap_or_else(|| unreachable!("level 0 is there"));
            let mut above = Rung::default();
            below.parents = vec![0; below.targets.len()];
            // Pairs come source form by source form; those of all source forms that share a shorter one are visited together.
            let mut starts = vec![0_usize; forms[0].len(level - 1) + 1];
            for &e in &below.sources {
                starts[e as usize + 1] += 1;
            }
            for e in 1..starts.len() {
                starts[e] += starts[e - 1];
            }
            let mut members: Vec<(u32, u32)> = forms[0]
                .parents(level)
                .iter()
                .zip(0_u32..)
                .map(|(&short, e)| (short, e))
                .collect();
            members.sort_unstable();
            let mut seen = vec![(u32::MAX, 0_u32); forms[1].len(level)];
            let short_targets = forms[1].parents(level);
            for (short, e) in members {
                cancel.check()?;
                for pair in starts[e as usize]..starts[e as usize + 1] {
                    let f = short_targets[below.targets[pair] as usize];
                    let slot = &mut seen[f as usize];
                    if slot.0 != short {
                        *slot = (short, WordId::new(above.sources.len())?.as_u32());
                        above.sources.push(short);
                        above.targets.push(f);
                    }
                    below.parents[pair] = slot.1;
                }
            }
            levels.push(above);
        }
        Ok(Self { levels })
    }
}

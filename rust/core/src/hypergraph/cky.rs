//! Forests of all parses of a sentence with binary rules.

use super::build::Parts;
use super::chain::{product, size};
use super::structure::{Hypergraph, index};
use crate::error::{Error, Result};
use crate::numeric::to_u64;

impl Hypergraph {
    /// The chart of `words` words with every binary rule at every split (Cocke, Kasami and Younger).
    ///
    /// `rules` are triples of nonterminals: parent, left child, right child. Spans are numbered by width, then from left to right: those of width w from
    /// `(w - 1) (2 words + 2 - w) / 2` on. Node `span * nonterminals + nonterminal` is a nonterminal over a span, and the root is `start` over the whole
    /// sentence. The first edges, numbered like an array `[word, nonterminal]` flattened, have no tail and derive a word each; then comes, for each
    /// span of two or more words in order, an array `[split, rule]` flattened, the split after the first word first: `[place, rule]` in all.
    ///
    /// # Errors
    /// [`Error::Config`] for no words, a rule or start that is no nonterminal; [`Error::TooLarge`] for 2^32 - 1 or more nodes, edges or tail nodes.
    ///
    /// # Panics
    /// Never: sizes are checked first.
    ///
    /// # Complexity
    /// O(words^3 rules + words nonterminals).
    pub fn cky(words: usize, nonterminals: usize, rules: &[[u32; 3]], start: u32) -> Result<Self> {
        if words == 0 {
            return Err(Error::config("words", "at least 1", words));
        }
        let expected = || format!("nonterminals, numbered below {nonterminals}");
        if let Some(rule) = rules
            .iter()
            .find(|r| r.iter().any(|&x| index(x) >= nonterminals))
        {
            return Err(Error::config("rules", &expected(), format!("{rule:?}")));
        }
        if index(start) >= nonterminals {
            return Err(Error::config(
                "start",
                &format!("below {nonterminals}"),
                start,
            ));
        }
        let spans = product("the number of spans", &[words, words.saturating_add(1)])? / 2;
        let nodes = product("the number of nodes", &[spans, nonterminals])?;
        // One for each of the (words + 1 choose 3) places of a split.
        let splits = product("the number of splits", &[spans, words - 1])? / 3;
        let binary = product("the number of edges", &[splits, rules.len()])?;
        product("the number of tail nodes", &[binary, 2])?;
        let lexical = product("the number of edges", &[words, nonterminals])?;
        let edges = size("the number of edges", lexical.checked_add(binary))?;

        let number = |n: usize| u32::try_from(n).expect("was checked against 2^32");
        let span = |from: usize, width: usize| (width - 1) * (2 * words + 2 - width) / 2 + from;
        let mut heads = Vec::with_capacity(edges);
        let mut tails = Vec::with_capacity(2 * binary);
        heads.extend((0..lexical).map(number));
        for width in 2..=words {
            for from in 0..=words - width {
                let whole = number(span(from, width) * nonterminals);
                for split in 1..width {
                    let left = number(span(from, split) * nonterminals);
                    let right = number(span(from + split, width - split) * nonterminals);
                    for &[parent, first, second] in rules {
                        heads.push(whole + parent);
                        tails.extend([left + first, right + second]);
                    }
                }
            }
        }
        let starts = std::iter::repeat_n(0, lexical).chain((0..=tails.len()).step_by(2));
        let tail_starts: Vec<u64> = starts.map(to_u64).collect();
        Self::new(Parts {
            nodes,
            heads: &heads,
            tail_starts: &tail_starts,
            tails: &tails,
            root: Some(number((spans - 1) * nonterminals) + start),
        })
    }
}

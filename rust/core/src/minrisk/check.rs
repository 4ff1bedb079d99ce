//! Whether a block from a file is one that a builder has made: what evaluation relies on.

use super::block::{Block, BlockForest, damaged};
use crate::error::Result;
use crate::numeric::{to_index, to_u64};

impl Block<'_> {
    /// Checks all that evaluation relies on. O(size of the block).
    ///
    /// # Errors
    /// [`crate::error::Error::Model`] where the block is none that a [`super::BlockBuilder`] has made of forests with so many features.
    pub fn check(&self, features: usize) -> Result<()> {
        self.split()?
            .iter()
            .try_for_each(|forest| forest.check(features))
    }
}

impl BlockForest<'_> {
    fn check(&self, features: usize) -> Result<()> {
        if self.nodes == 0 && self.edges == 0 {
            return Ok(());
        }
        let index = |n: u32| to_index(u64::from(n));
        let sums = [
            (self.degrees.sum(), self.edges),
            (
                self.arities.sum(),
                if self.has_pairs { 0 } else { self.tails.len() },
            ),
            (self.one_counts.sum(), self.ones.len()),
            (self.value_counts.sum(), self.valued.len()),
        ];
        let most = [
            (Some(self.ones), self.rows),
            (Some(self.valued), self.rows),
            (self.row_of, self.rows),
            (self.numbers, usize::MAX),
        ];
        let fits = |(numbers, count): (Option<super::Packed<'_>>, usize)| {
            numbers.is_none_or(|numbers| numbers.is_empty() || index(numbers.most()) < count)
        };
        let finite = [self.losses, self.columns, self.values];
        let is_sound = sums.iter().all(|&(sum, count)| sum == to_u64(count))
            && most.into_iter().all(fits)
            && index(self.root) < self.nodes
            && (self.row_of.is_some() || self.rows == self.edges)
            && self.ids.iter().all(|&id| index(id) < features)
            && finite.iter().all(|values| is_finite(values))
            && self.base.is_none_or(is_finite)
            && (!self.has_pairs || self.tails.len() / 2 == self.edges)
            && self.is_ordered();
        if is_sound {
            Ok(())
        } else {
            Err(damaged("holds numbers that are those of no forest"))
        }
    }

    /// Whether the nodes of every tail stand before the head. The sums have been checked.
    fn is_ordered(&self) -> bool {
        let (mut edge, mut tail) = (0, 0);
        (0_u32..).take(self.nodes).all(|node| {
            (0..self.degrees.get(to_index(u64::from(node)))).all(|_| {
                let arity = if self.has_pairs {
                    2
                } else {
                    to_index(u64::from(self.arities.get(edge)))
                };
                let mut nodes = (tail..tail + arity).map(|n| self.tails.get(n));
                (edge, tail) = (edge + 1, tail + arity);
                // In pairs, nodes are numbered from 1.
                nodes.all(|n| n < node || (self.has_pairs && n == node))
            })
        })
    }
}

fn is_finite(values: &[f64]) -> bool {
    values.iter().all(|value| value.is_finite())
}

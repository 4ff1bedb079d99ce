//! Counts and weights of one column of the lexicon, dense over given types.

use crate::numeric::{single, to_f32, to_f64, to_u64};

/// The column `t(f | .)` of the emitted type at hand, as the sampler sees it: `weight[e] = (N[e, f] + theta) / (N[e] + V theta)`, kept up to date.
///
/// Weights are single precision and made with + and / only, so they have the same bits on every platform.
#[derive(Debug)]
pub struct Column {
    cells: Vec<Cell>,
    weight: Vec<f32>,
    theta: f32,
    prior_mass: f32,
}

#[derive(Debug, Clone, Copy)]
struct Cell {
    /// N[e, f]
    count: u32,
    /// N[e]
    total: u32,
}

impl Column {
    /// An empty column over these totals (NULL last), with one more place for padding, whose weight stays 0.
    #[must_use]
    pub fn new(totals: &[u32], theta: f64, emitted_types: usize) -> Self {
        let mut column = Self {
            cells: totals
                .iter()
                .map(|&total| Cell { count: 0, total })
                .collect(),
            weight: vec![0.0; totals.len() + 1],
            theta: to_f32(theta),
            prior_mass: to_f32(theta * to_f64(to_u64(emitted_types))),
        };
        for e in 0..totals.len() {
            column.refresh(e);
        }
        column
    }

    /// The weight of every given type, NULL, and padding.
    #[must_use]
    #[inline]
    pub fn weight(&self) -> &[f32] {
        &self.weight
    }

    /// N[e] of every given type, NULL last.
    pub fn totals(&self) -> impl Iterator<Item = u32> + '_ {
        self.cells.iter().map(|cell| cell.total)
    }

    #[inline]
    fn refresh(&mut self, e: usize) {
        let cell = self.cells[e];
        self.weight[e] = (single(cell.count) + self.theta) / (single(cell.total) + self.prior_mass);
    }

    /// Takes a link away.
    #[inline]
    pub fn remove(&mut self, e: usize) {
        let cell = &mut self.cells[e];
        cell.count -= 1;
        cell.total -= 1;
        self.refresh(e);
    }

    /// Puts a link in.
    #[inline]
    pub fn add(&mut self, e: usize) {
        let cell = &mut self.cells[e];
        cell.count += 1;
        cell.total += 1;
        self.refresh(e);
    }

    /// Fills the numerators from a column's links.
    pub fn open(&mut self, linked: &[u32]) {
        for &e in linked {
            self.cells[e as usize].count += 1;
        }
        for &e in linked {
            self.refresh(e as usize);
        }
    }

    /// Adds links of the column that are not in the text at hand; `totals` has them already.
    pub fn lend(&mut self, e: u32, count: u32) {
        self.cells[e as usize].count += count;
        self.refresh(e as usize);
    }

    /// Empties the numerators again.
    pub fn close(&mut self, linked: &[u32]) {
        for &e in linked {
            self.cells[e as usize].count = 0;
            self.refresh(e as usize);
        }
    }
}

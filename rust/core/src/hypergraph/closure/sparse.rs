//! Linear systems x = A x + b over a semiring, by elimination that keeps what is zero out of memory.

use super::dense;
use crate::cancel::CancelToken;
use crate::error::Error;
use crate::numeric::{to_f64, to_u64};
use crate::semiring::{Commutative, Star};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// The most coefficients that are held at a time.
const MAX_COEFFICIENTS: usize = 1 << 26;

/// The system x = A x + b.
pub(super) struct System<V> {
    /// A, without its zeros: unknowns in any order, also more than once.
    pub rows: Vec<Vec<(usize, V)>>,
    /// b.
    pub constants: Vec<V>,
}

/// Why a system has no solution.
pub(super) enum Stuck {
    /// The loop of an unknown through unknowns that were eliminated before it has no sum.
    Diverges {
        unknown: usize,
        /// Which unknowns were eliminated before.
        is_gone: Vec<bool>,
        /// It has one, but not for all that it may have been before rounding.
        is_near: bool,
    },
    /// Anything else.
    Failed(Error),
}

impl<V: Clone> System<V> {
    /// A system whose coefficients and constants are zero.
    pub fn new(unknowns: usize, zero: &V) -> Self {
        Self {
            rows: vec![Vec::new(); unknowns],
            constants: vec![zero.clone(); unknowns],
        }
    }

    /// The least solution.
    ///
    /// In floating point, walks are sums and products of which each rounds. All the pivots of the elimination are between those of exact arithmetic for A less
    /// and A more by some relative error, as all its operations are monotone: so, if it succeeds for the magnitudes of A, more by twice that error, the
    /// sum converges for A itself.
    pub fn solve<S>(&self, semiring: &S, cancel: &CancelToken) -> Result<Vec<V>, Stuck>
    where
        S: Commutative + Star<Value = V>,
    {
        let mut elimination = Elimination::new(semiring, self, 0.0);
        let solution = elimination.run(cancel, false)?;
        if elimination.rounding > 0.0 {
            // One product and the star round at each meeting of two parts of a walk, and each sum that a part is in.
            let sums = elimination.sums.iter().max().copied().unwrap_or(0);
            let error = 2.0 * elimination.rounding * to_f64(to_u64(2 * sums + 8));
            Elimination::new(semiring, self, error).run(cancel, true)?;
        }
        Ok(solution)
    }
}

/// A system on its way to a solution.
struct Elimination<'a, S: Star> {
    semiring: &'a S,
    rows: Vec<BTreeMap<usize, S::Value>>,
    constants: Vec<S::Value>,
    /// The rows in which an unknown stands, without its own.
    columns: Vec<BTreeSet<usize>>,
    is_gone: Vec<bool>,
    /// Unknowns by the number of coefficients that their elimination may add.
    waiting: BTreeSet<(usize, usize)>,
    /// Coefficients in rows that wait.
    coefficients: usize,
    /// At most so many sums have made a coefficient of each row.
    sums: Vec<usize>,
    /// The worst rounding of an operation.
    rounding: f64,
}

impl<'a, S: Commutative + Star> Elimination<'a, S> {
    /// A start, with the magnitudes of coefficients more by an error unless that is 0.
    fn new(semiring: &'a S, system: &System<S::Value>, error: f64) -> Self {
        let unknowns = system.rows.len();
        let mut found = Self {
            semiring,
            rows: vec![BTreeMap::new(); unknowns],
            constants: system.constants.clone(),
            columns: vec![BTreeSet::new(); unknowns],
            is_gone: vec![false; unknowns],
            waiting: BTreeSet::new(),
            coefficients: 0,
            sums: system.rows.iter().map(Vec::len).collect(),
            rounding: 0.0,
        };
        for (unknown, row) in system.rows.iter().enumerate() {
            for (other, value) in row {
                found.rounding = found.rounding.max(semiring.rounding(value));
                if error > 0.0 {
                    found.add(unknown, *other, semiring.magnified(value, error));
                } else {
                    found.add(unknown, *other, value.clone());
                }
            }
        }
        found.waiting = (0..unknowns).map(|u| (found.price(u), u)).collect();
        found
    }

    /// Adds to a coefficient.
    fn add(&mut self, row: usize, unknown: usize, term: S::Value) {
        match self.rows[row].entry(unknown) {
            Entry::Occupied(mut sum) => {
                self.semiring.accumulate(sum.get_mut(), &term);
                self.rounding = self.rounding.max(self.semiring.rounding(sum.get()));
            }
            Entry::Vacant(free) => {
                self.rounding = self.rounding.max(self.semiring.rounding(&term));
                free.insert(term);
                self.coefficients += 1;
                if row != unknown {
                    self.columns[unknown].insert(row);
                }
            }
        }
    }

    /// What the elimination of an unknown costs at most: the product of the numbers of its neighbours on either side (Markowitz 1957).
    fn price(&self, unknown: usize) -> usize {
        let own = self.rows[unknown].contains_key(&unknown);
        self.columns[unknown]
            .len()
            .saturating_mul(self.rows[unknown].len() - usize::from(own))
    }

    fn run(&mut self, cancel: &CancelToken, is_near: bool) -> Result<Vec<S::Value>, Stuck> {
        let mut order = Vec::with_capacity(self.rows.len());
        let mut solution = vec![self.semiring.zero(); self.rows.len()];
        while let Some(&(price, unknown)) = self.waiting.first() {
            cancel.check().map_err(Stuck::Failed)?;
            let left = self.waiting.len();
            if price > left && self.coefficients >= left.saturating_mul(left) / 4 {
                self.finish_densely(&mut solution, cancel, is_near)?;
                break;
            }
            if self.coefficients > MAX_COEFFICIENTS {
                return Err(too_large());
            }
            self.waiting.pop_first();
            self.eliminate(unknown, is_near)?;
            order.push(unknown);
        }
        for &unknown in order.iter().rev() {
            let mut sum = self.constants[unknown].clone();
            for (other, value) in &self.rows[unknown] {
                let product = self.semiring.times(value, &solution[*other]);
                self.semiring.accumulate(&mut sum, &product);
            }
            solution[unknown] = sum;
        }
        Ok(solution)
    }

    /// Puts the equation of an unknown in the place of the unknown in all others.
    fn eliminate(&mut self, unknown: usize, is_near: bool) -> Result<(), Stuck> {
        let semiring = self.semiring;
        let above = std::mem::take(&mut self.columns[unknown]);
        let mut row = std::mem::take(&mut self.rows[unknown]);
        self.coefficients -= row.len();
        if let Some(value) = row.remove(&unknown) {
            let star = semiring.star(&value).ok_or_else(|| Stuck::Diverges {
                unknown,
                is_gone: self.is_gone.clone(),
                is_near,
            })?;
            self.rounding = self.rounding.max(semiring.rounding(&star));
            for value in row.values_mut() {
                *value = semiring.times(&star, value);
            }
            self.constants[unknown] = semiring.times(&star, &self.constants[unknown]);
        }
        self.is_gone[unknown] = true;
        // The prices of neighbours change: all are out of the queue before any does.
        for &other in above.iter().chain(row.keys()) {
            self.waiting.remove(&(self.price(other), other));
        }
        for other in row.keys() {
            self.columns[*other].remove(&unknown);
        }
        for &into in &above {
            let Some(factor) = self.rows[into].remove(&unknown) else {
                continue;
            };
            self.coefficients -= 1;
            self.sums[into] += 1;
            for (&other, value) in &row {
                self.add(into, other, semiring.times(&factor, value));
            }
            let term = semiring.times(&factor, &self.constants[unknown]);
            semiring.accumulate(&mut self.constants[into], &term);
        }
        for &other in above.iter().chain(row.keys()) {
            self.waiting.insert((self.price(other), other));
        }
        self.rows[unknown] = row;
        Ok(())
    }

    /// Solves for the unknowns that wait as a full matrix.
    fn finish_densely(
        &mut self,
        solution: &mut [S::Value],
        cancel: &CancelToken,
        is_near: bool,
    ) -> Result<(), Stuck> {
        let unknowns: Vec<usize> = (0..self.rows.len())
            .filter(|&unknown| !self.is_gone[unknown])
            .collect();
        let size = unknowns.len();
        if size.saturating_mul(size) > MAX_COEFFICIENTS {
            return Err(too_large());
        }
        let mut matrix = vec![self.semiring.zero(); size * size];
        let mut constants = Vec::with_capacity(size);
        for (place, &unknown) in unknowns.iter().enumerate() {
            for (other, value) in &self.rows[unknown] {
                // All that a waiting row has are waiting unknowns.
                if let Ok(column) = unknowns.binary_search(other) {
                    matrix[place * size + column] = value.clone();
                }
            }
            constants.push(self.constants[unknown].clone());
            self.sums[unknown] += size;
        }
        let solved = dense::solve(self.semiring, matrix, constants, &mut self.rounding, cancel);
        let values = solved.map_err(|failure| match failure {
            dense::Failure::Failed(error) => Stuck::Failed(error),
            dense::Failure::Diverges(place) => {
                let mut is_gone = self.is_gone.clone();
                for &unknown in &unknowns[..place] {
                    is_gone[unknown] = true;
                }
                Stuck::Diverges {
                    unknown: unknowns[place],
                    is_gone,
                    is_near,
                }
            }
        })?;
        for (unknown, value) in unknowns.into_iter().zip(values) {
            solution[unknown] = value;
        }
        Ok(())
    }
}

fn too_large() -> Stuck {
    Stuck::Failed(Error::TooLarge {
        what: "the number of coefficients of a cycle that is being closed",
        limit: to_u64(MAX_COEFFICIENTS),
    })
}

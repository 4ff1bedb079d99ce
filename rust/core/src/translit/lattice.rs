//! All ways to cut a pair of words into units.
//!
//! A node is a pair of positions (i, j), after i source and j target symbols; an arc from (i, j) to (i + a, j + b) is a unit of a source and b target symbols.
//! Which arcs lie on a way from (0, 0) to the end depends on the two lengths only, so pairs of equal lengths share a [`Grid`].

use super::units::Units;
use super::words::Words;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use rustc_hash::FxHashMap;

/// The largest chunk that may be asked for.
pub const LARGEST_CHUNK: usize = 32;

/// The most nodes of a pair: two words of 2,000 symbols.
pub const LARGEST_GRID: usize = 1 << 22;

/// Which units there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most source symbols of a unit, 1 to [`LARGEST_CHUNK`].
    pub max_source: usize,
    /// The most target symbols of a unit, 1 to [`LARGEST_CHUNK`].
    pub max_target: usize,
    /// Whether both chunks of a unit may have several symbols.
    pub many_to_many: bool,
    /// Whether a source symbol may become nothing.
    pub deletions: bool,
    /// Whether a target symbol may come from nothing.
    pub insertions: bool,
}

impl Limits {
    /// The allowed numbers of source and target symbols of a unit, in rising order.
    ///
    /// # Errors
    /// [`Error::Config`] when a limit is out of range.
    pub fn shapes(&self) -> Result<Vec<(usize, usize)>> {
        for (name, value) in [
            ("max_source", self.max_source),
            ("max_target", self.max_target),
        ] {
            if !(1..=LARGEST_CHUNK).contains(&value) {
                return Err(Error::config(name, "from 1 to 32", value));
            }
        }
        let mut shapes = Vec::new();
        if self.insertions {
            shapes.push((0, 1));
        }
        for source in 1..=self.max_source {
            if self.deletions && source == 1 {
                shapes.push((1, 0));
            }
            for target in 1..=self.max_target {
                if self.many_to_many || source == 1 || target == 1 {
                    shapes.push((source, target));
                }
            }
        }
        Ok(shapes)
    }
}

/// Why a pair has no alignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unalignable {
    /// The source word has no symbols.
    EmptySource,
    /// The target word has no symbols.
    EmptyTarget,
    /// No way to cut it into units within the limits.
    Limits,
    /// More nodes than [`LARGEST_GRID`].
    TooLong,
}

/// An arc of a grid.
#[derive(Debug, Clone, Copy)]
pub struct Arc {
    /// The node it leaves: i times (target symbols + 1) plus j.
    pub from: u32,
    /// The node it enters.
    pub to: u32,
    /// The position of its shape among those of [`Limits::shapes`].
    pub shape: u32,
}

/// The arcs for pairs of two lengths, by the node they leave.
#[derive(Debug, Clone)]
pub struct Grid {
    /// Target symbols.
    pub target: usize,
    /// The number of nodes; the last one is the end.
    pub nodes: usize,
    /// The arcs; every arc lies on a way from node 0 to the last one.
    pub arcs: Vec<Arc>,
}

impl Grid {
    /// The grid of two lengths; None when there is no way to the end.
    fn new(source: usize, target: usize, shapes: &[(usize, usize)]) -> Option<Self> {
        let width = target + 1;
        let nodes = (source + 1) * width;
        let mut arcs = Vec::new();
        let mut reached = vec![false; nodes];
        reached[0] = true;
        for from in 0..nodes {
            if !reached[from] {
                continue;
            }
            let (i, j) = (from / width, from % width);
            for (shape, &(a, b)) in shapes.iter().enumerate() {
                if i + a <= source && j + b <= target {
                    let to = from + a * width + b;
                    reached[to] = true;
                    arcs.push((from, to, shape));
                }
            }
        }
        let mut completes = vec![false; nodes];
        completes[nodes - 1] = true;
        for &(from, to, _) in arcs.iter().rev() {
            completes[from] |= completes[to];
        }
        // A grid has at most LARGEST_GRID nodes.
        let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let arcs = arcs
            .into_iter()
            .filter(|&(_, to, _)| completes[to])
            .map(|(from, to, shape)| Arc {
                from: narrow(from),
                to: narrow(to),
                shape: narrow(shape),
            })
            .collect();
        completes[0].then_some(Self {
            target,
            nodes,
            arcs,
        })
    }
}

/// The lattices of many pairs: shared grids, and a unit for each arc.
#[derive(Debug)]
pub(super) struct Lattices {
    pub shapes: Vec<(usize, usize)>,
    pub units: Units,
    grids: Vec<Grid>,
    grid_of: Vec<u32>,
    starts: Vec<usize>,
    arc_units: Vec<u32>,
    /// The pairs that have a lattice.
    pub kept: Vec<usize>,
    /// The others, and why.
    pub unalignable: Vec<(usize, Unalignable)>,
}

impl Lattices {
    /// Lists the arcs of all pairs and numbers their units.
    ///
    /// # Complexity
    /// Time and memory (4 bytes) linear in the number of arcs.
    pub fn new(
        sources: Words<'_>,
        targets: Words<'_>,
        limits: &Limits,
        cancel: &CancelToken,
    ) -> Result<Self> {
        let mut made = Self {
            shapes: limits.shapes()?,
            units: Units::default(),
            grids: Vec::new(),
            grid_of: Vec::new(),
            starts: vec![0],
            arc_units: Vec::new(),
            kept: Vec::new(),
            unalignable: Vec::new(),
        };
        let mut known: FxHashMap<(usize, usize), Option<u32>> = FxHashMap::default();
        for number in 0..sources.len() {
            if number % 256 == 0 {
                cancel.check()?;
            }
            let (source, target) = (sources.get(number), targets.get(number));
            let grid = made.grid(source.len(), target.len(), &mut known);
            match grid {
                Ok(grid) => {
                    made.kept.push(number);
                    made.add(source, target, grid)?;
                }
                Err(why) => made.unalignable.push((number, why)),
            }
        }
        Ok(made)
    }

    fn grid(
        &mut self,
        source: usize,
        target: usize,
        known: &mut FxHashMap<(usize, usize), Option<u32>>,
    ) -> std::result::Result<u32, Unalignable> {
        if source == 0 {
            return Err(Unalignable::EmptySource);
        }
        if target == 0 {
            return Err(Unalignable::EmptyTarget);
        }
        if (source + 1).saturating_mul(target + 1) > LARGEST_GRID {
            return Err(Unalignable::TooLong);
        }
        let (shapes, grids) = (&self.shapes, &mut self.grids);
        known
            .entry((source, target))
            .or_insert_with(|| {
                let grid = Grid::new(source, target, shapes)?;
                grids.push(grid);
                u32::try_from(grids.len() - 1).ok()
            })
            .ok_or(Unalignable::Limits)
    }

    fn add(&mut self, source: &[u32], target: &[u32], grid: u32) -> Result<()> {
        let arcs = &self.grids[grid as usize].arcs;
        let width = target.len() + 1;
        // An id for each chunk that starts at a position and has a length, found when it is first needed.
        let (longest, widest) = self
            .shapes
            .iter()
            .fold((0, 0), |(a, b), &(c, d)| (a.max(c), b.max(d)));
        let mut source_ids = vec![u32::MAX; (source.len() + 1) * (longest + 1)];
        let mut target_ids = vec![u32::MAX; width * (widest + 1)];
        for arc in arcs {
            let (a, b) = self.shapes[arc.shape as usize];
            let (i, j) = (arc.from as usize / width, arc.from as usize % width);
            let (at, to) = (i * (longest + 1) + a, j * (widest + 1) + b);
            if source_ids[at] == u32::MAX {
                source_ids[at] = self.units.source_number(&source[i..i + a])?;
            }
            if target_ids[to] == u32::MAX {
                target_ids[to] = self.units.target_number(&target[j..j + b])?;
            }
            let unit = self.units.number_of((source_ids[at], target_ids[to]))?;
            self.arc_units.push(unit);
        }
        self.grid_of.push(grid);
        self.starts.push(self.arc_units.len());
        Ok(())
    }

    /// The number of lattices.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// The grid of the `n`-th lattice, and the unit of each of its arcs.
    pub fn get(&self, n: usize) -> (&Grid, &[u32]) {
        let grid = &self.grids[self.grid_of[n] as usize];
        (grid, &self.arc_units[self.starts[n]..self.starts[n + 1]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(max_source: usize, max_target: usize, deletions: bool) -> Limits {
        Limits {
            max_source,
            max_target,
            many_to_many: false,
            deletions,
            insertions: false,
        }
    }

    #[test]
    fn shapes_follow_the_limits() {
        let mut wide = limits(2, 2, true);
        assert_eq!(wide.shapes(), Ok(vec![(1, 0), (1, 1), (1, 2), (2, 1)]));
        wide.many_to_many = true;
        wide.insertions = true;
        assert_eq!(
            wide.shapes(),
            Ok(vec![(0, 1), (1, 0), (1, 1), (1, 2), (2, 1), (2, 2)])
        );
        assert!(limits(0, 1, false).shapes().is_err());
        assert!(limits(1, 33, false).shapes().is_err());
    }

    #[test]
    fn a_grid_holds_exactly_the_arcs_of_complete_ways() {
        // 3 source symbols in 2 chunks of at most 2: the first has 1 or 2.
        let shapes = limits(2, 1, false).shapes().unwrap();
        let grid = Grid::new(3, 2, &shapes).unwrap();
        let arcs: Vec<_> = grid.arcs.iter().map(|arc| (arc.from, arc.to)).collect();
        assert_eq!(arcs, [(0, 4), (0, 7), (4, 11), (7, 11)]);
        assert!(Grid::new(3, 1, &shapes).is_none());
        assert!(Grid::new(2, 3, &shapes).is_none());
    }
}

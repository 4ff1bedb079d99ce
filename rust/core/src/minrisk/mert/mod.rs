//! # Minimum error rate training
//!
//! Weights that maximise the BLEU of the best translations (Och 2003). Along a line `weights + x direction`, the best translation of a segment changes at
//! a few points only: where the upper envelope of its derivations' scores has a corner. So BLEU along the line is piecewise constant, and all its pieces
//! are found exactly.
//!
//! - [`Lists`], [`Forests`]: the translations of a corpus, as n-best lists with their statistics or as forests with references ([`Problem`]);
//! - [`Surface`]: all statistics along a line, in integers, and the best piece;
//! - [`optimize`]: lines in the directions of coordinates and at random, from several starts, until none gains;
//! - [`statistics_files`]: the files FEATSTAT and SCORESTAT of Moses.

mod duplicates;
mod forests;
mod lists;
mod objective;
mod optimize;
mod problem;
pub mod statistics_files;
mod surface;

pub use duplicates::distinct_rows;
pub use forests::{ForestSegment, Forests};
pub use lists::Lists;
pub use objective::Objective;
pub use optimize::{Found, Options, Start, Step, far, optimize};
pub use problem::{Changes, Problem, Scores};
pub use surface::{Piece, Surface};

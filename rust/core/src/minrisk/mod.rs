//! # Minimum-risk training
//!
//! The risk of a forest is the expected loss of its derivations, R = E[L], under p(d) in proportion to exp(gamma score(d)); training minimises R - T H over many
//! forests, with the entropy H and a temperature T (Li and Eisner 2009, section 7).
//!
//! - [`Block`]: many forests in a few arrays, made by a [`BlockBuilder`], so that one read fetches them and nothing is allocated for each;
//! - [`Objective`], [`Totals`]: risk, entropy and their gradients, of the forests of blocks on as many threads as there are, and summed with the same bits for any number of these;
//! - [`bleu`]: the statistics of BLEU and its value;
//! - [`mert`]: minimum error rate training, exact line search for BLEU.

pub mod bleu;
mod block;
#[cfg(test)]
mod block_tests;
mod builder;
mod check;
mod gradient;
mod inside_pairs;
pub mod mert;
mod objective;
mod packed;
mod passes;
mod rows;
mod sums;
mod tails;
mod workspace;

pub use block::{Block, BlockForest};
pub use builder::{BlockArrays, BlockBuilder};
pub use objective::{Gradients, Objective};
pub use packed::Packed;
pub use sums::{BlockSums, Totals};
pub use workspace::Workspace;

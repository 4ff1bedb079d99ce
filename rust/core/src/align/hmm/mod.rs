//! The HMM of word alignment: Vogel, Ney and Tillmann (1996) with the NULL of Och and Ney (2003), word-dependent jumps by MAP estimation (He 2007), both
//! directions trained to agree (Liang, Taskar and Klein 2006), and a lexicon that backs off to shorter forms of both words.
//!
//! A newcomer reads [`options`] (what can be set), [`jumps`] (eq. 1 to 11 of He), [`lattice`] (forward-backward and Viterbi of one sentence), [`lexicon`]
//! (the back-off), [`sentence`] (the E-step of one sentence pair) and [`train`] (the loop).

pub mod cells;
mod check;
mod count;
mod expect;
pub mod explain;
pub mod fold_in;
pub mod forms;
pub mod gibbs;
pub mod jumps;
pub mod kept;
pub mod lattice;
pub mod lexicon;
pub mod model;
pub mod options;
pub mod prior;
mod readout;
pub mod sentence;
pub mod states;
pub mod statistics;
pub mod train;

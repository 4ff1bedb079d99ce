//! # Minimum-risk training
//!
//! Losses of translations, and what training against them needs.
//!
//! - [`bleu`]: the statistics of BLEU and its value.

pub mod bleu;

//! # Minimum-risk training
//!
//! Losses of translations, and what training against them needs.
//!
//! - [`bleu`]: the statistics of BLEU and its value;
//! - [`mert`]: minimum error rate training, exact line search for BLEU.

pub mod bleu;
pub mod mert;

//! IBM Models 1 and 2 (Brown et al. 1993) with EM, variational Bayes and Gibbs sampling (Mermer, Saraçlar and Sarikaya 2013).
//!
//! # Notation
//! One direction of alignment has a *given* side, whose words `e` generate, and an *emitted* side, whose words `f` are generated:
//!
//! ```text
//! P(f, a | e) = prod_j  P(a_j) t(f_j | e_{a_j})        a_j in {NULL, 0 .. I-1}
//! ```
//!
//! Both models and all three ways of inference share one observation, which decides the layout of everything here: the
//! weights of the candidates of a token with emitted type `f` are one *column* `t(f | .)` of the lexicon. So tokens are
//! visited grouped by emitted type ([`emissions`]): a column is spread into a dense array over given types once, all tokens of
//! that type are processed against it, and it is folded up again. No hash table is probed and no co-occurrence address is
//! stored per candidate; the dense array of a language's vocabulary fits the second-level cache.
//!
//! # Layers
//! - [`emissions`]: the tokens of one direction by emitted type, cut into blocks;
//! - [`placement`]: where a link may go: NULL, the uniform prior of Model 1, the relative distortion of Model 2;
//! - [`strategy`]: inference as `accumulate`, `merge`, `estimate` over statistics that add;
//! - [`expectation`]: the E-step that EM and variational Bayes share, with `token` (one token in it); [`em`], [`vb`]: their M-steps;
//! - [`gibbs`]: the collapsed sampler, with [`rows`] (candidates in chunks), [`pairs`] (counts that shards of a corpus exchange), `column` (weights) and `wheel` (one draw); [`initial`]: where it starts; [`samples`]: what it remembers;
//! - [`options`]: everything that decides a result; `chain`: a run of the sampler; `maximize`: a run of EM;
//! - [`lexicon`]: the trained model; [`readout`]: links and posteriors; [`fold_in`]: the same for new text; [`train`]: both directions side by side.

mod chain;
mod column;
pub mod em;
pub mod emissions;
pub mod expectation;
pub mod fold_in;
pub mod gibbs;
pub mod initial;
pub mod lexicon;
mod maximize;
pub mod options;
pub mod pairs;
pub mod placement;
pub mod readout;
pub mod rows;
mod run;
pub mod samples;
pub mod strategy;
mod token;
pub mod train;
pub mod vb;
mod wheel;

//! Phrase reordering models: how the orientation of a phrase pair follows from its words.
//!
//! An example is a phrase pair with the orientation it had in a corpus, and features: aligned word pairs inside, source words around. The models:
//!
//! - [`dual`]: multinomial logistic regression, trained in the dual with a shrinking set of examples (Alrajeh and Niranjan, EMNLP 2014);
//! - [`primal`]: the same objective by stochastic gradient descent, their baseline;
//! - [`bayes`]: multinomial naive Bayes, by MAP and by Bayesian inference, from counts that merge (Alrajeh and Niranjan, WMT 2014);
//! - [`information`]: the mutual information of each feature and the class, for selection.
//!
//! [`features`] writes the phrase pairs of a corpus as lines of examples, [`read`] reads such lines.
//! [`rows`] holds the features of examples, [`weights`] what linear models make of them. [`counts`] takes [`entries`] from elsewhere too, and [`classes`]
//! numbers classes.

pub mod bayes;
pub mod classes;
pub mod counts;
pub mod dual;
pub mod entries;
pub mod features;
pub mod further;
pub mod information;
pub mod primal;
pub mod read;
pub mod rows;
mod shuffle;
pub mod weights;

pub use rows::{Examples, Rows};
pub use weights::Weights;

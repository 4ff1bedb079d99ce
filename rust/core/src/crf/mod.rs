//! Linear-chain conditional random fields (Lafferty, `McCallum` and Pereira 2001).
//!
//! A sequence of T positions has attributes with values at each position, and gets one label for each. With weights for pairs of an attribute
//! and a label and for pairs of neighbouring labels,
//!
//! `p(y | x) = exp( sum over t of s(t, y_t) + sum over t > 1 of w(y_{t-1}, y_t) ) / Z(x)`,   `s(t, y) = sum over attributes a at t of v(t, a) w(a, y)`.
//!
//! On the way: [`dataset`] holds sequences of sparse features, [`builder`] makes them, [`attribute_file`] and [`columns`] read them from text;
//! [`model`] holds weights; [`crfsuite`] and [`crfpp`] know the model files of others.
mod active_chain;
mod active_pass;
#[cfg(test)]
mod active_tests;
pub mod attribute_file;
mod batch;
pub mod builder;
pub mod chunks;
mod collect;
pub mod columns;
pub mod crfpp;
pub mod crfsuite;
pub mod dataset;
pub mod decode;
mod descent;
mod epochs;
mod exponential;
pub mod features;
mod fingerprint;
mod group_pass;
mod groups;
pub mod held_out;
pub mod input;
pub mod label_sets;
mod lanes;
pub mod lbfgs;
pub mod likelihood;
mod line_search;
mod log_chain;
pub mod model;
pub mod nbest;
pub mod observer;
pub mod options;
mod pair_factors;
mod pair_scores;
mod perceptron;
mod phase_observer;
pub mod phased_run;
pub mod phases;
mod pseudo_gradient;
mod ragged;
mod rows;
pub mod scope;
mod scores;
mod slots;
pub mod snapshot;
pub mod stopping;
pub mod template;
#[cfg(test)]
mod testing;
mod text_chain;
pub mod train;
mod transitions;
pub mod triples;
mod units;
pub mod vectors;
mod viterbi;
mod worker;

pub use attribute_file::AttributeReader;
pub use builder::{DatasetBuilder, Names};
pub use columns::ColumnReader;
pub use dataset::Sequences;
pub use decode::{Decoder, Listed, Posteriors};
pub use features::{FeatureOptions, Features, Pairs};
pub use fingerprint::fingerprint;
pub use held_out::{HeldOut, Measure, Watch};
pub use input::Input;
pub use label_sets::LabelSets;
pub use likelihood::Likelihood;
pub use model::Model;
pub use nbest::Labelling;
pub use observer::{Minimum, Observer, State, Unwatched};
pub use options::{Algorithm, TrainOptions};
pub use phased_run::train_in_phases;
pub use phases::{Phase, Reach, Restriction};
pub use scope::{Pruned, Scope};
pub use snapshot::Snapshot;
pub use stopping::{Reason, Stopping};
pub use template::Template;
pub use train::{Work, train};
pub use triples::Triples;

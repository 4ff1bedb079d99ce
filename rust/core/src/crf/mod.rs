//! Linear-chain conditional random fields (Lafferty, McCallum and Pereira 2001).
//!
//! A sequence of T positions has attributes with values at each position, and gets one label for each. With weights for pairs of an attribute
//! and a label and for pairs of neighbouring labels,
//!
//! p(y | x) = exp( sum over t of s(t, y_t) + sum over t > 1 of w(y_{t-1}, y_t) ) / Z(x),   s(t, y) = sum over attributes a at t of v(t, a) w(a, y).
//!
//! On the way: [`dataset`] holds sequences of sparse features, [`builder`] makes them, [`attribute_file`] and [`columns`] read them from text;
//! [`model`] holds weights.
pub mod attribute_file;
pub mod builder;
pub mod columns;
pub mod dataset;
pub mod template;

pub use attribute_file::AttributeReader;
pub use builder::{DatasetBuilder, Names};
pub use columns::ColumnReader;
pub use dataset::Sequences;
pub use template::Template;

//! Word alignment: models, read-out, symmetrisation.

pub mod analysis;
mod blocks;
pub mod combine;
pub mod hmm;
pub mod ibm;
pub mod links;
pub mod notation;
pub mod symmetrize;

pub use links::{Link, Links, LinksBuilder};

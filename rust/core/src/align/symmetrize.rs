//! One set of links from the two directions.

//! Any bytes as forests: `cargo +nightly fuzz run forest-travatar`.
#![no_main]

#[path = "../../core/tests/checks/forest.rs"]
mod forest;

use plait_core::hypergraph::formats::Format;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // The size of blocks comes from the input too; the kept input then says all.
    let block = bytes.first().map_or(1, |&byte| usize::from(byte % 16) + 1);
    forest::check_forest(Format::Travatar, bytes, block);
});

//! Any bytes as a statistics file of Moses: `cargo +nightly fuzz run statistics`.
#![no_main]

#[path = "../../core/tests/checks/statistics.rs"]
mod statistics;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // The size of blocks comes from the input too; the kept input then says all.
    let block = bytes.first().map_or(1, |&byte| usize::from(byte % 16) + 1);
    statistics::check_statistics(bytes, block);
});

//! Any bytes as examples of reordering: `cargo +nightly fuzz run reorder-examples`.
#![no_main]

#[path = "../../core/tests/checks/examples.rs"]
mod examples;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // The size of blocks comes from the input too; the kept input then says all.
    let block = bytes.first().map_or(1, |&byte| usize::from(byte % 16) + 1);
    examples::check_examples(bytes, block);
});

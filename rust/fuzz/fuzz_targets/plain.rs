//! Any bytes as one side of a corpus: `cargo +nightly fuzz run plain`.
#![no_main]

#[path = "../../core/tests/checks/text.rs"]
#[allow(dead_code, reason = "each target runs one of the checks")]
mod text;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // The size of blocks comes from the input too; the kept input then says all.
    let block = bytes.first().map_or(1, |&byte| usize::from(byte % 16) + 1);
    text::check_plain(bytes, block);
});

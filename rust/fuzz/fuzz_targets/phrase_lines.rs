//! Any bytes as target text, source text and links, with form feeds in between: `cargo +nightly fuzz run phrase-lines`.
#![no_main]

#[path = "../../core/tests/checks/phrases.rs"]
#[allow(dead_code, reason = "each target runs one of the checks")]
mod phrases;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // Options and the size of blocks come from the input too; the kept input then says all.
    let block = bytes.first().map_or(1, |&byte| usize::from(byte % 16) + 1);
    phrases::check_lines(bytes, block);
});

//! Any bytes as a file of phrase pairs: `cargo +nightly fuzz run phrase-table`.
#![no_main]

#[path = "../../core/tests/checks/phrases.rs"]
#[allow(dead_code, reason = "each target runs one of the checks")]
mod phrases;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // Options and the size of blocks come from the input too; the kept input then says all.
    let block = bytes.first().map_or(1, |&byte| usize::from(byte % 16) + 1);
    phrases::check_table(bytes, block);
});

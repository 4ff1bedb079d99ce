//! Any bytes as a model in ARPA form: `cargo +nightly fuzz run arpa`.
#![no_main]

#[path = "../../core/tests/checks/arpa.rs"]
mod arpa;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // The size of blocks comes from the input too; the kept input then says all.
    let block = bytes.first().map_or(1, |&byte| usize::from(byte % 16) + 1);
    arpa::check_arpa(bytes, block);
});

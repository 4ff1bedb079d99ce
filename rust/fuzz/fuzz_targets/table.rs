//! Any bytes as a table: `cargo +nightly fuzz run table`.
#![no_main]

#[path = "../../core/tests/checks/table.rs"]
mod table;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // The size of blocks comes from the input too; the kept input then says all.
    let block = bytes.first().map_or(1, |&byte| usize::from(byte % 16) + 1);
    table::check_table(bytes, block);
});

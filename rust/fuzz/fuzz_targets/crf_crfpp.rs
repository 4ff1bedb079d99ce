//! Any bytes as a model of CRF++: `cargo +nightly fuzz run crf-crfpp`.
#![no_main]

#[path = "../../core/tests/checks/crf.rs"]
#[allow(dead_code, reason = "each target runs one of the checks")]
mod crf;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // The size of blocks comes from the input too; the kept input then says all.
    let block = bytes.first().map_or(1, |&byte| usize::from(byte % 16) + 1);
    crf::check_crfpp(bytes, block);
});

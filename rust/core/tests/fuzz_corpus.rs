//! Replays the kept inputs of the fuzz targets: a found input stays found.

#[path = "checks/forest.rs"]
mod forest;
#[path = "checks/table.rs"]
mod table;
#[path = "checks/text.rs"]
mod text;

use plait_core::hypergraph::formats::Format;
use std::fs;
use std::path::Path;

/// Calls `check` on every input of a target, with blocks of several sizes.
fn replay(target: &str, check: impl Fn(&[u8], usize)) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../fuzz/corpus")
        .join(target);
    let mut inputs = 0;
    for entry in fs::read_dir(&folder).expect("the corpus is part of the repository") {
        let bytes = fs::read(entry.expect("a listed file").path()).expect("a readable file");
        for block in [1, 2, 3, 7, 4_096] {
            check(&bytes, block);
        }
        inputs += 1;
    }
    assert!(inputs >= 10, "{inputs} inputs for {target}");
}

#[test]
fn plain() {
    replay("plain", text::check_plain);
}

#[test]
fn joint() {
    replay("joint", text::check_joint);
}

#[test]
fn table() {
    replay("table", table::check_table);
}

#[test]
fn forests() {
    for format in Format::ALL {
        // The files of both programs are read by one reader.
        let name = if format == Format::Lazy {
            "moses"
        } else {
            format.name()
        };
        replay(&format!("forest-{name}"), |bytes, block| {
            forest::check_forest(format, bytes, block);
        });
    }
}

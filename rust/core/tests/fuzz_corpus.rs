//! Replays the kept inputs of the fuzz targets: a found input stays found.

#[path = "checks/arpa.rs"]
mod arpa;
#[path = "checks/crf.rs"]
mod crf;
#[path = "checks/examples.rs"]
mod examples;
#[path = "checks/forest.rs"]
mod forest;
#[path = "checks/phrases.rs"]
mod phrases;
#[path = "checks/statistics.rs"]
mod statistics;
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
fn phrase_pairs_and_tables() {
    replay("phrase-lines", phrases::check_lines);
    replay("phrase-table", phrases::check_table);
    replay("phrase-halves", phrases::check_halves);
}

#[test]
fn examples_of_reordering() {
    replay("reorder-examples", examples::check_examples);
}

/// A check of bytes, read in blocks of a size.
type Check = fn(&[u8], usize);

const RANDOM_FIELDS: [(&str, Check); 5] = [
    ("crf-attributes", crf::check_attributes),
    ("crf-columns", crf::check_columns),
    ("crf-template", crf::check_template),
    ("crf-crfsuite", crf::check_crfsuite),
    ("crf-crfpp", crf::check_crfpp),
];

#[test]
fn random_fields() {
    for (target, check) in RANDOM_FIELDS {
        replay(target, check);
    }
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
fn statistics_files() {
    replay("statistics", statistics::check_statistics);
}

#[test]
fn arpa_files() {
    replay("arpa", arpa::check_arpa);
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

/// Every kept input with bytes dropped, doubled, moved and changed: what a fuzzer does first, on every run.
#[test]
fn forests_with_small_changes() {
    let rounds: u64 =
        std::env::var("PLAIT_MUTATIONS").map_or(30, |text| text.parse().expect("a number"));
    for format in Format::ALL {
        let name = if format == Format::Lazy {
            "moses"
        } else {
            format.name()
        };
        let folder =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../fuzz/corpus/forest-{name}"));
        let mut files: Vec<_> = fs::read_dir(&folder)
            .expect("part of the repository")
            .map(|entry| entry.expect("a listed file").path())
            .collect();
        files.sort();
        for (file, path) in (0_u64..).zip(&files) {
            let seed = fs::read(path).expect("a readable file");
            for round in 0..rounds {
                let mut random = SplitMix(file << 32 | round);
                let mut bytes = seed.clone();
                for _ in 0..=random.below(4) {
                    mutate(&mut bytes, &mut random);
                }
                let copy = bytes.clone();
                let done = std::panic::catch_unwind(|| forest::check_forest(format, &bytes, 7));
                assert!(
                    done.is_ok(),
                    "{}: {:?}",
                    format.name(),
                    String::from_utf8_lossy(&copy)
                );
            }
        }
    }
}

/// Random numbers for mutations (Steele et al. 2014).
struct SplitMix(u64);

impl SplitMix {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((z ^ (z >> 31)) % u64::try_from(count.max(1)).expect("small"))
            .expect("small")
    }
}

fn mutate(bytes: &mut Vec<u8>, random: &mut SplitMix) {
    const PIECES: [&[u8]; 12] = [
        b"0", b"9", b"-1", b" ", b"\n", b"|||", b"[1]", b"\"", b"{", b"1e309", b"=", b"\xff",
    ];
    let at = random.below(bytes.len());
    let end = (at + 1 + random.below(12)).min(bytes.len());
    let to = random.below(bytes.len());
    let part = bytes.get(at..end).unwrap_or_default().to_vec();
    match random.below(4) {
        0 => {
            bytes.drain(at.min(end)..end);
        }
        1 => {
            bytes.splice(to..to, part);
        }
        2 => {
            let piece = PIECES[random.below(PIECES.len())];
            bytes.splice(at..at, piece.iter().copied());
        }
        _ => {
            let piece = PIECES[random.below(PIECES.len())];
            bytes.splice(at.min(end)..end, piece.iter().copied());
        }
    }
}

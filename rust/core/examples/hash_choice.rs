//! Times the hashes that a vocabulary could use on the words of a text: `cargo run --release --example hash_choice < text`.
//!
//! Each hash drives the same standard map from words to counts, three times; the best time is shown.

use rustc_hash::FxHasher;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher, Hasher};
use std::io::Read;
use std::time::Instant;

/// FNV-1a: one multiplication a byte.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

fn time<H: Hasher + Default>(name: &str, words: &[&[u8]]) {
    let best = (0..3)
        .map(|_| {
            let start = Instant::now();
            let mut counts: HashMap<&[u8], u64, BuildHasherDefault<H>> = HashMap::default();
            for word in words {
                *counts.entry(word).or_default() += 1;
            }
            (start.elapsed(), counts.len())
        })
        .min();
    if let Some((elapsed, types)) = best {
        println!("{name}: {elapsed:.2?}, {types} types");
    }
}

fn main() -> std::io::Result<()> {
    let mut text = Vec::new();
    std::io::stdin().read_to_end(&mut text)?;
    let words: Vec<&[u8]> = text
        .split(|byte| b" \t\n".contains(byte))
        .filter(|word| !word.is_empty())
        .collect();
    println!("{} tokens", words.len());
    time::<FxHasher>("Fx (rustc-hash 2)", &words);
    time::<DefaultHasher>("SipHash-1-3 (std)", &words);
    time::<Fnv>("FNV-1a", &words);
    Ok(())
}

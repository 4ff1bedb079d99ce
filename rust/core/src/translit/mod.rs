//! Transliteration and grapheme-to-phoneme conversion: models of pairs of words without given alignment.

pub mod two_step;

//! Strings of source symbols as ids: what the features of both fields are made of.

use crate::error::{Error, Result};
use rustc_hash::FxHashMap;

/// What stands before the first symbol of a word and behind its last one.
pub const EDGE: u32 = 0;

/// The longest string that has an id; features of longer ones do not exist.
pub const LONGEST: usize = 16;

/// How far windows reach over the edges of a word.
pub const MARGIN: usize = 6;

/// The id of a string that the training words do not have.
pub const ABSENT: u32 = u32::MAX;

/// An attribute is a template and two strings: 6, 29 and 29 bits.
const BITS: u32 = 29;

/// All strings that occurred, as a tree: a string is the id of its beginning and its last symbol. The empty one is 0.
#[derive(Debug, Clone, Default)]
pub struct Grams {
    children: FxHashMap<(u32, u32), u32>,
    /// Beginning and last symbol of string n + 1.
    made: Vec<(u32, u32)>,
}

/// Attributes by what they are made of.
#[derive(Debug, Clone, Default)]
pub struct Attributes {
    ids: FxHashMap<u64, u32>,
    keys: Vec<u64>,
}

/// The ids of all strings of one word that lie within its margins.
#[derive(Debug, Clone, Default)]
pub struct Word {
    /// The symbols with edges around them.
    padded: Vec<u32>,
    /// By place, then length.
    ids: Vec<u32>,
}

impl Grams {
    /// Strings from their beginnings and last symbols, as [`Self::parts`] gives them.
    ///
    /// # Errors
    /// [`Error::Model`] when a beginning comes after its string, or a string stands twice.
    pub fn from_parts(beginnings: &[u32], symbols: &[u32]) -> Result<Self> {
        let wrong = |problem: &str| Error::Model {
            part: "strings",
            problem: problem.to_owned(),
        };
        if beginnings.len() != symbols.len() {
            return Err(wrong("have arrays of different lengths"));
        }
        let mut made = Self::default();
        for (&beginning, &symbol) in beginnings.iter().zip(symbols) {
            let next = made.made.len();
            if beginning as usize > next {
                return Err(wrong("have a beginning that comes after its string"));
            }
            made.insert(beginning, symbol)?;
            if made.made.len() == next {
                return Err(wrong("have the same string twice"));
            }
        }
        Ok(made)
    }

    /// Beginnings and last symbols of all strings but the empty one.
    #[must_use]
    pub fn parts(&self) -> (Vec<u32>, Vec<u32>) {
        self.made.iter().copied().unzip()
    }

    /// Number of strings, the empty one included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.made.len() + 1
    }

    /// Never: there is the empty string.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }

    fn get(&self, beginning: u32, symbol: u32) -> Option<u32> {
        self.children.get(&(beginning, symbol)).copied()
    }

    fn insert(&mut self, beginning: u32, symbol: u32) -> Result<u32> {
        if let Some(id) = self.get(beginning, symbol) {
            return Ok(id);
        }
        self.made.push((beginning, symbol));
        let id = u32::try_from(self.made.len())
            .ok()
            .filter(|&id| id < 1 << BITS)
            .ok_or(Error::TooLarge {
                what: "the number of different strings in source words",
                limit: (1 << BITS) - 1,
            })?;
        self.children.insert((beginning, symbol), id);
        Ok(id)
    }
}

impl Word {
    /// Reads a word; strings that training did not have get [`ABSENT`].
    pub fn read(&mut self, symbols: &[u32], grams: &Grams) {
        self.pad(symbols);
        for at in 0..self.padded.len() {
            let mut id = 0;
            for (length, &symbol) in self.padded[at..].iter().take(LONGEST).enumerate() {
                let Some(next) = grams.get(id, symbol) else {
                    break;
                };
                id = next;
                self.ids[at * (LONGEST + 1) + length + 1] = id;
            }
        }
    }

    /// Takes a word in; strings get ids when they are asked for by [`Self::intern`].
    pub fn open(&mut self, symbols: &[u32]) {
        self.pad(symbols);
    }

    fn pad(&mut self, symbols: &[u32]) {
        self.padded.clear();
        self.padded.resize(MARGIN, EDGE);
        // Symbols come with ids from 0; the edge takes 0 here.
        self.padded
            .extend(symbols.iter().map(|&symbol| symbol.saturating_add(1)));
        self.padded.resize(self.padded.len() + MARGIN, EDGE);
        self.ids.clear();
        self.ids.resize(self.padded.len() * (LONGEST + 1), ABSENT);
        for at in 0..self.padded.len() {
            self.ids[at * (LONGEST + 1)] = 0;
        }
    }

    /// Number of symbols without the edges.
    #[must_use]
    pub fn len(&self) -> usize {
        self.padded.len() - 2 * MARGIN
    }

    /// Whether there is no symbol.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The id of the string from `start` to `end`, both counted from [`MARGIN`] symbols before the word.
    #[must_use]
    #[inline]
    pub fn get(&self, start: usize, end: usize) -> u32 {
        let length = end - start;
        if length > LONGEST || end > self.padded.len() {
            return ABSENT;
        }
        self.ids[start * (LONGEST + 1) + length]
    }

    /// The same, making ids for new strings.
    ///
    /// # Errors
    /// [`Error::TooLarge`].
    pub fn intern(&mut self, start: usize, end: usize, grams: &mut Grams) -> Result<u32> {
        let length = end - start;
        if length > LONGEST || end > self.padded.len() {
            return Ok(ABSENT);
        }
        let row = start * (LONGEST + 1);
        if self.ids[row + length] == ABSENT {
            for shorter in 0..length {
                if self.ids[row + shorter + 1] == ABSENT {
                    let beginning = self.ids[row + shorter];
                    self.ids[row + shorter + 1] =
                        grams.insert(beginning, self.padded[start + shorter])?;
                }
            }
        }
        Ok(self.ids[row + length])
    }
}

impl Attributes {
    /// Attributes from their keys.
    ///
    /// # Errors
    /// [`Error::Model`] when a key stands twice.
    pub fn from_keys(keys: Vec<u64>) -> Result<Self> {
        let mut ids = FxHashMap::default();
        for (id, &key) in (0..).zip(&keys) {
            if ids.insert(key, id).is_some() {
                return Err(Error::Model {
                    part: "attributes",
                    problem: "have the same key twice".to_owned(),
                });
            }
        }
        Ok(Self { ids, keys })
    }

    /// The keys by id.
    #[must_use]
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// The attribute of a template and two strings, if training had it.
    #[must_use]
    #[inline]
    pub fn get(&self, template: usize, first: u32, second: u32) -> Option<u32> {
        if first == ABSENT || second == ABSENT {
            return None;
        }
        self.ids.get(&key(template, first, second)).copied()
    }

    /// The same, made if it is new; none for a string that has no id.
    ///
    /// # Errors
    /// [`Error::TooLarge`].
    pub fn intern(&mut self, template: usize, first: u32, second: u32) -> Result<Option<u32>> {
        if first == ABSENT || second == ABSENT {
            return Ok(None);
        }
        let key = key(template, first, second);
        if let Some(&id) = self.ids.get(&key) {
            return Ok(Some(id));
        }
        let id = u32::try_from(self.keys.len()).map_err(|_| Error::TooLarge {
            what: "the number of attributes",
            limit: u64::from(u32::MAX),
        })?;
        self.keys.push(key);
        self.ids.insert(key, id);
        Ok(Some(id))
    }
}

fn key(template: usize, first: u32, second: u32) -> u64 {
    ((template as u64) << (2 * BITS)) | (u64::from(first) << BITS) | u64::from(second)
}

//! Lines of examples as rows.
//!
//! A line is `source phrase ||| target phrase ||| class ||| features`, words apart by spaces or tabs; [`super::features`] writes such lines. A class `?` is
//! not known. Features that are there more than once count as often.

use crate::error::{Error, Result};
use crate::numeric::{to_index, to_u64};
use crate::text::Vocabulary;
use crate::text::decode::{column_after, quote};
use crate::text::interner::Interner;
use crate::text::lines::{LineCutter, reserve};

/// The number of a class that is not known.
pub const UNKNOWN: u32 = u32::MAX;

/// What separates the columns.
const SEPARATOR: &str = "|||";

/// More classes are no classes: the third column is something else.
const MOST_CLASSES: usize = 1000;

/// The usual classes, in the order of Moses' tables; others follow in the order of their names.
const USUAL: [&str; 6] = ["mono", "swap", "other", "dleft", "dright", "nomono"];

/// What is read of a line, and what of it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadOptions {
    /// Features that occur less often in the whole input are dropped.
    pub least_count: u64,
    /// Whether the phrase pair itself is a feature too: `p:source ||| target`.
    pub has_identity: bool,
    /// Whether the phrase pair of each example is kept.
    pub keeps_pairs: bool,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            least_count: 11,
            has_identity: false,
            keeps_pairs: false,
        }
    }
}

/// Examples that own their arrays.
#[derive(Debug, Clone, Default)]
pub struct Read {
    /// Starts of rows.
    pub offsets: Vec<u64>,
    /// Features of all rows, sorted in each.
    pub features: Vec<u32>,
    /// The class of each row; [`UNKNOWN`] when the line has `?`.
    pub labels: Vec<u32>,
    /// Names of the classes.
    pub classes: Vec<String>,
    /// Names of the features, by falling frequency (ties: first occurrence), or as they were given.
    pub vocabulary: Vocabulary,
    /// Different phrase pairs as `source ||| target`, and the one of each row.
    pub pairs: Option<(Vocabulary, Vec<u32>)>,
    /// Features that were dropped, for being rare or not known.
    pub dropped: u64,
}

/// Reads examples from byte blocks.
#[derive(Debug)]
pub struct Reader {
    cutter: LineCutter,
    rows: Rows,
}

/// What has been read so far.
#[derive(Debug)]
struct Rows {
    options: ReadOptions,
    /// Whether features and classes are those of a model, and no other.
    is_fixed: bool,
    vocabulary: Interner,
    counts: Vec<u64>,
    classes: Vec<String>,
    offsets: Vec<u64>,
    features: Vec<u32>,
    labels: Vec<u32>,
    pairs: Interner,
    pair_of_row: Vec<u32>,
    dropped: u64,
    identity: String,
}

impl Reader {
    /// A reader that learns features and classes from what it reads.
    #[must_use]
    pub fn new(options: ReadOptions) -> Self {
        Self::with(options, Interner::default(), Vec::new(), false)
    }

    /// A reader for a model: other features are dropped, other classes refused.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn for_model(
        options: ReadOptions,
        vocabulary: &Vocabulary,
        classes: Vec<String>,
    ) -> Result<Self> {
        let interner = Interner::from_vocabulary(vocabulary)?;
        Ok(Self::with(options, interner, classes, true))
    }

    fn with(
        options: ReadOptions,
        vocabulary: Interner,
        classes: Vec<String>,
        is_fixed: bool,
    ) -> Self {
        Self {
            cutter: LineCutter::default(),
            rows: Rows {
                options,
                is_fixed,
                vocabulary,
                counts: Vec::new(),
                classes,
                offsets: vec![0],
                features: Vec::new(),
                labels: Vec::new(),
                pairs: Interner::default(),
                pair_of_row: Vec::new(),
                dropped: 0,
                identity: String::new(),
            },
        }
    }

    /// Takes the next bytes.
    ///
    /// # Errors
    /// [`Error::Text`]: a line is not UTF-8 or has not the four columns, a class is not one word or not one of the model; [`Error::Memory`];
    /// [`Error::TooLarge`].
    pub fn feed(&mut self, block: &[u8]) -> Result<()> {
        let rows = &mut self.rows;
        self.cutter
            .feed(block, |number, line| rows.line(number, line))
    }

    /// The examples, with rare features dropped and rows sorted.
    ///
    /// # Errors
    /// As [`Reader::feed`].
    pub fn finish(mut self) -> Result<Read> {
        let rows = &mut self.rows;
        self.cutter.finish(|number, line| rows.line(number, line))?;
        Ok(self.rows.finish())
    }
}

impl Rows {
    fn line(&mut self, number: u64, line: &[u8]) -> Result<()> {
        let line = std::str::from_utf8(line).map_err(|problem| {
            let good = String::from_utf8_lossy(&line[..problem.valid_up_to()]);
            Error::Text {
                line: number,
                column: column_after(&good),
                problem: "the text is not UTF-8 here; make the examples again".to_owned(),
                found: format!("byte {}", line[problem.valid_up_to()..][..1].escape_ascii()),
            }
        })?;
        let [source, target, class, features] = columns(number, line)?;
        let label = self.label(number, line, class)?;
        self.labels.push(label);
        reserve(&mut self.features, features.len() / 2 + 2, "examples")?;
        for feature in words(features) {
            self.feature(feature)?;
        }
        if self.options.has_identity {
            let mut name = std::mem::take(&mut self.identity);
            name.clear();
            name.push_str("p:");
            join(source, target, &mut name);
            self.feature(&name)?;
            self.identity = name;
        }
        if self.options.keeps_pairs {
            let mut name = std::mem::take(&mut self.identity);
            name.clear();
            join(source, target, &mut name);
            self.pair_of_row.push(self.pairs.intern(&name)?.as_u32());
            self.identity = name;
        }
        self.offsets.push(to_u64(self.features.len()));
        Ok(())
    }

    fn label(&mut self, number: u64, line: &str, class: &str) -> Result<u32> {
        let wrong = |problem: String| Error::Text {
            line: number,
            column: column_after(&line[..class.as_ptr() as usize - line.as_ptr() as usize]),
            problem,
            found: quote(class),
        };
        if class.is_empty() || class.contains([' ', '\t']) {
            return Err(wrong(
                "the third column is a class, one word; ? where it is not known".to_owned(),
            ));
        }
        if class == "?" {
            return Ok(UNKNOWN);
        }
        let known = self.classes.iter().position(|name| name == class);
        let at = match known {
            Some(at) => at,
            None if self.is_fixed => {
                return Err(wrong(format!(
                    "the class is none of the model's, which are {}",
                    self.classes.join(", ")
                )));
            }
            None => {
                self.classes.push(class.to_owned());
                self.classes.len() - 1
            }
        };
        if self.classes.len() > MOST_CLASSES {
            return Err(wrong(format!(
                "there are more than {MOST_CLASSES} classes; is the third column the class?"
            )));
        }
        Ok(u32::try_from(at).unwrap_or(UNKNOWN))
    }

    fn feature(&mut self, name: &str) -> Result<()> {
        if self.is_fixed {
            match self.vocabulary.get(name) {
                Some(id) => self.features.push(id.as_u32()),
                None => self.dropped += 1,
            }
            return Ok(());
        }
        let id = self.vocabulary.intern(name)?;
        if id.index() == self.counts.len() {
            self.counts.push(0);
        }
        self.counts[id.index()] += 1;
        self.features.push(id.as_u32());
        Ok(())
    }

    fn finish(mut self) -> Read {
        if !self.is_fixed {
            self.sort_classes();
            self.drop_rare();
        }
        for pair in self.offsets.windows(2) {
            self.features[to_index(pair[0])..to_index(pair[1])].sort_unstable();
        }
        let keeps_pairs = self.options.keeps_pairs;
        Read {
            offsets: self.offsets,
            features: self.features,
            labels: self.labels,
            classes: self.classes,
            vocabulary: self.vocabulary.into_vocabulary(),
            pairs: keeps_pairs.then(|| (self.pairs.into_vocabulary(), self.pair_of_row)),
            dropped: self.dropped,
        }
    }

    /// The classes, the usual ones first, and the new number of each.
    fn class_order(&self) -> (Vec<String>, Vec<u32>) {
        let place = |name: &str| {
            let usual = USUAL.iter().position(|&usual| usual == name);
            (usual.unwrap_or(USUAL.len()), name.to_owned())
        };
        let mut sorted = self.classes.clone();
        sorted.sort_by_key(|name| place(name));
        let moved = self.classes.iter().map(|name| {
            let at = sorted.iter().position(|other| other == name);
            at.and_then(|at| u32::try_from(at).ok()).unwrap_or(UNKNOWN)
        });
        let moved = moved.collect();
        (sorted, moved)
    }

    fn sort_classes(&mut self) {
        let (sorted, moved) = self.class_order();
        for label in &mut self.labels {
            *label = moved.get(*label as usize).copied().unwrap_or(UNKNOWN);
        }
        self.classes = sorted;
    }

    /// The features that are no rare ones, by falling frequency.
    fn frequent(&self) -> Vec<usize> {
        let least = self.options.least_count;
        let mut kept: Vec<usize> = (0..self.counts.len())
            .filter(|&id| self.counts[id] >= least)
            .collect();
        kept.sort_by_key(|&id| std::cmp::Reverse(self.counts[id]));
        kept
    }

    /// Drops rare features, and numbers the others by falling frequency: rows of frequent ones lie close together in every table.
    fn drop_rare(&mut self) {
        let kept = self.frequent();
        let mut moved = vec![u32::MAX; self.counts.len()];
        let mut names = Vec::with_capacity(kept.len());
        for (new, &old) in (0..).zip(&kept) {
            moved[old] = new;
            names.push(self.vocabulary.word(old).to_owned());
        }
        self.vocabulary = Interner::default();
        self.dropped += to_u64(moved.len() - kept.len());
        let (mut read, mut write) = (0, 0);
        for n in 1..self.offsets.len() {
            let stop = to_index(self.offsets[n]);
            while read < stop {
                let new = moved[self.features[read] as usize];
                if new != u32::MAX {
                    self.features[write] = new;
                    write += 1;
                }
                read += 1;
            }
            self.offsets[n] = to_u64(write);
        }
        self.features.truncate(write);
        self.features.shrink_to_fit();
        for name in &names {
            // There were more of them before.
            let _ = self.vocabulary.intern(name);
        }
    }
}

/// The four columns of a line, without the spaces around them.
fn columns(number: u64, line: &str) -> Result<[&str; 4]> {
    let mut found = [""; 4];
    let (mut column, mut start) = (0, 0);
    for word in words(line) {
        if word != SEPARATOR {
            continue;
        }
        let at = word.as_ptr() as usize - line.as_ptr() as usize;
        if column == 3 {
            return Err(wrong_columns(number, line, at, "a fifth column"));
        }
        found[column] = trim(&line[start..at]);
        column += 1;
        start = at + SEPARATOR.len();
    }
    if column < 3 {
        let what = format!("{} column(s): {}", column + 1, quote(line));
        return Err(wrong_columns(number, line, line.len(), &what));
    }
    found[3] = trim(&line[start..]);
    Ok(found)
}

fn wrong_columns(line: u64, text: &str, at: usize, found: &str) -> Error {
    Error::Text {
        line,
        column: column_after(&text[..at]),
        problem: "an example is 'source ||| target ||| class ||| features', as plait reorder examples writes it".to_owned(),
        found: found.to_owned(),
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split([' ', '\t']).filter(|word| !word.is_empty())
}

fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}

fn join(source: &str, target: &str, out: &mut String) {
    out.push_str(source);
    out.push_str(" ||| ");
    out.push_str(target);
}

mod tally;

pub use tally::{Tallied, Tally};

#[cfg(test)]
mod tests;

//! Which features the two fields have.

use super::grams::{Attributes, Grams, MARGIN, Word};
use crate::error::{Error, Result};

/// The features of both fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Templates {
    /// Segmenter: besides the paper's, all strings up to this length that hold or touch the place before a symbol; up to 2 only the paper's.
    pub window: usize,
    /// Converter: besides the paper's, strings of up to so many letters before and behind a chunk, alone and with it; 0 only the paper's.
    pub letters: usize,
}

/// The segmenter's single symbols and pairs of Yang, Dixon and Furui 2010, section 2.2: where they start, and their length.
const SEGMENTER: [(isize, usize); 7] = [(-2, 1), (-1, 1), (0, 1), (1, 1), (2, 1), (-1, 2), (0, 2)];

/// What a template of the converter is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The chunk with letters before and behind it.
    Around(usize, usize),
    /// Letters before the chunk.
    Before(usize),
    /// Letters behind it.
    Behind(usize),
}

impl Templates {
    /// Those of the paper.
    pub const PAPER: Self = Self {
        window: 2,
        letters: 0,
    };

    /// # Errors
    /// [`Error::Config`] for windows wider than the margins.
    pub fn check(self) -> Result<()> {
        for (name, value) in [("window", self.window), ("letters", self.letters)] {
            if value > MARGIN {
                let expected = format!("from 0 to {MARGIN}");
                return Err(Error::config(name, &expected, value));
            }
        }
        Ok(())
    }

    fn windows(self) -> Vec<(isize, usize)> {
        let mut made = SEGMENTER.to_vec();
        for length in 2..=self.window.max(2) {
            for start in 0..=length {
                let window = (-isize::try_from(start).unwrap_or(0), length);
                if self.window > 2 && !made.contains(&window) {
                    made.push(window);
                }
            }
        }
        made
    }

    fn parts(self) -> Vec<Part> {
        let mut made = vec![Part::Around(0, 0)];
        for count in 1..=self.letters {
            made.extend([
                Part::Before(count),
                Part::Behind(count),
                Part::Around(count, 0),
                Part::Around(0, count),
            ]);
            if count <= 2 {
                made.push(Part::Around(count, count));
            }
        }
        made
    }
}

/// Looks attributes up, or makes them.
pub(super) trait Source {
    /// Tells `each` the attribute of a template and one or two strings of the word, if there is one.
    fn one(
        &mut self,
        template: usize,
        first: (usize, usize),
        second: Option<(usize, usize)>,
    ) -> Result<Option<u32>>;
}

/// Attributes that exist.
pub(super) struct Known<'a> {
    pub word: &'a Word,
    pub attributes: &'a Attributes,
}

impl Source for Known<'_> {
    #[inline]
    fn one(
        &mut self,
        template: usize,
        first: (usize, usize),
        second: Option<(usize, usize)>,
    ) -> Result<Option<u32>> {
        let second = second.map_or(0, |(start, end)| self.word.get(start, end));
        Ok(self
            .attributes
            .get(template, self.word.get(first.0, first.1), second))
    }
}

/// Attributes that are made when they are new.
pub(super) struct New<'a> {
    pub word: &'a mut Word,
    pub grams: &'a mut Grams,
    pub attributes: &'a mut Attributes,
}

impl Source for New<'_> {
    fn one(
        &mut self,
        template: usize,
        first: (usize, usize),
        second: Option<(usize, usize)>,
    ) -> Result<Option<u32>> {
        let first = self.word.intern(first.0, first.1, self.grams)?;
        let second = match second {
            Some((start, end)) => self.word.intern(start, end, self.grams)?,
            None => 0,
        };
        self.attributes.intern(template, first, second)
    }
}

/// The features of both fields, prepared.
#[derive(Debug, Clone)]
pub(super) struct Prepared {
    windows: Vec<(isize, usize)>,
    parts: Vec<Part>,
}

impl Prepared {
    pub fn new(templates: Templates) -> Self {
        Self {
            windows: templates.windows(),
            parts: templates.parts(),
        }
    }

    /// The segmenter's attributes at a symbol.
    pub fn symbol(
        &self,
        at: usize,
        source: &mut impl Source,
        mut each: impl FnMut(u32),
    ) -> Result<()> {
        for (template, &(offset, length)) in self.windows.iter().enumerate() {
            let start = (at + MARGIN).saturating_add_signed(offset);
            if let Some(attribute) = source.one(template, (start, start + length), None)? {
                each(attribute);
            }
        }
        Ok(())
    }

    /// The converter's attributes of a chunk that do not depend on its neighbours; the first is the chunk itself.
    pub fn chunk(
        &self,
        chunk: (usize, usize),
        source: &mut impl Source,
        mut each: impl FnMut(u32),
    ) -> Result<()> {
        let (start, end) = (chunk.0 + MARGIN, chunk.1 + MARGIN);
        for (template, part) in self.parts.iter().enumerate() {
            let span = match *part {
                Part::Around(before, behind) => (start - before, end + behind),
                Part::Before(count) => (start - count, start),
                Part::Behind(count) => (end, end + count),
            };
            if let Some(attribute) = source.one(template, span, None)? {
                each(attribute);
            }
        }
        Ok(())
    }

    /// Those of a chunk with the one before it, whose start is given; none before the first one.
    pub fn before(
        &self,
        start: Option<usize>,
        chunk: (usize, usize),
        source: &mut impl Source,
        mut each: impl FnMut(u32),
    ) -> Result<()> {
        // What stands before the first chunk is an edge.
        let before = (
            start.map_or(MARGIN - 1, |start| start + MARGIN),
            chunk.0 + MARGIN,
        );
        let own = (before.1, chunk.1 + MARGIN);
        let first = self.parts.len();
        for attribute in [
            source.one(first, before, None)?,
            source.one(first + 1, before, Some(own))?,
        ]
        .into_iter()
        .flatten()
        {
            each(attribute);
        }
        Ok(())
    }

    /// Those of a chunk with the one behind it, whose end is given; none behind the last one.
    pub fn behind(
        &self,
        chunk: (usize, usize),
        end: Option<usize>,
        source: &mut impl Source,
        mut each: impl FnMut(u32),
    ) -> Result<()> {
        let own = (chunk.0 + MARGIN, chunk.1 + MARGIN);
        let behind = (own.1, end.map_or(own.1 + 1, |end| end + MARGIN));
        let first = self.parts.len() + 2;
        for attribute in [
            source.one(first, behind, None)?,
            source.one(first + 1, own, Some(behind))?,
        ]
        .into_iter()
        .flatten()
        {
            each(attribute);
        }
        Ok(())
    }
}

//! Lattices in the Python lattice format (PLF): one literal a line.
//!
//! `((('word', score, distance), ...), ...)`: a tuple of columns, of arcs; the distance leads to a later column. Scores may be several, none, or a
//! dictionary of names and values. Read by hand: nothing is evaluated, and nothing nests deeper than the format does.

use super::super::forest::{Forest, Forests};
use super::draft::{Draft, Names, variable};
use super::lattice::{Lattice, forward, label};
use super::line::Line;
use super::output::{feature, one_line, real, refuse, refuse_weights};
use super::{LineParser, Part};
use crate::error::Result;
use std::borrow::Cow;
use std::io::Write;

const REMEDY: &str =
    "a lattice is written ((('word',score,distance),),) with one line for each sentence";
/// The names of scores without names end in their position.
const SCORE: &str = "LatticeCost_";
/// The word of arcs without word.
const EPSILON: &str = "*EPS*";

#[derive(Debug, Default)]
pub(super) struct PlfReader {
    names: Names,
    list: Vec<Forest>,
    /// Ids of the scores by position.
    scores: Vec<u32>,
}

impl LineParser for PlfReader {
    fn line(&mut self, _: Part, number: u64, bytes: &[u8]) -> Result<()> {
        let line = Line::new(number, bytes, REMEDY)?;
        let mut cursor = Cursor { line, at: 0 };
        let mut draft = Draft::default();
        let mut columns = 0_u32;
        // Arcs with the place of their distance, for errors once the number of columns is known.
        let mut furthest = (0_u64, 0, 0);
        cursor.space();
        if cursor.at < line.text.len() {
            cursor.expect('(')?;
            while !cursor.closes() {
                cursor.expect('(')?;
                while !cursor.closes() {
                    let end = self.arc(&mut cursor, &mut draft, columns)?;
                    furthest = furthest.max(end);
                }
                columns = columns
                    .checked_add(1)
                    .ok_or_else(|| line.end_error("there are too many columns"))?;
            }
            cursor.space();
            if cursor.at < line.text.len() {
                return Err(cursor.error("the line should end here"));
            }
        }
        if furthest.0 > u64::from(columns) {
            let part = &line.text[furthest.1..furthest.2];
            return Err(line.error(part, &format!("the arc leads beyond the {columns} columns")));
        }
        draft.axiom(columns)?;
        let nodes = super::super::structure::index(columns) + 1;
        self.list.push(draft.finish(nodes, 0));
        Ok(())
    }

    fn finish(&mut self, _: u64) -> Result<Forests> {
        let list = std::mem::take(&mut self.list);
        Ok(std::mem::take(&mut self.names).into_forests(list))
    }
}

impl PlfReader {
    /// Reads an arc; returns the column that it leads to, and where its distance stands.
    fn arc(
        &mut self,
        cursor: &mut Cursor<'_>,
        draft: &mut Draft,
        column: u32,
    ) -> Result<(u64, usize, usize)> {
        cursor.expect('(')?;
        let word = cursor.string()?;
        let mut scores = 0;
        let mut last: Option<(usize, usize)> = None;
        cursor.comma()?;
        while !cursor.closes() {
            // The last number is the distance; the one before was a score, then.
            if let Some((start, end)) = last.take() {
                self.score(cursor.line, &cursor.line.text[start..end], scores, draft)?;
                scores += 1;
            }
            if cursor.peek() == Some('{') {
                self.dictionary(cursor, draft)?;
            } else {
                last = Some(cursor.token());
            }
            cursor.comma()?;
        }
        let Some((start, end)) = last else {
            return Err(cursor.error("an arc ends with a distance"));
        };
        let part = &cursor.line.text[start..end];
        let distance: u32 = cursor.line.whole(part, "the distance")?;
        if distance == 0 {
            return Err(cursor.line.error(part, "the distance must be at least 1"));
        }
        if word != EPSILON {
            let item = self.names.word(&word)?;
            draft.item(item)?;
        }
        draft.item(variable(0))?;
        let to = u64::from(column) + u64::from(distance);
        // What is beyond the columns is refused at the end of the line.
        draft.tail(u32::try_from(to).unwrap_or(u32::MAX))?;
        draft.end_edge(column)?;
        Ok((to, start, end))
    }

    fn score(
        &mut self,
        line: Line<'_>,
        part: &str,
        position: usize,
        draft: &mut Draft,
    ) -> Result<()> {
        let value = line.number(part, "a score")?;
        while self.scores.len() <= position {
            let name = format!("{SCORE}{}", self.scores.len());
            self.scores.push(self.names.feature(&name)?);
        }
        if draft.feature(self.scores[position], value)? {
            return Ok(());
        }
        Err(line.error(part, "the arc has this score by name, too"))
    }

    fn dictionary(&mut self, cursor: &mut Cursor<'_>, draft: &mut Draft) -> Result<()> {
        cursor.expect('{')?;
        loop {
            cursor.space();
            if cursor.peek() == Some('}') {
                cursor.at += 1;
                return Ok(());
            }
            let start = cursor.at;
            let name = cursor.string()?;
            cursor.expect(':')?;
            cursor.space();
            let (from, to) = cursor.token();
            let value = cursor
                .line
                .number(&cursor.line.text[from..to], "the value of a feature")?;
            let id = self.names.feature(&name)?;
            if !draft.feature(id, value)? {
                return Err(cursor
                    .line
                    .error(&cursor.line.text[start..to], "an arc has a feature twice"));
            }
            cursor.space();
            match cursor.peek() {
                Some(',') => cursor.at += 1,
                Some('}') => {}
                _ => return Err(cursor.error("expected ',' or '}'")),
            }
        }
    }
}

/// A place in a line.
struct Cursor<'a> {
    line: Line<'a>,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        &self.line.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
    }

    fn error(&self, problem: &str) -> crate::error::Error {
        self.line.error(self.rest(), problem)
    }

    fn expect(&mut self, wanted: char) -> Result<()> {
        self.space();
        if self.peek() != Some(wanted) {
            return Err(self.error(&format!("expected '{wanted}'")));
        }
        self.at += wanted.len_utf8();
        Ok(())
    }

    /// Whether a tuple ends here, its parenthesis included and a comma behind it. A comma before it was taken with what it follows.
    fn closes(&mut self) -> bool {
        self.space();
        if self.peek() != Some(')') {
            return false;
        }
        self.at += 1;
        self.space();
        if self.peek() == Some(',') {
            self.at += 1;
        }
        true
    }

    /// A comma, or the end of a tuple, which stays.
    fn comma(&mut self) -> Result<()> {
        self.space();
        match self.peek() {
            Some(',') => self.at += 1,
            Some(')') => {}
            _ => return Err(self.error("expected ',' or ')'")),
        }
        self.space();
        Ok(())
    }

    /// A number, as the range of its text.
    fn token(&mut self) -> (usize, usize) {
        let start = self.at;
        let is_end = |c: char| matches!(c, ',' | ')' | '}' | ':' | ' ' | '\t' | '(' | '{');
        self.at += self.rest().find(is_end).unwrap_or(self.rest().len());
        (start, self.at)
    }

    /// A string in single or double quotes, with backslashes before quotes and backslashes.
    fn string(&mut self) -> Result<Cow<'a, str>> {
        self.space();
        let Some(quote @ ('\'' | '"')) = self.peek() else {
            return Err(self.error("expected a string in quotes"));
        };
        let start = self.at + 1;
        let mut text = String::new();
        let mut from = start;
        let mut characters = self.line.text[start..].char_indices();
        while let Some((n, c)) = characters.next() {
            if c == quote {
                let last = &self.line.text[from..start + n];
                self.at = start + n + 1;
                if text.is_empty() {
                    return Ok(Cow::Borrowed(last));
                }
                text.push_str(last);
                return Ok(Cow::Owned(text));
            }
            if c == '\\' {
                text.push_str(&self.line.text[from..start + n]);
                let Some((_, c @ ('\'' | '"' | '\\'))) = characters.next() else {
                    self.at = start + n;
                    return Err(self.error("a backslash stands before a quote or a backslash"));
                };
                text.push(c);
                from = start + n + 2;
            }
        }
        Err(self.error("the string has no closing quote"))
    }
}

/// Appends a lattice as a line.
///
/// # Errors
/// [`crate::error::Error::Hypergraph`] for what is no lattice, has a cycle, has weights, or has no path.
pub(super) fn write(forests: &Forests, forest: &Forest, out: &mut Vec<u8>) -> Result<()> {
    refuse_weights(forest, "PLF")?;
    let mut lattice = Lattice::of(forest)?;
    let graph = forest.graph()?;
    graph.refuse_cycles("PLF has no cycles; choose openfst, or remove an edge")?;
    let nothing = || {
        let problem = "PLF holds lattices with a path, in which nothing leads to the start; remove what no derivation uses";
        refuse("the lattice".to_owned(), problem, "another one")
    };
    let end = lattice.only_end(forest).or_else(|| {
        // A start that is the end: the empty sentence.
        lattice.arcs.is_empty().then_some(lattice.start)
    });
    let end = end.ok_or_else(nothing)?;
    let places = forward(&lattice, end).ok_or_else(nothing)?;
    let mut columns: Vec<Vec<usize>> = vec![Vec::new(); lattice.states - 1];
    for (n, arc) in lattice.arcs.iter().enumerate() {
        columns
            .get_mut(places[arc.from])
            .ok_or_else(nothing)?
            .push(n);
    }
    out.push(b'(');
    for column in columns {
        out.push(b'(');
        for n in column {
            let arc = lattice.arcs[n];
            out.push(b'(');
            string(out, one_line(label(forests, arc, EPSILON), "a word")?);
            out.push(b',');
            if let Some(edge) = arc.edge {
                scores(forests, forest, edge, out)?;
            }
            // Writing to a vector does not fail.
            let _ = write!(out, "{}),", places[arc.to] - places[arc.from]);
        }
        out.extend_from_slice(b"),");
    }
    out.extend_from_slice(b")\n");
    Ok(())
}

/// Scores by position where the features are these, else as a dictionary.
fn scores(forests: &Forests, forest: &Forest, edge: usize, out: &mut Vec<u8>) -> Result<()> {
    let features = || {
        forest
            .features(edge)
            .map(|(id, value)| (feature(forests, id), value))
    };
    let by_position = |(n, (name, _)): (usize, (&str, f64))| {
        name.strip_prefix(SCORE)
            .is_some_and(|digits| digits == n.to_string())
    };
    if features().enumerate().all(by_position) {
        for (_, value) in features() {
            real(out, value);
            out.push(b',');
        }
        return Ok(());
    }
    out.push(b'{');
    for (name, value) in features() {
        string(out, one_line(name, "the name of a feature")?);
        out.push(b':');
        real(out, value);
        out.push(b',');
    }
    out.extend_from_slice(b"},");
    Ok(())
}

fn string(out: &mut Vec<u8>, text: &str) {
    out.push(b'\'');
    for byte in text.bytes() {
        if matches!(byte, b'\'' | b'\\') {
            out.push(b'\\');
        }
        out.push(byte);
    }
    out.push(b'\'');
}

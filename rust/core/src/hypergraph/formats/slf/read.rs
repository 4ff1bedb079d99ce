//! From files to lattices.

use super::super::super::forest::{Forest, Forests, NO_TEXT};
use super::super::super::structure::index;
use super::super::draft::{Draft, Names, variable};
use super::super::line::{Line, cut_short};
use super::super::{LineParser, Part};
use super::fields::Fields;
use super::{NULL, PROPERTY, TIME, VALUES, VARIANT};
use crate::error::Result;
use rustc_hash::FxHashMap;
use std::borrow::Cow;

const REMEDY: &str = "check that it is a lattice in HTK's format, and make or copy the file again";

#[derive(Debug, Default)]
pub struct SlfReader {
    names: Names,
    list: Vec<Forest>,
    sentence: Sentence,
}

#[derive(Debug, Default)]
struct Sentence {
    draft: Draft,
    lines: u64,
    nodes: Option<u32>,
    links: Option<u64>,
    start: Option<u32>,
    end: Option<u32>,
    /// The factor that makes natural logarithms; None for values that are no logarithms.
    factor: Factor,
    /// The nodes that were named, by number. A map: what a file announces takes no memory.
    known: FxHashMap<u32, Node>,
    /// Whether the word of each link stands on its nodes.
    on_nodes: Vec<bool>,
}

/// What is known of a node.
#[derive(Debug, Clone, Copy)]
struct Node {
    has_line: bool,
    has_links_out: bool,
    has_links_in: bool,
    /// The item of its word, or [`NO_WORD`].
    word: i32,
    time: u32,
}

impl Default for Node {
    fn default() -> Self {
        Self {
            has_line: false,
            has_links_out: false,
            has_links_in: false,
            word: NO_WORD,
            time: NO_TEXT,
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Factor {
    Times(f64),
    Logarithm,
}

impl Default for Factor {
    fn default() -> Self {
        Self::Times(1.0)
    }
}

const NO_WORD: i32 = i32::MIN;

impl LineParser for SlfReader {
    fn line(&mut self, _: Part, number: u64, bytes: &[u8]) -> Result<()> {
        let line = Line::new(number, bytes, REMEDY)?;
        let text = line.text.trim_matches([' ', '\t']);
        if text.is_empty() || text.starts_with('#') {
            return Ok(());
        }
        let mut fields = Fields { line, at: 0 };
        let Some((key, value)) = fields.next_field()? else {
            return Ok(());
        };
        match key {
            "I" => self.node(line, &value, &mut fields),
            "J" => self.link(line, &value, &mut fields),
            _ => self.header(line, key, value, &mut fields),
        }
    }

    fn finish(&mut self, lines: u64) -> Result<Forests> {
        if self.sentence.lines == 0 && self.list.is_empty() {
            return Err(cut_short(
                lines,
                "expected a header, nodes and links",
                REMEDY,
            ));
        }
        if self.sentence.lines > 0 {
            self.end_sentence(lines)?;
        }
        let list = std::mem::take(&mut self.list);
        Ok(std::mem::take(&mut self.names).into_forests(list))
    }
}

impl SlfReader {
    fn header<'a>(
        &mut self,
        line: Line<'a>,
        key: &'a str,
        value: Cow<'a, str>,
        fields: &mut Fields<'a>,
    ) -> Result<()> {
        if self.sentence.draft.edges() > 0
            || !self.sentence.known.is_empty() && matches!(key, "VERSION" | "V")
        {
            self.end_sentence(line.number - 1)?;
        }
        self.sentence.lines += 1;
        let mut field = Some((key, value));
        while let Some((key, value)) = field {
            let is_name = key
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            if !is_name || matches!(key, "I" | "J") {
                return Err(line.error(key, "a field of the header has a name of letters; nodes and links have lines of their own"));
            }
            let sentence = &mut self.sentence;
            match key {
                "N" | "NODES" => sentence.nodes = Some(line.whole(&value, "the number of nodes")?),
                "L" | "LINKS" => sentence.links = Some(line.whole(&value, "the number of links")?),
                "start" => sentence.start = Some(line.whole(&value, "the start node")?),
                "end" => sentence.end = Some(line.whole(&value, "the end node")?),
                "base" => {
                    let base = line.number(&value, "the base of logarithms")?;
                    sentence.factor = match base {
                        0.0 => Factor::Logarithm,
                        base if base > 1.0 => Factor::Times(libm::log(base)),
                        _ => {
                            return Err(line.error(
                                line.text,
                                "the base of logarithms is above 1, or 0 for none",
                            ));
                        }
                    };
                }
                "UTTERANCE" | "U" => sentence.draft.property("id", &value),
                _ => {
                    let name = format!("{PROPERTY}{key}");
                    sentence.draft.property(&name, &value);
                }
            }
            field = fields.next_field()?;
        }
        Ok(())
    }

    fn known(&mut self, line: Line<'_>, value: &str) -> Result<u32> {
        let node: u32 = line.whole(value, "a node")?;
        match self.sentence.nodes {
            Some(nodes) if node < nodes => {}
            Some(nodes) => {
                return Err(line.error(line.text, &format!("there are {nodes} nodes, from 0")));
            }
            None => {
                return Err(line.error(line.text, "the header must give the number of nodes, N="));
            }
        }
        self.sentence.known.entry(node).or_default();
        Ok(node)
    }

    fn node<'a>(&mut self, line: Line<'a>, value: &str, fields: &mut Fields<'a>) -> Result<()> {
        self.sentence.lines += 1;
        let number = self.known(line, value)?;
        let node = self.sentence.known.entry(number).or_default();
        if std::mem::replace(&mut node.has_line, true) {
            return Err(line.error(line.text, "the node stands here for the second time"));
        }
        while let Some((key, value)) = fields.next_field()? {
            match key {
                "W" | "WORD" if value != NULL => node.word = self.names.word(&value)?,
                "t" | "time" => node.time = self.names.text(&value)?,
                // What else stands on a node belongs to its word and is the same for all links.
                _ => {}
            }
        }
        Ok(())
    }

    fn link<'a>(&mut self, line: Line<'a>, value: &str, fields: &mut Fields<'a>) -> Result<()> {
        self.sentence.lines += 1;
        line.whole::<u64>(value, "the number of the link")?;
        let (mut from, mut to, mut has_word) = (None, None, false);
        let edge = self.sentence.draft.edges();
        while let Some((key, value)) = fields.next_field()? {
            match key {
                "S" | "START" => from = Some(self.known(line, &value)?),
                "E" | "END" => to = Some(self.known(line, &value)?),
                "W" | "WORD" => {
                    if has_word {
                        return Err(line.error(line.text, "a link has one word"));
                    }
                    has_word = true;
                    if value != NULL {
                        let item = self.names.word(&value)?;
                        self.sentence.draft.item(item)?;
                    }
                }
                "v" | "var" => {
                    let variant = self.names.text(&value)?;
                    self.sentence.draft.edge_text(VARIANT, edge, variant)?;
                }
                _ => self.value(line, key, &value)?,
            }
        }
        let (Some(from), Some(to)) = (from, to) else {
            return Err(line.end_error("a link needs S= and E="));
        };
        if has_word {
            self.sentence.draft.item(variable(0))?;
        }
        self.sentence.on_nodes.push(!has_word);
        self.sentence.known.entry(from).or_default().has_links_out = true;
        self.sentence.known.entry(to).or_default().has_links_in = true;
        self.sentence.draft.tail(to)?;
        self.sentence.draft.end_edge(from)?;
        Ok(())
    }

    fn value(&mut self, line: Line<'_>, key: &str, value: &str) -> Result<()> {
        let Some((short, name)) = VALUES
            .into_iter()
            .find(|(short, long)| *short == key || *long == key)
        else {
            // Alignments and the like.
            return Ok(());
        };
        let value = line.number(value, "a value")?;
        let value = match self.sentence.factor {
            _ if short == "p" => value,
            Factor::Times(factor) => value * factor,
            Factor::Logarithm if value > 0.0 => libm::log(value),
            Factor::Logarithm => return Err(line.error(line.text, "a likelihood must be above 0")),
        };
        if !value.is_finite() {
            return Err(line.error(line.text, "a value must be finite as a natural logarithm"));
        }
        let id = self.names.feature(name)?;
        if self.sentence.draft.feature(id, value)? {
            return Ok(());
        }
        Err(line.error(line.text, "a link has a value twice"))
    }

    fn end_sentence(&mut self, lines: u64) -> Result<()> {
        let sentence = std::mem::take(&mut self.sentence);
        let links = u64::try_from(sentence.draft.edges()).unwrap_or(u64::MAX);
        let nodes = sentence.nodes.unwrap_or(0);
        let lines_of_nodes = sentence.known.values().filter(|node| node.has_line).count();
        if sentence.links != Some(links) || lines_of_nodes != index(nodes) || nodes == 0 {
            let problem = format!(
                "the header announces {nodes} nodes and {} links; there are {lines_of_nodes} and {links}",
                sentence.links.unwrap_or(0),
            );
            return Err(cut_short(lines, &problem, REMEDY));
        }
        // As many lines as numbers below their count, each once: all of them.
        let known: Vec<Node> = (0..nodes)
            .map(|n| sentence.known.get(&n).copied().unwrap_or_default())
            .collect();
        let start = only(sentence.start, &known, |node| !node.has_links_in).ok_or_else(|| {
            cut_short(
                lines,
                "exactly one node may be without links into it, or the header says start=",
                REMEDY,
            )
        })?;
        let end = only(sentence.end, &known, |node| !node.has_links_out).ok_or_else(|| {
            cut_short(
                lines,
                "exactly one node may be without links out of it, or the header says end=",
                REMEDY,
            )
        })?;
        let mut draft = sentence.draft;
        if sentence.on_nodes.contains(&true) {
            words_of_nodes(&mut draft.forest, &sentence.on_nodes, &known, start);
        }
        for (node, known) in known
            .iter()
            .enumerate()
            .filter(|(_, known)| known.time != NO_TEXT)
        {
            draft.node_text(TIME, node, known.time)?;
        }
        draft.axiom(end)?;
        self.list.push(draft.finish(index(nodes), start));
        Ok(())
    }
}

/// The node that the header names, or the only one of its kind.
fn only(named: Option<u32>, known: &[Node], is_one: impl Fn(&Node) -> bool) -> Option<u32> {
    if let Some(node) = named {
        return (index(node) < known.len()).then_some(node);
    }
    let mut found = (0_u32..).zip(known).filter(|(_, node)| is_one(node));
    let first = found.next()?.0;
    found.next().is_none().then_some(first)
}

/// Puts the words of nodes on the links into them, and that of the start on those out of it.
fn words_of_nodes(forest: &mut Forest, on_nodes: &[bool], nodes: &[Node], start: u32) {
    let mut starts = vec![0];
    let mut items = Vec::with_capacity(forest.items.len() + 2 * on_nodes.len());
    for (edge, &on_nodes) in on_nodes.iter().enumerate() {
        if on_nodes {
            let from = forest.heads[edge];
            let to = forest.tails[edge];
            let before = (from == start).then(|| nodes[index(start)].word);
            let both = before.into_iter().chain([nodes[index(to)].word]);
            items.extend(both.filter(|&word| word != NO_WORD));
            items.push(variable(0));
        } else {
            let row = crate::numeric::to_index(forest.item_starts[edge])
                ..crate::numeric::to_index(forest.item_starts[edge + 1]);
            items.extend_from_slice(&forest.items[row]);
        }
        starts.push(crate::numeric::to_u64(items.len()));
    }
    (forest.item_starts, forest.items) = (starts, items);
}

//! Packed parse forests as Egret prints them.
//!
//! `sentence 1 :`, a line of words, then rules, children first: `NP[0,1] => DT[0,0] cat ||| logarithm`. Spans are inclusive, words have none. An empty line
//! ends the sentence; the head of the last rule is the root.

use super::super::forest::{Forest, Forests, Item};
use super::super::structure::index;
use super::cdec::CATEGORY;
use super::draft::{Draft, Names, variable};
use super::line::{Line, cut_short, words};
use super::output::{Axioms, Order, is_token, real, refuse, spaceless, text, word};
use super::rule::BAR;
use super::{LineParser, Part};
use crate::error::Result;
use rustc_hash::FxHashMap;
use std::io::Write;

const REMEDY: &str = "check that it is a forest of Egret, and make or copy the file again";
/// The column of the source span of a node: its first word, and one more than its last.
const SPAN: &str = "span";
/// The property of the words of the sentence.
const WORDS: &str = "words";
const ARROW: &str = "=>";
/// What is not part of an id: what no token has.
const BLANK: [char; 3] = [' ', '\t', '\r'];

#[derive(Debug, Default)]
pub(super) struct EgretReader {
    names: Names,
    list: Vec<Forest>,
    sentence: Option<Sentence>,
}

#[derive(Debug, Default)]
struct Sentence {
    draft: Draft,
    has_words: bool,
    /// The number of each node by its label and span.
    nodes: FxHashMap<String, u32>,
    root: u32,
}

impl LineParser for EgretReader {
    fn line(&mut self, _: Part, number: u64, bytes: &[u8]) -> Result<()> {
        let line = Line::new(number, bytes, REMEDY)?;
        // First: the words of a sentence may look like the line that begins one.
        if let Some(sentence) = self.sentence.as_mut().filter(|open| !open.has_words) {
            sentence.has_words = true;
            let words = line.text.trim_matches([' ', '\t']);
            if !words.is_empty() {
                sentence.draft.property(WORDS, words);
            }
            return Ok(());
        }
        if let Some(id) = line
            .text
            .strip_prefix("sentence ")
            .and_then(|rest| rest.trim_end_matches(BLANK).strip_suffix(':'))
        {
            self.end_sentence();
            let mut sentence = Sentence::default();
            sentence.draft.property("id", id.trim_matches(BLANK));
            self.sentence = Some(sentence);
            return Ok(());
        }
        let Some(sentence) = self.sentence.as_mut() else {
            return if line.fields().next().is_none() {
                Ok(())
            } else {
                Err(line.error(line.text, "expected a line 'sentence N :'"))
            };
        };
        if line.fields().next().is_none() {
            self.end_sentence();
            return Ok(());
        }
        sentence.rule(line, &mut self.names)
    }

    fn finish(&mut self, lines: u64) -> Result<Forests> {
        self.end_sentence();
        if self.list.is_empty() {
            return Err(cut_short(lines, "expected a line 'sentence N :'", REMEDY));
        }
        let list = std::mem::take(&mut self.list);
        Ok(std::mem::take(&mut self.names).into_forests(list))
    }
}

impl EgretReader {
    fn end_sentence(&mut self) {
        if let Some(sentence) = self.sentence.take() {
            let nodes = sentence.nodes.len().max(1);
            self.list.push(sentence.draft.finish(nodes, sentence.root));
        }
    }
}

impl Sentence {
    fn rule(&mut self, line: Line<'_>, names: &mut Names) -> Result<()> {
        let Some((rule, score)) = line.text.rsplit_once(BAR) else {
            return Err(line.end_error("a rule ends with ||| and a logarithm"));
        };
        let mut fields = words(rule);
        let name = line.next(&mut fields, "the head of the rule")?;
        let Some((label, from, to)) = node(name) else {
            return Err(line.error(name, "the head of a rule is written LABEL[first,last]"));
        };
        match fields.next() {
            Some(ARROW) => {}
            Some(other) => return Err(line.error(other, "expected =>")),
            None => return Err(line.end_error("expected =>")),
        }
        for token in fields {
            if node(token).is_none() {
                let item = names.word(token)?;
                self.draft.item(item)?;
                continue;
            }
            let Some(&tail) = self.nodes.get(token) else {
                return Err(
                    line.error(token, "a node must be the head of a rule before it is used")
                );
            };
            let item = variable(self.draft.arity());
            self.draft.tail(tail)?;
            self.draft.item(item)?;
        }
        let score = score.trim_matches([' ', '\t']);
        self.draft.weight(line.number(score, "the logarithm")?)?;
        let next = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        let head = *self.nodes.entry(name.to_owned()).or_insert(next);
        if head == next {
            let label = names.text(label)?;
            self.draft.node_text(CATEGORY, index(head), label)?;
            self.draft.node_integers(SPAN, index(head), &[from, to])?;
        }
        self.root = head;
        self.draft.end_edge(head)?;
        Ok(())
    }
}

/// The label and the span of `NP[0,1]`: the first word, and one more than the last.
fn node(token: &str) -> Option<(&str, i64, i64)> {
    let (label, span) = token.strip_suffix(']')?.rsplit_once('[')?;
    let (from, last) = span.split_once(',')?;
    let number = |text: &str| {
        text.parse::<u32>()
            .ok()
            .filter(|_| text.bytes().all(|b| b.is_ascii_digit()))
    };
    let (from, last) = (number(from)?, number(last)?);
    (!label.is_empty()).then_some((label, from.into(), i64::from(last) + 1))
}

/// Appends a forest; `number` is that of the sentence, if it has no id.
///
/// # Errors
/// [`crate::error::Error::Hypergraph`] for a forest with a cycle, with its root in a tail, without weights or spans, with two nodes of one label and span, and with
/// yields in another order than their tails.
pub(super) fn write(forests: &Forests, number: usize, out: &mut Vec<u8>) -> Result<()> {
    let forest = &forests.list[number];
    let whole = |problem: &str, found: &str| Err(refuse("the forest".to_owned(), problem, found));
    let id = forest.property("id").filter(|id| is_token(id));
    let id = id.map_or_else(|| number.to_string(), str::to_owned);
    let sentence = forest.property(WORDS).unwrap_or_default();
    let sentence = sentence.replace(['\n', '\r'], " ");
    // As the reader has it, which leaves spaces out at both ends.
    let sentence = sentence.trim_matches([' ', '\t']);
    // Writing to a vector does not fail.
    let _ = writeln!(out, "sentence {id} :\n{sentence}");
    if forest.edges() == 0 {
        out.push(b'\n');
        return Ok(());
    }
    let Some(weights) = &forest.weights else {
        return whole(
            "this format has the logarithm of each rule; give the forest weights first",
            "no weights",
        );
    };
    let Some(spans) = forest.node_integers(SPAN, 2) else {
        return whole(
            "this format has spans; choose travatar, cdec or plait",
            "nodes without spans",
        );
    };
    let order = Order::tails_first(forest, Axioms::Written)?;
    Order::refuse_dead_nodes(forest)?;
    let mut known = FxHashMap::default();
    let mut labels = vec![String::new(); forest.nodes];
    for &node in &order.nodes {
        let at = index(node);
        let category = text(forests, forest.node_texts(CATEGORY), at).unwrap_or("X");
        let label = format!(
            "{category}[{},{}]",
            spans[2 * at],
            spans[2 * at + 1].saturating_sub(1)
        );
        if !is_token(category)
            || self::node(&label).is_none()
            || known.insert(label.clone(), node).is_some()
        {
            let problem = "a node is named by its category and span here, which must be written LABEL[first,last] and be those of no other node";
            return Err(refuse(
                format!("node {node}"),
                problem,
                &format!("{label:?}"),
            ));
        }
        labels[at] = label;
    }
    for &node in &order.nodes {
        for &edge in order.edges_into(node) {
            let edge = index(edge);
            let _ = write!(out, "{} {ARROW}", labels[index(node)]);
            let tail = forest.tail(edge);
            let mut next = 0;
            for item in forest.items(edge) {
                match item {
                    Item::Tail(k) if k == next => {
                        next += 1;
                        let _ = write!(out, " {}", labels[index(tail[k])]);
                    }
                    Item::Tail(_) => next = usize::MAX,
                    Item::Word(id) => {
                        let word = spaceless(word(forests, id), edge, "a word")?;
                        if self::node(word).is_some() {
                            return Err(refuse(
                                format!("edge {edge}"),
                                "a word with a span is a node here; rename it",
                                word,
                            ));
                        }
                        let _ = write!(out, " {word}");
                    }
                }
            }
            if forest.items(edge).len() == 0 {
                for &node in tail {
                    let _ = write!(out, " {}", labels[index(node)]);
                }
            } else if next != tail.len() {
                let problem = "the yield has the nodes of the tail in order here; choose travatar, cdec or plait";
                return Err(refuse(format!("edge {edge}"), problem, "another order"));
            }
            if !weights[edge].is_finite() {
                return Err(refuse(
                    format!("edge {edge}"),
                    "this format has no weight of zero; remove the edge",
                    "the weight 0",
                ));
            }
            let _ = write!(out, " {BAR} ");
            real(out, weights[edge]);
            out.push(b'\n');
        }
    }
    out.push(b'\n');
    Ok(())
}

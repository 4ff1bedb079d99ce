//! From both files to forests.

use super::super::super::forest::{Forest, Forests};
use super::super::super::structure::index;
use super::super::cdec::{CATEGORY, RULE};
use super::super::draft::{Draft, Names};
use super::super::line::{self, Line, cut_short};
use super::super::{LineParser, Options, Part};
use super::rules::Rule;
use super::stored_best;
use super::{BEST, OWNER, RULE_NUMBER, SPAN, STATE, UNKNOWN};
use crate::error::Result;
use rustc_hash::FxHashMap;

const REMEDY: &str =
    "check that it is a disk hypergraph of Joshua, and make or copy both files again";

#[derive(Debug)]
pub struct JoshuaReader {
    options: Options,
    names: Names,
    /// None until a file of rules begins.
    rules: Option<FxHashMap<i64, Rule>>,
    list: Vec<Forest>,
    sentence: Option<Sentence>,
    /// Ids of the features by position.
    features: Vec<u32>,
    /// Whether edges have a line of model values; not known before the line after the first edge.
    has_values: Option<bool>,
    /// The line of an edge was the last one.
    after_edge: bool,
}

#[derive(Debug, Default)]
struct Sentence {
    draft: Draft,
    announced: (u64, u64),
    nodes: u32,
    /// Edges of the node at hand that are to come.
    open: u64,
    edge: Option<Edge>,
    /// The best weight of each node so far, if the sign is known.
    best: Vec<f64>,
}

/// An edge whose line of values may come.
#[derive(Debug)]
struct Edge {
    best: u32,
    rule: i64,
    rule_text: Option<u32>,
    owner: Option<u32>,
}

impl JoshuaReader {
    pub fn new(options: Options) -> Self {
        Self {
            options,
            names: Names::default(),
            rules: None,
            list: Vec::new(),
            sentence: None,
            features: Vec::new(),
            has_values: None,
            after_edge: false,
        }
    }
}

impl LineParser for JoshuaReader {
    fn line(&mut self, part: Part, number: u64, bytes: &[u8]) -> Result<()> {
        let line = Line::new(number, bytes, REMEDY)?;
        if part == Part::Rules {
            return self.rule(line);
        }
        let after_edge = std::mem::replace(&mut self.after_edge, false);
        if after_edge && line.text.starts_with('#') {
            self.has_values.get_or_insert(false);
        }
        if line.text.starts_with("#SENT:") {
            self.end_sentence(line)?;
            return self.begin_sentence(line);
        }
        if self.sentence.is_none() {
            return Err(line.error(line.text, "expected a line that starts with #SENT:"));
        }
        if line.text.starts_with("#I ") {
            self.end_edge(line)?;
            return self.node(line);
        }
        if after_edge {
            // A line of values has a point in its second number, or no second number; that of an edge has a whole number there.
            let second = line.fields().nth(1);
            let looks_like_values = second.is_none_or(|field| field.contains('.'));
            if *self.has_values.get_or_insert(looks_like_values) {
                return self.values(line);
            }
        }
        self.end_edge(line)?;
        self.edge(line)?;
        self.after_edge = true;
        Ok(())
    }

    fn begin(&mut self, part: Part) {
        if part == Part::Rules {
            self.rules.get_or_insert_default();
        }
    }

    fn finish(&mut self, lines: u64) -> Result<Forests> {
        if self.sentence.is_none() {
            return Err(cut_short(
                lines,
                "expected a line that starts with #SENT:",
                REMEDY,
            ));
        }
        let end = Line {
            number: lines + 1,
            text: "",
            remedy: REMEDY,
        };
        self.end_sentence(end)?;
        let list = std::mem::take(&mut self.list);
        Ok(std::mem::take(&mut self.names).into_forests(list))
    }
}

impl JoshuaReader {
    fn rule(&mut self, line: Line<'_>) -> Result<()> {
        if line.text.is_empty() {
            return Ok(());
        }
        let (id, written, new) = Rule::read(line, &mut self.names)?;
        let text = new.text;
        match self.rules.get_or_insert_default().insert(id, new) {
            Some(old) if old.text != text => {
                Err(line.error(written, &format!("rule {id} stands here with another text")))
            }
            _ => Ok(()),
        }
    }

    fn begin_sentence(&mut self, line: Line<'_>) -> Result<()> {
        let mut fields = line.fields().skip(1);
        let id = line.next(&mut fields, "the number of the sentence")?;
        let length = line.next(&mut fields, "the length of the sentence")?;
        line.whole::<u64>(length, "the length of the sentence")?;
        let nodes = line.next(&mut fields, "the number of nodes")?;
        let edges = line.next(&mut fields, "the number of edges")?;
        line.end(&mut fields)?;
        let mut sentence = Sentence {
            announced: (
                line.whole(nodes, "the number of nodes")?,
                line.whole(edges, "the number of edges")?,
            ),
            ..Sentence::default()
        };
        sentence.draft.property("id", id);
        sentence.draft.property("length", length);
        self.sentence = Some(sentence);
        Ok(())
    }

    fn end_sentence(&mut self, line: Line<'_>) -> Result<()> {
        self.end_edge(line)?;
        let Some(sentence) = self.sentence.take() else {
            return Ok(());
        };
        let found = (
            u64::from(sentence.nodes),
            u64::try_from(sentence.draft.edges()).unwrap_or(u64::MAX),
        );
        if sentence.open > 0 || found != sentence.announced || found.0 == 0 {
            let problem = format!(
                "the sentence announces {} nodes and {} edges; it has {} and {}",
                sentence.announced.0, sentence.announced.1, found.0, found.1
            );
            return Err(line.error(line.text, &problem));
        }
        let root = sentence.nodes - 1;
        self.list
            .push(sentence.draft.finish(index(sentence.nodes), root));
        Ok(())
    }

    fn node(&mut self, line: Line<'_>) -> Result<()> {
        // The sentence was looked at before.
        let Some(sentence) = self.sentence.as_mut() else {
            return Ok(());
        };
        if sentence.open > 0 {
            return Err(line.error(
                line.text,
                &format!(
                    "{} more edges should come before the next node",
                    sentence.open
                ),
            ));
        }
        let mut fields = line.text.splitn(7, ' ').skip(1);
        let id = line.next(&mut fields, "the number of the node")?;
        let number: u32 = line.whole(id, "the number of the node")?;
        if number != sentence.nodes + 1 || u64::from(number) > sentence.announced.0 {
            let problem = format!(
                "nodes are numbered from 1 to {} in order",
                sentence.announced.0
            );
            return Err(line.error(id, &problem));
        }
        let from = line.whole(
            line.next(&mut fields, "the start of the span")?,
            "the start of the span",
        )?;
        let to = line.whole(
            line.next(&mut fields, "the end of the span")?,
            "the end of the span",
        )?;
        let category = line.next(&mut fields, "the category")?;
        let Some(label) = category.strip_prefix('[').and_then(|c| c.strip_suffix(']')) else {
            return Err(line.error(category, "a category stands in brackets"));
        };
        let rest = line.next(&mut fields, "the number of edges")?;
        let (edges, state) = rest.split_once(' ').unwrap_or((rest, ""));
        sentence.open = line.whole(edges, "the number of edges")?;
        let node = index(sentence.nodes);
        let category = self.names.text(label)?;
        sentence.draft.node_text(CATEGORY, node, category)?;
        sentence.draft.node_integers(SPAN, node, &[from, to])?;
        if let Some(state) = state.strip_prefix("ST ") {
            let state = self.names.text(state)?;
            sentence.draft.node_text(STATE, node, state)?;
        }
        sentence.nodes = number;
        sentence.best.push(f64::NEG_INFINITY);
        Ok(())
    }

    fn edge(&mut self, line: Line<'_>) -> Result<()> {
        let Some(sentence) = self.sentence.as_mut() else {
            return Ok(());
        };
        let Some(open) = sentence.open.checked_sub(1) else {
            return Err(line.error(line.text, "expected a line that starts with #I or #SENT:"));
        };
        sentence.open = open;
        let head = sentence.nodes - 1;
        let mut fields = line.fields();
        let best = line.next(&mut fields, "the best weight")?;
        let value = line.number(best, "the best weight")?;
        let count = line.next(&mut fields, "the number of tail nodes")?;
        let count: u32 = line.whole(count, "the number of tail nodes")?;
        let sign = self.options.sign;
        let mut own = sign.map_or(0.0, |sign| sign.apply(value));
        for _ in 0..count {
            let tail = line.next(&mut fields, "a tail node")?;
            let number: u32 = line.whole(tail, "a tail node")?;
            let Some(node) = number.checked_sub(1).filter(|&node| node < head) else {
                let problem = format!("an edge of node {} needs nodes from 1 to {head}", head + 1);
                return Err(line.error(tail, &problem));
            };
            sentence.draft.tail(node)?;
            own -= sentence.best[index(node)];
        }
        let rule_field = line.next(&mut fields, "the number of the rule")?;
        let rule: i64 = line.whole(rule_field, "the number of the rule")?;
        let mut edge = Edge {
            best: self.names.text(best)?,
            rule,
            rule_text: None,
            owner: None,
        };
        if rule == UNKNOWN {
            let start = rule_field.as_ptr().addr() - line.text.as_ptr().addr() + rule_field.len();
            let rest = line.text[start..].trim_matches([' ', '\t']);
            for word in line::words(rest).skip(1) {
                let item = self.names.word(word)?;
                sentence.draft.item(item)?;
            }
            edge.rule_text = Some(self.names.text(rest)?);
        } else {
            line.end(&mut fields)?;
        }
        if rule > UNKNOWN
            && let Some(rules) = &self.rules
        {
            let Some(rule) = rules.get(&rule) else {
                return Err(line.error(rule_field, "the rule is not in the file of rules"));
            };
            if rule.arity > index(count) {
                let problem = format!("the rule needs a tail of {} nodes", rule.arity);
                return Err(line.error(count_field(line), &problem));
            }
            for &item in &rule.items {
                sentence.draft.item(item)?;
            }
            edge.rule_text = Some(rule.text);
            edge.owner = Some(rule.owner);
        }
        if let Some(sign) = sign {
            sentence.draft.weight(own)?;
            let node = &mut sentence.best[index(head)];
            *node = node.max(sign.apply(value));
        }
        sentence.edge = Some(edge);
        Ok(())
    }

    fn values(&mut self, line: Line<'_>) -> Result<()> {
        let Some(sentence) = self.sentence.as_mut() else {
            return Ok(());
        };
        for (n, field) in line.fields().enumerate() {
            let value = line.number(field, "a model value")?;
            if n == self.features.len() {
                self.features
                    .push(self.names.feature(&format!("value_{n}"))?);
            }
            sentence.draft.feature(self.features[n], value)?;
        }
        let count = line.fields().count();
        if count != self.features.len() {
            let problem = format!(
                "there are {} model values everywhere else",
                self.features.len()
            );
            return Err(line.error(line.text, &problem));
        }
        if !self.options.weights.is_empty() {
            let stored = sentence.draft.last_weight().unwrap_or(0.0);
            stored_best::check(line, stored, &self.options, self.features.len())?;
        }
        self.end_edge(line)
    }

    /// Stores the edge at hand, if there is one.
    fn end_edge(&mut self, line: Line<'_>) -> Result<()> {
        let Some(sentence) = self.sentence.as_mut() else {
            return Ok(());
        };
        let Some(edge) = sentence.edge.take() else {
            return Ok(());
        };
        if self.has_values == Some(true)
            && !self.features.is_empty()
            && sentence.draft.open_features() == 0
        {
            return Err(line.error(line.text, "expected the model values of the edge before"));
        }
        let draft = &mut sentence.draft;
        let number = draft.end_edge(sentence.nodes - 1)?;
        draft.edge_text(BEST, number, edge.best)?;
        draft.edge_integers(RULE_NUMBER, number, &[edge.rule])?;
        if let Some(rule) = edge.rule_text {
            draft.edge_text(RULE, number, rule)?;
        }
        if let Some(owner) = edge.owner {
            draft.edge_text(OWNER, number, owner)?;
        }
        Ok(())
    }
}

fn count_field(line: Line<'_>) -> &str {
    line.fields().nth(1).unwrap_or_default()
}

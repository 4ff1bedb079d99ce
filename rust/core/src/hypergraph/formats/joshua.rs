//! Hypergraphs that Joshua kept on disk: `.items`, with the structure, and `.rules`.
//!
//! Items: `#SENT: id length nodes edges`; for each node `#I id i j [LHS] edges ST state`, numbered from 1, tails before heads, the root last; for each edge
//! `best arity tail.. rule`, and a line of model values if they were kept. Rules: `id owner -LZF- [LHS] ||| source ||| target ||| scores`.
//!
//! `best` is the best weight of the edge with everything below it. Early data holds costs there, later data log-probabilities, and no file says which; so
//! weights are made only when the sign is given: the weight of an edge is its best less those of the nodes of its tail.

use super::super::forest::{Forest, Forests, NO_INTEGER};
use super::super::structure::index;
use super::cdec::{CATEGORY, RULE, made_rule};
use super::draft::{Draft, Names};
use super::line::{Line, cut_short};
use super::output::{Axioms, Order, refuse, text};
use super::rule::{target_items, target_side};
use super::{LineParser, Options, Part, Sign, Written};
use crate::error::{Error, Result};
use rustc_hash::FxHashMap;
use std::fmt::Write as _;
use std::io::Write;

const REMEDY: &str =
    "check that it is a disk hypergraph of Joshua, and make or copy both files again";
/// The columns of the owner and the number of a rule, of the state and the source span of a node.
const OWNER: &str = "owner";
const RULE_NUMBER: &str = "rule_number";
const STATE: &str = "state";
const SPAN: &str = "span";
/// The column of the best weight as it stands in the file.
const BEST: &str = "best";
/// The numbers of the edge into the root and of a word that no rule knows.
const GOAL: i64 = -1;
const UNKNOWN: i64 = 0;

#[derive(Debug)]
pub(super) struct JoshuaReader {
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

#[derive(Debug, Clone)]
struct Rule {
    text: u32,
    owner: u32,
    items: Vec<i32>,
    arity: usize,
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
        let mut fields = line.text.splitn(3, ' ');
        let id = line.whole(
            line.next(&mut fields, "the number of the rule")?,
            "the number of the rule",
        )?;
        let owner = line.next(&mut fields, "the owner of the rule")?;
        let rest = line.next(&mut fields, "the rule")?;
        let rule = rest.strip_prefix("-LZF- ").unwrap_or(rest);
        let Some(target) = target_side(rule) else {
            return Err(line.error(
                rule,
                "a rule is written [LHS] ||| source ||| target ||| scores",
            ));
        };
        let mut items = Vec::new();
        let arity = target_items(target, &mut self.names, &mut items)?;
        let new = Rule {
            text: self.names.text(rule)?,
            owner: self.names.text(owner)?,
            items,
            arity,
        };
        let old = self.rules.get_or_insert_default().insert(id, new);
        let new = self.rules.as_ref().and_then(|rules| rules.get(&id));
        match (old, new) {
            (Some(old), Some(new)) if old.text != new.text => {
                Err(line.error(rule, &format!("rule {id} stands here with another text")))
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
            for word in super::line::words(rest).skip(1) {
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
            self.check_best(line)?;
        }
        self.end_edge(line)
    }

    /// Compares the stored weight of the edge with the model's.
    fn check_best(&self, line: Line<'_>) -> Result<()> {
        // Values and weights are stored with four decimals.
        const TOLERANCE: f64 = 2e-3;
        let (Some(sentence), Some(sign)) = (self.sentence.as_ref(), self.options.sign) else {
            return Err(Error::config(
                "sign",
                "given with the weights of the model",
                "none",
            ));
        };
        let weights = &self.options.weights;
        if weights.len() > self.features.len() {
            let found = format!(
                "{} for {} values an edge",
                weights.len(),
                self.features.len()
            );
            return Err(Error::config(
                "weights",
                "one for each model value, the last ones may be left out",
                found,
            ));
        }
        let dot: f64 = line
            .fields()
            .zip(weights)
            .map(|(field, weight)| weight * field.parse().unwrap_or(0.0))
            .sum();
        let stored = sentence.draft.last_weight().unwrap_or(0.0);
        let model = sign.apply(dot);
        if (stored - model).abs() <= TOLERANCE * (1.0 + model.abs()) {
            return Ok(());
        }
        let problem = format!(
            "by its stored best weight this edge has the log weight {stored:.4}, by its values and these weights {model:.4}; check the weights and the sign"
        );
        Err(line.error(line.text, &problem))
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

/// Appends a forest to both files; `number` is that of the sentence, if the forest has no id.
///
/// # Errors
/// [`Error::Hypergraph`] for a forest with a cycle, with its root in a tail, or with neither best weights as read nor weights.
pub(super) fn write(
    forests: &Forests,
    number: usize,
    rules: &mut Rules,
    sign: Sign,
    out: &mut Written,
) -> Result<()> {
    let forest = &forests.list[number];
    let order = Order::tails_first(forest, Axioms::Written)?;
    let best = Best::of(forests, forest, &order, sign)?;
    let id = forest
        .property("id")
        .map_or_else(|| number.to_string(), str::to_owned);
    let length = forest.property("length").unwrap_or("0");
    let items = &mut out.main;
    // Writing to a vector does not fail.
    let _ = writeln!(
        items,
        "#SENT: {id} {length} {} {}",
        forest.nodes,
        order.edges()
    );
    let spans = forest.node_integers(SPAN, 2);
    let numbers = forest.edge_integers(RULE_NUMBER, 1);
    for (place, &node) in order.nodes.iter().enumerate() {
        let at = index(node);
        let span = spans.map_or([0, 0], |all| [all[2 * at], all[2 * at + 1]]);
        let [from, to] = span.map(|n| if n == NO_INTEGER { 0 } else { n });
        let category = text(forests, forest.node_texts(CATEGORY), at).unwrap_or("X");
        let state = text(forests, forest.node_texts(STATE), at).unwrap_or("nullstate");
        let edges = order.edges_into(node);
        let _ = writeln!(
            items,
            "#I {} {from} {to} [{category}] {} ST {state}",
            place + 1,
            edges.len()
        );
        for &edge in edges {
            let edge = index(edge);
            let _ = write!(
                items,
                "{} {}",
                best.text(forests, forest, edge),
                forest.tail(edge).len()
            );
            for &tail in forest.tail(edge) {
                let _ = write!(items, " {}", order.place(tail) + 1);
            }
            let rule = numbers.map_or(NO_INTEGER, |all| all[edge]);
            let is_goal = rule == GOAL
                || (rule == NO_INTEGER && node == forest.root && forest.items(edge).len() == 0);
            if is_goal {
                let _ = writeln!(items, " {GOAL}");
            } else if rule == UNKNOWN {
                let word = text(forests, forest.edge_texts(RULE), edge).unwrap_or_default();
                let _ = writeln!(items, " {UNKNOWN} {word}");
            } else {
                let rule = rules.number(forests, forest, edge, rule, &mut out.rules);
                let _ = writeln!(items, " {rule}");
            }
            write_values(forests, forest, edge, items)?;
        }
    }
    Ok(())
}

/// One value for each feature, 0 where the edge has none.
fn write_values(
    forests: &Forests,
    forest: &Forest,
    edge: usize,
    items: &mut Vec<u8>,
) -> Result<()> {
    const MOST: usize = 10_000;
    let count = forests.features.len();
    if count == 0 {
        return Ok(());
    }
    if count > MOST {
        let problem = format!(
            "this format writes every feature on every edge, {MOST} at most; choose cdec or json"
        );
        return Err(refuse(
            "the features".to_owned(),
            &problem,
            &count.to_string(),
        ));
    }
    let mut values = vec![0.0; count];
    for (id, value) in forest.features(edge) {
        values[index(id)] = value;
    }
    for (n, value) in values.into_iter().enumerate() {
        if n > 0 {
            items.push(b' ');
        }
        decimal(items, value);
    }
    items.push(b'\n');
    Ok(())
}

/// A number with a point and four decimals, or as many more as it has.
fn decimal(out: &mut Vec<u8>, value: f64) {
    let mut text = format!("{value:.4}");
    if text.parse() != Ok(value) {
        text = format!("{value:?}");
        if !text.contains('.') {
            // `1e300`: the point tells values from edges.
            text = text.replacen('e', ".0e", 1);
        }
    }
    out.extend_from_slice(text.as_bytes());
}

/// The best weight of each edge with what is below it.
enum Best {
    /// As it was read.
    Read,
    /// By number.
    Computed(Vec<f64>),
}

impl Best {
    fn of(forests: &Forests, forest: &Forest, order: &Order, sign: Sign) -> Result<Self> {
        if (0..forest.edges()).all(|edge| text(forests, forest.edge_texts(BEST), edge).is_some())
            && forest.edges() > 0
        {
            return Ok(Self::Read);
        }
        let Some(weights) = &forest.weights else {
            let problem =
                "this format stores the best weight of each edge; give the forest weights first";
            return Err(refuse("the forest".to_owned(), problem, "no weights"));
        };
        let mut nodes = vec![f64::NEG_INFINITY; forest.nodes];
        let mut best = vec![f64::NEG_INFINITY; forest.edges()];
        for &node in &order.nodes {
            for &edge in order.edges_into(node) {
                let edge = index(edge);
                let below: f64 = forest
                    .tail(edge)
                    .iter()
                    .map(|&tail| nodes[index(tail)])
                    .sum();
                best[edge] = sign.apply(weights[edge] + below);
                nodes[index(node)] = nodes[index(node)].max(weights[edge] + below);
            }
        }
        if let Some(edge) = best.iter().position(|value| !value.is_finite()) {
            let problem =
                "this format has no weight of zero; remove edges that no derivation can use";
            return Err(refuse(format!("edge {edge}"), problem, "the weight 0"));
        }
        Ok(Self::Computed(best))
    }

    fn text(&self, forests: &Forests, forest: &Forest, edge: usize) -> String {
        match self {
            Self::Read => text(forests, forest.edge_texts(BEST), edge)
                .unwrap_or_default()
                .to_owned(),
            Self::Computed(best) => {
                let mut out = Vec::new();
                decimal(&mut out, best[edge]);
                String::from_utf8(out).unwrap_or_default()
            }
        }
    }
}

/// The rules that were written, by text.
#[derive(Debug, Default)]
pub(super) struct Rules {
    numbers: FxHashMap<String, i64>,
    taken: FxHashMap<i64, String>,
    last: i64,
}

impl Rules {
    /// The number of the rule of an edge; writes the rule when it is new. Numbers of the file it was read from stay.
    fn number(
        &mut self,
        forests: &Forests,
        forest: &Forest,
        edge: usize,
        wanted: i64,
        out: &mut Vec<u8>,
    ) -> i64 {
        let column = forest.edge_texts(RULE);
        let rule = text(forests, column, edge)
            .map_or_else(|| made_rule(forests, forest, edge), str::to_owned);
        let owner = text(forests, forest.edge_texts(OWNER), edge).unwrap_or("pt");
        let mut line = String::new();
        let _ = write!(line, "{owner} -LZF- {rule}");
        let is_wanted =
            wanted > UNKNOWN && self.taken.get(&wanted).is_none_or(|taken| *taken == line);
        if let (false, Some(&number)) = (is_wanted, self.numbers.get(&line)) {
            return number;
        }
        let number = if is_wanted {
            wanted
        } else {
            self.last += 1;
            while self.taken.contains_key(&self.last) {
                self.last += 1;
            }
            self.last
        };
        if self.taken.insert(number, line.clone()).is_none() {
            let _ = writeln!(out, "{number} {line}");
            self.numbers.insert(line, number);
        }
        number
    }
}

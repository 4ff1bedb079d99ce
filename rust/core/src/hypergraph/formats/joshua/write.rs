//! From forests to both files.

use super::super::super::forest::{Forest, Forests, NO_INTEGER};
use super::super::super::structure::index;
use super::super::cdec::{CATEGORY, RULE, made_rule};
use super::super::output::{Axioms, Order, is_token, one_line, refuse, spaceless, text};
use super::super::rule::target_side;
use super::super::{Sign, Written};
use super::{BEST, GOAL, OWNER, RULE_NUMBER, SPAN, STATE, UNKNOWN};
use crate::error::Result;
use rustc_hash::FxHashMap;
use std::fmt::Write as _;
use std::io::Write;

/// Appends a forest to both files; `number` is that of the sentence, if the forest has no id.
///
/// # Errors
/// [`crate::error::Error::Hypergraph`] for a forest with a cycle, with its root in a tail, or with neither best weights as read nor weights.
pub fn write(
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
        .filter(|id| is_token(id))
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
        if !is_token(category) {
            let problem = "a category is one word in this format; rename it";
            return Err(refuse(
                format!("node {node}"),
                problem,
                &format!("{category:?}"),
            ));
        }
        let state = text(forests, forest.node_texts(STATE), at).unwrap_or("nullstate");
        let state = one_line(state, "a state")?;
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
                let _ = writeln!(items, " {UNKNOWN} {}", one_line(word, "a word")?);
            } else {
                let rule = rules.number(forests, forest, edge, rule, &mut out.rules)?;
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
            "this format writes every feature on every edge, {MOST} at most; choose cdec or plait"
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
        let stored = Self::stored(forests, forest);
        let Some(weights) = &forest.weights else {
            let problem =
                "this format stores the best weight of each edge; give the forest weights first";
            let missing = || refuse("the forest".to_owned(), problem, "no weights");
            return stored.map(|_| Self::Read).ok_or_else(missing);
        };
        if stored.is_some_and(|stored| implied(forest, order, &stored, sign) == *weights) {
            return Ok(Self::Read);
        }
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

    /// Those that were read, if every edge has one.
    fn stored(forests: &Forests, forest: &Forest) -> Option<Vec<f64>> {
        let column = forest.edge_texts(BEST)?;
        let number = |edge| text(forests, Some(column), edge)?.parse().ok();
        (0..forest.edges()).map(number).collect()
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

/// The weights of edges that best weights of this sign imply.
fn implied(forest: &Forest, order: &Order, stored: &[f64], sign: Sign) -> Vec<f64> {
    let mut nodes = vec![f64::NEG_INFINITY; forest.nodes];
    let mut weights = vec![0.0; forest.edges()];
    for &node in &order.nodes {
        for &edge in order.edges_into(node) {
            let edge = index(edge);
            let best = sign.apply(stored[edge]);
            // In the order of the reader: the same bits.
            weights[edge] = forest
                .tail(edge)
                .iter()
                .fold(best, |rest, &tail| rest - nodes[index(tail)]);
            nodes[index(node)] = nodes[index(node)].max(best);
        }
    }
    weights
}

/// The rules that were written, by text.
#[derive(Debug, Default)]
pub struct Rules {
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
    ) -> Result<i64> {
        let rule = text(forests, forest.edge_texts(RULE), edge);
        let rule = match rule.filter(|rule| target_side(rule).is_some()) {
            Some(rule) => one_line(rule, "a rule")?.to_owned(),
            None => made_rule(forests, forest, edge)?,
        };
        let owner = text(forests, forest.edge_texts(OWNER), edge).unwrap_or("pt");
        let owner = spaceless(owner, edge, "the owner of a rule")?;
        let mut line = String::new();
        let _ = write!(line, "{owner} -LZF- {rule}");
        let is_wanted =
            wanted > UNKNOWN && self.taken.get(&wanted).is_none_or(|taken| *taken == line);
        if let (false, Some(&number)) = (is_wanted, self.numbers.get(&line)) {
            return Ok(number);
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
        Ok(number)
    }
}

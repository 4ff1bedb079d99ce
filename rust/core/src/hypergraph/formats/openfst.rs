//! Transducers and acceptors as `OpenFst` prints them.
//!
//! A line is an arc, `from to input output [cost]`, or an end, `state [cost]`; the state of the first line is the start. Costs are negative natural
//! logarithms; one that is missing is 0, and `Infinity` is a weight of zero. Derivations of a node are the paths from its state to an end.

use super::super::forest::{Forest, Forests};
use super::super::structure::index;
use super::draft::{Draft, Names, variable};
use super::lattice::{Arc, Lattice, label};
use super::line::Line;
use super::output::{real, refuse, spaceless, text};
use super::{LineParser, Options, Part};
use crate::error::Result;
use rustc_hash::FxHashMap;
use std::io::Write;

const REMEDY: &str = "a line is 'from to input output [cost]' or 'state [cost]'; check that it is a transducer as fstprint prints it";
const SYMBOL_REMEDY: &str = "a line of a table of symbols is 'symbol number'";
const EPSILON: &str = "<eps>";
/// The column of the input label, where it is not that of the output.
const INPUT: &str = "input";

#[derive(Debug)]
pub(super) struct OpenFstReader {
    options: Options,
    names: Names,
    draft: Draft,
    states: FxHashMap<u64, u32>,
    /// The cost of ending in a state.
    ends: Vec<(u32, f64)>,
    is_end: Vec<bool>,
    input: Option<Symbols>,
    output: Option<Symbols>,
}

/// A table of symbols; the symbol of number 0 is no word.
#[derive(Debug, Default)]
struct Symbols {
    by_number: FxHashMap<u64, String>,
    by_symbol: FxHashMap<String, u64>,
}

impl OpenFstReader {
    pub fn new(options: Options) -> Self {
        Self {
            options,
            names: Names::default(),
            draft: Draft::default(),
            states: FxHashMap::default(),
            ends: Vec::new(),
            is_end: Vec::new(),
            input: None,
            output: None,
        }
    }
}

impl LineParser for OpenFstReader {
    fn begin(&mut self, part: Part) {
        match part {
            Part::InputSymbols => self.input = Some(Symbols::default()),
            Part::OutputSymbols => self.output = Some(Symbols::default()),
            _ => {}
        }
    }

    fn line(&mut self, part: Part, number: u64, bytes: &[u8]) -> Result<()> {
        match part {
            Part::InputSymbols => symbol(&mut self.input, Line::new(number, bytes, SYMBOL_REMEDY)?),
            Part::OutputSymbols => {
                symbol(&mut self.output, Line::new(number, bytes, SYMBOL_REMEDY)?)
            }
            _ => self.arc(Line::new(number, bytes, REMEDY)?),
        }
    }

    fn finish(&mut self, _: u64) -> Result<Forests> {
        let mut draft = std::mem::take(&mut self.draft);
        for &(state, ln) in &self.ends {
            if ln != 0.0 || draft.last_weight().is_some() {
                draft.weight(ln)?;
            }
            draft.axiom(state)?;
        }
        let forest = draft.finish(self.states.len().max(1), 0);
        Ok(std::mem::take(&mut self.names).into_forests(vec![forest]))
    }
}

impl OpenFstReader {
    fn arc(&mut self, line: Line<'_>) -> Result<()> {
        let fields: Vec<&str> = line.fields().take(6).collect();
        let labels = if self.options.acceptor { 1 } else { 2 };
        let from = match fields[..] {
            [] => return Ok(()),
            [state] => {
                let state = self.state(line, state)?;
                return self.end(line, state, 0.0);
            }
            [state, cost] => {
                let state = self.state(line, state)?;
                let ln = ln(line, cost)?;
                return self.end(line, state, ln);
            }
            [from, ..] => self.state(line, from)?,
        };
        let to = self.state(line, fields[1])?;
        if fields.len() < 2 + labels {
            return Err(
                line.end_error("an arc has two labels; choose the option acceptor if it has one")
            );
        }
        if fields.len() > 3 + labels {
            return Err(line.error(fields[3 + labels], "the line should end here"));
        }
        let (input, output) = (fields[2], fields[1 + labels]);
        let input_symbol = find(self.input.as_ref(), line, input)?;
        let table = self.output.as_ref().or(if self.options.acceptor {
            self.input.as_ref()
        } else {
            None
        });
        let output_symbol = find(table, line, output)?;
        let edge = self.draft.edges();
        if input_symbol != output_symbol {
            let id = self
                .names
                .text(input_symbol.as_deref().unwrap_or(EPSILON))?;
            self.draft.edge_text(INPUT, edge, id)?;
        }
        if let Some(word) = output_symbol {
            let item = self.names.word(&word)?;
            self.draft.item(item)?;
        }
        let ln = fields
            .get(2 + labels)
            .map_or(Ok(0.0), |cost| ln(line, cost))?;
        if ln != 0.0 || self.draft.last_weight().is_some() {
            self.draft.weight(ln)?;
        }
        self.draft.item(variable(0))?;
        self.draft.tail(to)?;
        self.draft.end_edge(from)?;
        Ok(())
    }

    fn state(&mut self, line: Line<'_>, field: &str) -> Result<u32> {
        let number = line.whole(field, "a state")?;
        let next = u32::try_from(self.states.len()).unwrap_or(u32::MAX);
        if next == u32::MAX {
            return Err(line.error(field, "there are too many states"));
        }
        Ok(*self.states.entry(number).or_insert(next))
    }

    fn end(&mut self, line: Line<'_>, state: u32, ln: f64) -> Result<()> {
        if index(state) >= self.is_end.len() {
            self.is_end.resize(index(state) + 1, false);
        }
        if std::mem::replace(&mut self.is_end[index(state)], true) {
            return Err(line.error(line.text, "the state ends here for the second time"));
        }
        super::draft::push(&mut self.ends, (state, ln), "the ends of a transducer")
    }
}

/// The natural logarithm of the weight that a cost stands for.
fn ln(line: Line<'_>, cost: &str) -> Result<f64> {
    match cost.parse::<f64>() {
        Ok(f64::INFINITY) => Ok(f64::NEG_INFINITY),
        // Without a negative zero.
        Ok(cost) if cost.is_finite() => Ok(0.0 - cost),
        _ => Err(line.error(cost, "a cost must be a number or Infinity")),
    }
}

fn symbol(table: &mut Option<Symbols>, line: Line<'_>) -> Result<()> {
    let mut fields = line.fields();
    let Some(symbol) = fields.next() else {
        return Ok(());
    };
    let field = line.next(&mut fields, "the number of the symbol")?;
    let number: u64 = line.whole(field, "the number of the symbol")?;
    line.end(&mut fields)?;
    let table = table.get_or_insert_default();
    if table
        .by_symbol
        .insert(symbol.to_owned(), number)
        .is_some_and(|old| old != number)
    {
        return Err(line.error(symbol, "the symbol has another number before"));
    }
    match table.by_number.insert(number, symbol.to_owned()) {
        Some(old) if old != symbol => {
            Err(line.error(field, "the number has another symbol before"))
        }
        _ => Ok(()),
    }
}

/// The word that a label stands for; nothing for epsilon. With a table the label is one of its symbols or, failing that, one of its numbers.
fn find(table: Option<&Symbols>, line: Line<'_>, label: &str) -> Result<Option<String>> {
    let Some(table) = table else {
        return Ok((label != EPSILON && label != "0").then(|| label.to_owned()));
    };
    if let Some(&number) = table.by_symbol.get(label) {
        return Ok((number != 0).then(|| label.to_owned()));
    }
    match label.parse::<u64>() {
        Ok(0) => Ok(None),
        Ok(number) if table.by_number.contains_key(&number) => {
            Ok(table.by_number.get(&number).cloned())
        }
        _ => Err(line.error(label, "the label is not in the table of symbols")),
    }
}

/// Appends a transducer. States are numbered as they come, as readers do.
///
/// # Errors
/// [`crate::error::Error::Hypergraph`] for what is no lattice, for features without weights, and for words that mean no word.
pub(super) fn write(
    forests: &Forests,
    forest: &Forest,
    options: &Options,
    out: &mut Vec<u8>,
) -> Result<()> {
    if forest.weights.is_none() && !forest.feature_ids.is_empty() {
        let problem = "OpenFst has one weight for an arc and no features; give the forest weights, or remove its features";
        return Err(refuse(
            "the features".to_owned(),
            problem,
            "features without weights",
        ));
    }
    let lattice = Lattice::of(forest)?;
    let is_from_start = |arc: &Arc| arc.from == lattice.start;
    // The first line names the start.
    let keeps_order = lattice.arcs.first().is_none_or(is_from_start);
    let (first, rest): (Vec<Arc>, Vec<Arc>) = lattice
        .arcs
        .iter()
        .partition(|arc| keeps_order || is_from_start(arc));
    let is_start = |end: &&(usize, Option<usize>)| end.0 == lattice.start && first.is_empty();
    let is_empty = lattice.arcs.is_empty() && lattice.ends.is_empty();
    if !is_empty && first.is_empty() && !lattice.ends.iter().any(|end| is_start(&end)) {
        let problem = "the start of a transducer needs an arc or an end";
        return Err(refuse(format!("node {}", forest.root), problem, "neither"));
    }
    let mut states = States(vec![usize::MAX; lattice.states], 0);
    for end in lattice.ends.iter().filter(is_start) {
        push_end(forest, *end, &mut states, out);
    }
    for arc in first.iter().chain(&rest) {
        push_arc(forests, forest, *arc, options, &mut states, out)?;
    }
    for end in lattice.ends.iter().filter(|end| !is_start(end)) {
        push_end(forest, *end, &mut states, out);
    }
    Ok(())
}

/// The number of each state that has come, and how many have.
struct States(Vec<usize>, usize);

impl States {
    fn number(&mut self, state: usize) -> usize {
        if self.0[state] == usize::MAX {
            self.0[state] = self.1;
            self.1 += 1;
        }
        self.0[state]
    }
}

fn push_arc(
    forests: &Forests,
    forest: &Forest,
    arc: Arc,
    options: &Options,
    states: &mut States,
    out: &mut Vec<u8>,
) -> Result<()> {
    let edge = arc.edge.unwrap_or(0);
    let output = spaceless(label(forests, arc, EPSILON), edge, "a word")?;
    let is_epsilon = output == EPSILON || (output == "0" && !options.has_symbols);
    if arc.word.is_some() && is_epsilon {
        let problem =
            "the word means no word in OpenFst; rename it, or write 0 with a table of symbols";
        return Err(refuse(
            format!("edge {edge}"),
            problem,
            &format!("{output:?}"),
        ));
    }
    let input = arc
        .edge
        .and_then(|edge| text(forests, forest.edge_texts(INPUT), edge));
    let input = spaceless(input.unwrap_or(output), edge, "an input label")?;
    let (from, to) = (states.number(arc.from), states.number(arc.to));
    // Writing to a vector does not fail.
    let _ = write!(out, "{from}\t{to}\t");
    if !options.acceptor {
        let _ = write!(out, "{input}\t");
    } else if input != output {
        let problem = "an acceptor has one label for an arc; write a transducer";
        return Err(refuse(
            format!("edge {edge}"),
            problem,
            &format!("{input:?} and {output:?}"),
        ));
    }
    let _ = write!(out, "{output}");
    push_cost(forest, arc.edge, out);
    Ok(())
}

fn push_end(forest: &Forest, end: (usize, Option<usize>), states: &mut States, out: &mut Vec<u8>) {
    let _ = write!(out, "{}", states.number(end.0));
    push_cost(forest, end.1, out);
}

fn push_cost(forest: &Forest, edge: Option<usize>, out: &mut Vec<u8>) {
    let ln = edge.and_then(|edge| forest.weights.as_ref().map(|weights| weights[edge]));
    let cost = 0.0 - ln.unwrap_or(0.0);
    if cost == f64::INFINITY {
        out.extend_from_slice(b"\tInfinity");
    } else if cost != 0.0 {
        out.push(b'\t');
        real(out, cost);
    }
    out.push(b'\n');
}

/// The table of symbols of the words of the forests, from 1, with epsilon as 0.
pub(super) fn write_symbols(forests: &Forests, out: &mut Vec<u8>) {
    let _ = writeln!(out, "{EPSILON}\t0");
    for (n, word) in (1_u64..).zip(forests.words.words()) {
        let _ = writeln!(out, "{word}\t{n}");
    }
}

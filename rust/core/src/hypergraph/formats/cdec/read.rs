//! From JSON to forests.

use super::super::super::forest::Forests;
use super::super::super::structure::index;
use super::super::draft::{Draft, Names};
use super::super::rule::{target_items, target_side};
use super::{CATEGORY, HASH, RULE, SPANS};
use crate::error::{Error, Result};
use crate::numeric::to_u64;
use crate::text::decode::{column_after, quote};
use crate::text::lines::reserve;
use rustc_hash::FxHashMap;
use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// The head of an edge whose node has not come yet.
const NO_HEAD: u32 = u32::MAX;
const REMEDY: &str = "check that it is a JSON forest of cdec, and make or copy the file again";

/// Reads forests of cdec. JSON is parsed when all of it is there: memory for the bytes of the file and its forest, no recursion.
#[derive(Debug, Default)]
pub struct CdecReader {
    bytes: Vec<u8>,
}

impl CdecReader {
    pub fn feed(&mut self, block: &[u8]) -> Result<()> {
        reserve(&mut self.bytes, block.len(), "a JSON forest")?;
        self.bytes.extend_from_slice(block);
        Ok(())
    }

    pub fn finish(self) -> Result<Forests> {
        let bytes = self
            .bytes
            .strip_prefix(b"\xef\xbb\xbf")
            .unwrap_or(&self.bytes);
        let mut names = Names::default();
        let mut list = Vec::new();
        let mut json = serde_json::Deserializer::from_slice(bytes);
        loop {
            let mut state = State::new(names);
            let object = Object::<Top>(&mut state, PhantomData);
            if let Err(problem) = object.deserialize(&mut json) {
                return Err(state.into_error(&problem, bytes));
            }
            names = state.finish_forest(&mut list);
            let Err(problem) = json.end() else {
                break;
            };
            let rest = &bytes[offset(bytes, &problem)..];
            match rest.trim_ascii() {
                // A test file of cdec itself ends so. The object is complete, so that nothing else can be meant.
                b"\"" => break,
                [b'{', ..] => {}
                _ => {
                    let what = "there is something behind the end of the forest";
                    return Err(text_error(bytes, &problem, format!("{what}; {REMEDY}")));
                }
            }
        }
        Ok(names.into_forests(list))
    }
}

/// What was read of a forest so far.
struct State {
    names: Names,
    draft: Draft,
    nodes: u32,
    /// By the number in the file.
    rules: FxHashMap<u64, Rule>,
    /// Ids of the list of features.
    features: Vec<u32>,
    edge: EdgeParts,
    /// Items of the rules.
    items: Vec<i32>,
    problem: Option<(String, String)>,
    error: Option<Error>,
}

#[derive(Clone, Copy)]
struct Rule {
    text: u32,
    items: (usize, usize),
    arity: usize,
}

/// The edge at hand.
#[derive(Default)]
struct EdgeParts {
    rule: Option<u64>,
    spans: [i64; 4],
    /// Keys that have come: tail, features, rule, spans.
    has: [bool; 4],
}

impl State {
    fn new(names: Names) -> Self {
        Self {
            names,
            draft: Draft::default(),
            nodes: 0,
            rules: FxHashMap::default(),
            features: Vec::new(),
            edge: EdgeParts::default(),
            items: Vec::new(),
            problem: None,
            error: None,
        }
    }

    /// Notes what is wrong, for a message with a remedy.
    fn refuse<E: de::Error>(&mut self, problem: impl Into<String>, found: impl fmt::Display) -> E {
        self.problem = Some((problem.into(), found.to_string()));
        E::custom("refused")
    }

    /// Goes on with a result of the core.
    fn done<T, E: de::Error>(&mut self, result: Result<T>) -> std::result::Result<T, E> {
        result.map_err(|error| {
            self.error = Some(error);
            E::custom("failed")
        })
    }

    fn into_error(self, at: &serde_json::Error, bytes: &[u8]) -> Error {
        if let Some(error) = self.error {
            return error;
        }
        let Some((problem, found)) = self.problem else {
            let text = at.to_string();
            let what = text
                .rsplit_once(" at line ")
                .map_or(text.as_str(), |parts| parts.0);
            return text_error(bytes, at, format!("{what}; {REMEDY}"));
        };
        match text_error(bytes, at, format!("{problem}; {REMEDY}")) {
            Error::Text {
                line,
                column,
                problem,
                ..
            } => Error::Text {
                line,
                column,
                problem,
                found,
            },
            other => other,
        }
    }

    /// Ends the forest and hands the names on.
    fn finish_forest(self, list: &mut Vec<super::super::super::Forest>) -> Names {
        if self.nodes == 0 {
            // A forest without derivations: a root without edges.
            list.push(self.draft.finish(1, 0));
            return self.names;
        }
        list.push(self.draft.finish(index(self.nodes), self.nodes - 1));
        self.names
    }

    /// Gives each node without edges an axiom, and refuses edges without node.
    fn close<E: de::Error>(&mut self) -> std::result::Result<(), E> {
        let heads = &self.draft.forest.heads;
        if let Some(edge) = heads.iter().position(|&head| head == NO_HEAD) {
            return Err(self.refuse("an edge is in no node's in_edges", format!("edge {edge}")));
        }
        let mut has_edges = vec![false; index(self.nodes)];
        for &head in heads {
            has_edges[index(head)] = true;
        }
        for (node, has_edges) in (0..).zip(has_edges) {
            if !has_edges {
                let axiom = self.draft.axiom(node);
                self.done(axiom)?;
            }
        }
        Ok(())
    }

    fn end_edge<E: de::Error>(&mut self) -> std::result::Result<(), E> {
        let parts = std::mem::take(&mut self.edge);
        let arity = self.draft.arity();
        let rule = match parts.rule.map(|id| (id, self.rules.get(&id).copied())) {
            Some((id, None)) => {
                return Err(self.refuse("a rule must stand in \"rules\" before its use", id));
            }
            Some((id, Some(rule))) if rule.arity > arity => {
                let problem = format!("the rule needs a tail of {} nodes", rule.arity);
                return Err(self.refuse(problem, format!("{arity} nodes with rule {id}")));
            }
            found => found.and_then(|(_, rule)| rule),
        };
        if let Some(rule) = rule {
            for at in rule.items.0..rule.items.1 {
                let pushed = self.draft.item(self.items[at]);
                self.done(pushed)?;
            }
        }
        let edge = self.draft.end_edge(NO_HEAD);
        let edge = self.done(edge)?;
        if let Some(rule) = rule {
            let set = self.draft.edge_text(RULE, edge, rule.text);
            self.done(set)?;
        }
        if parts.has[3] {
            let set = self.draft.edge_integers(SPANS, edge, &parts.spans);
            self.done(set)?;
        }
        Ok(())
    }

    fn rule<E: de::Error>(&mut self, id: u64, text: &str) -> std::result::Result<(), E> {
        let interned = self.names.text(text);
        let rule = Rule {
            text: self.done(interned)?,
            items: (self.items.len(), self.items.len()),
            arity: 0,
        };
        if let Some(old) = self.rules.get(&id) {
            if old.text == rule.text {
                return Ok(());
            }
            return Err(self.refuse(
                format!("rule {id} stands here with another text"),
                quote(text),
            ));
        }
        let target = target_side(text).unwrap_or_default();
        let arity = target_items(target, &mut self.names, &mut self.items);
        let rule = Rule {
            arity: self.done(arity)?,
            items: (rule.items.0, self.items.len()),
            ..rule
        };
        self.rules.insert(id, rule);
        Ok(())
    }

    fn feature<E: de::Error>(&mut self, id: u32, value: f64) -> std::result::Result<(), E> {
        let is_new = self.draft.feature(id, value);
        if self.done(is_new)? {
            return Ok(());
        }
        let name = self.names.features.word(index(id)).to_owned();
        Err(self.refuse("an edge has a feature twice", quote(&name)))
    }

    fn node<E: de::Error>(&mut self) -> std::result::Result<u32, E> {
        if self.nodes >= u32::MAX - 1 {
            return Err(self.refuse("there are too many nodes", self.nodes));
        }
        self.nodes += 1;
        Ok(self.nodes - 1)
    }
}

/// What stands in a list.
trait Elements {
    const EXPECTED: &'static str;
    fn read<'de, A: SeqAccess<'de>>(
        state: &mut State,
        list: A,
    ) -> std::result::Result<(), A::Error>;
}

/// What stands in an object.
trait Entries {
    const EXPECTED: &'static str;
    fn read<'de, A: MapAccess<'de>>(state: &mut State, map: A)
    -> std::result::Result<(), A::Error>;
}

struct List<'s, P>(&'s mut State, PhantomData<P>);

impl<'de, P: Elements> DeserializeSeed<'de> for List<'_, P> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, json: D) -> std::result::Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de, P: Elements> Visitor<'de> for List<'_, P> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(P::EXPECTED)
    }
    fn visit_unit<E: de::Error>(self) -> std::result::Result<(), E> {
        Ok(())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> std::result::Result<(), A::Error> {
        P::read(self.0, list)
    }
}

struct Object<'s, P>(&'s mut State, PhantomData<P>);

impl<'de, P: Entries> DeserializeSeed<'de> for Object<'_, P> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, json: D) -> std::result::Result<(), D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de, P: Entries> Visitor<'de> for Object<'_, P> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(P::EXPECTED)
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> std::result::Result<(), A::Error> {
        P::read(self.0, map)
    }
}

/// The keys of all objects.
#[derive(Clone, Copy, PartialEq)]
enum Key {
    Rules,
    Features,
    Edges,
    Node,
    Tail,
    Feats,
    Rule,
    Spans,
    InEdges,
    Category,
    Hash,
    Other,
}

impl<'de> de::Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(json: D) -> std::result::Result<Self, D::Error> {
        struct KeyVisitor;
        impl Visitor<'_> for KeyVisitor {
            type Value = Key;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }
            fn visit_str<E>(self, key: &str) -> std::result::Result<Key, E> {
                Ok(match key {
                    "rules" => Key::Rules,
                    "features" => Key::Features,
                    "edges" => Key::Edges,
                    "node" => Key::Node,
                    "tail" => Key::Tail,
                    "feats" => Key::Feats,
                    "rule" => Key::Rule,
                    "spans" => Key::Spans,
                    "in_edges" => Key::InEdges,
                    "cat" => Key::Category,
                    "node_hash" => Key::Hash,
                    _ => Key::Other,
                })
            }
        }
        json.deserialize_identifier(KeyVisitor)
    }
}

/// Reads the value of a key as a list.
fn list<'de, P: Elements, A: MapAccess<'de>>(
    state: &mut State,
    map: &mut A,
) -> std::result::Result<(), A::Error> {
    map.next_value_seed(List::<P>(state, PhantomData))
}

struct Top;

impl Entries for Top {
    const EXPECTED: &'static str = "a forest as a JSON object";
    fn read<'de, A: MapAccess<'de>>(
        state: &mut State,
        mut map: A,
    ) -> std::result::Result<(), A::Error> {
        while let Some(key) = map.next_key::<Key>()? {
            match key {
                Key::Rules => list::<Rules, A>(state, &mut map)?,
                Key::Features => list::<FeatureNames, A>(state, &mut map)?,
                Key::Edges => list::<Edges, A>(state, &mut map)?,
                Key::Node => map.next_value_seed(Object::<Node>(state, PhantomData))?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        state.close()
    }
}

struct Rules;

impl Elements for Rules {
    const EXPECTED: &'static str = "a list of rule numbers and rules";
    fn read<'de, A: SeqAccess<'de>>(
        state: &mut State,
        mut list: A,
    ) -> std::result::Result<(), A::Error> {
        while let Some(id) = list.next_element::<u64>()? {
            match list.next_element::<String>()? {
                Some(text) => state.rule(id, &text)?,
                None => return Err(state.refuse("a rule number without a rule", id)),
            }
        }
        Ok(())
    }
}

struct FeatureNames;

impl Elements for FeatureNames {
    const EXPECTED: &'static str = "a list of names of features";
    fn read<'de, A: SeqAccess<'de>>(
        state: &mut State,
        mut list: A,
    ) -> std::result::Result<(), A::Error> {
        while let Some(name) = list.next_element::<String>()? {
            let id = state.names.feature(&name);
            let id = state.done(id)?;
            state.features.push(id);
        }
        Ok(())
    }
}

struct Edges;

impl Elements for Edges {
    const EXPECTED: &'static str = "a list of edges";
    fn read<'de, A: SeqAccess<'de>>(
        state: &mut State,
        mut list: A,
    ) -> std::result::Result<(), A::Error> {
        while list
            .next_element_seed(Object::<Edge>(state, PhantomData))?
            .is_some()
        {}
        Ok(())
    }
}

struct Edge;

impl Entries for Edge {
    const EXPECTED: &'static str = "an edge as an object";
    fn read<'de, A: MapAccess<'de>>(
        state: &mut State,
        mut map: A,
    ) -> std::result::Result<(), A::Error> {
        while let Some(key) = map.next_key::<Key>()? {
            let part = match key {
                Key::Tail => 0,
                Key::Feats => 1,
                Key::Rule => 2,
                Key::Spans => 3,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            if std::mem::replace(&mut state.edge.has[part], true) {
                let name = ["tail", "feats", "rule", "spans"][part];
                return Err(state.refuse("an edge has a key twice", quote(name)));
            }
            match part {
                0 => list::<Tail, A>(state, &mut map)?,
                1 => list::<Feats, A>(state, &mut map)?,
                2 => state.edge.rule = map.next_value::<Option<u64>>()?,
                _ => list::<Spans, A>(state, &mut map)?,
            }
        }
        state.end_edge()
    }
}

struct Tail;

impl Elements for Tail {
    const EXPECTED: &'static str = "a list of nodes";
    fn read<'de, A: SeqAccess<'de>>(
        state: &mut State,
        mut list: A,
    ) -> std::result::Result<(), A::Error> {
        while let Some(node) = list.next_element::<u64>()? {
            match u32::try_from(node) {
                Ok(known) if known < state.nodes => {
                    let pushed = state.draft.tail(known);
                    state.done(pushed)?;
                }
                _ => {
                    let problem = format!(
                        "a tail must name one of the {} nodes that stand before the edge",
                        state.nodes
                    );
                    return Err(state.refuse(problem, node));
                }
            }
        }
        Ok(())
    }
}

struct Spans;

impl Elements for Spans {
    const EXPECTED: &'static str = "four numbers";
    fn read<'de, A: SeqAccess<'de>>(
        state: &mut State,
        mut list: A,
    ) -> std::result::Result<(), A::Error> {
        let mut count = 0;
        while let Some(number) = list.next_element::<i64>()? {
            if let Some(place) = state.edge.spans.get_mut(count) {
                *place = number;
            }
            count += 1;
        }
        if count == 4 {
            return Ok(());
        }
        Err(state.refuse("the spans of an edge must be four numbers", count))
    }
}

struct Feats;

impl Elements for Feats {
    const EXPECTED: &'static str = "a list of features and values";
    fn read<'de, A: SeqAccess<'de>>(
        state: &mut State,
        mut list: A,
    ) -> std::result::Result<(), A::Error> {
        while let Some(id) = list.next_element_seed(FeatureId(state))? {
            let Some(value) = list.next_element::<f64>()? else {
                let name = state.names.features.word(index(id)).to_owned();
                return Err(state.refuse("a feature without a value", quote(&name)));
            };
            state.feature(id, value)?;
        }
        Ok(())
    }
}

/// A number of the list of features, or a name.
struct FeatureId<'s>(&'s mut State);

impl<'de> DeserializeSeed<'de> for FeatureId<'_> {
    type Value = u32;
    fn deserialize<D: Deserializer<'de>>(self, json: D) -> std::result::Result<u32, D::Error> {
        json.deserialize_any(self)
    }
}

impl Visitor<'_> for FeatureId<'_> {
    type Value = u32;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or name of a feature")
    }
    fn visit_u64<E: de::Error>(self, number: u64) -> std::result::Result<u32, E> {
        let known = usize::try_from(number)
            .ok()
            .and_then(|n| self.0.features.get(n).copied());
        known.ok_or_else(|| {
            let problem = format!(
                "a feature must be one of the {} of the list \"features\", from 0, or a name",
                self.0.features.len()
            );
            self.0.refuse(problem, number)
        })
    }
    fn visit_str<E: de::Error>(self, name: &str) -> std::result::Result<u32, E> {
        let id = self.0.names.feature(name);
        self.0.done(id)
    }
}

struct Node;

impl Entries for Node {
    const EXPECTED: &'static str = "a node as an object";
    fn read<'de, A: MapAccess<'de>>(
        state: &mut State,
        mut map: A,
    ) -> std::result::Result<(), A::Error> {
        let node = state.node()?;
        while let Some(key) = map.next_key::<Key>()? {
            let column = match key {
                Key::InEdges => {
                    list::<InEdges, A>(state, &mut map)?;
                    continue;
                }
                Key::Category => CATEGORY,
                Key::Hash => HASH,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            if let Some(text) = map.next_value::<Option<String>>()? {
                let id = state.names.text(&text);
                let id = state.done(id)?;
                let set = state.draft.node_text(column, index(node), id);
                state.done(set)?;
            }
        }
        Ok(())
    }
}

struct InEdges;

impl Elements for InEdges {
    const EXPECTED: &'static str = "a list of edges";
    fn read<'de, A: SeqAccess<'de>>(
        state: &mut State,
        mut list: A,
    ) -> std::result::Result<(), A::Error> {
        let node = state.nodes - 1;
        while let Some(edge) = list.next_element::<u64>()? {
            let known = usize::try_from(edge)
                .ok()
                .and_then(|e| state.draft.forest.heads.get_mut(e));
            match known {
                Some(head) if *head == NO_HEAD => *head = node,
                Some(_) => {
                    return Err(state.refuse("an edge is in the in_edges of two nodes", edge));
                }
                None => {
                    let problem = format!(
                        "in_edges must name one of the {} edges before the node, from 0",
                        state.draft.edges()
                    );
                    return Err(state.refuse(problem, edge));
                }
            }
        }
        Ok(())
    }
}

/// The byte that an error of the parser is about. Its columns count bytes: up to the offending one, or those before a value of the wrong type.
fn offset(bytes: &[u8], at: &serde_json::Error) -> usize {
    let before = at.line().saturating_sub(1);
    let start = match before.checked_sub(1) {
        None => 0,
        Some(n) => {
            let mut ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
            ends.nth(n).map_or(bytes.len(), |(end, _)| end + 1)
        }
    };
    let column = at.column().saturating_sub(usize::from(!at.is_data()));
    (start + column).min(bytes.len())
}

/// The error at a place of the file.
fn text_error(bytes: &[u8], at: &serde_json::Error, problem: String) -> Error {
    const SHOWN: usize = 200;
    let offset = offset(bytes, at);
    let start = bytes[..offset]
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |end| end + 1);
    let rest = &bytes[offset..];
    let line = rest.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let shown = String::from_utf8_lossy(&line[..line.len().min(SHOWN)]);
    let is_end = at.is_eof() || rest.trim_ascii().is_empty();
    Error::Text {
        line: to_u64(at.line().max(1)),
        column: column_after(&String::from_utf8_lossy(&bytes[start..offset])),
        problem,
        found: if is_end {
            "the end of the file".to_owned()
        } else {
            quote(&shown)
        },
    }
}

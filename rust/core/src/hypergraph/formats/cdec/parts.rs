//! The parts of the JSON, each read where it comes, into the state.

use super::super::super::structure::index;
use super::state::{NO_HEAD, State};
use super::{CATEGORY, HASH};
use crate::text::decode::quote;
use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// What stands in a list.
trait Elements {
    const EXPECTED: &'static str;
    fn read<'de, A: SeqAccess<'de>>(
        state: &mut State,
        list: A,
    ) -> std::result::Result<(), A::Error>;
}

/// What stands in an object.
pub(super) trait Entries {
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

pub(super) struct Object<'s, P>(pub &'s mut State, pub PhantomData<P>);

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

pub(super) struct Top;

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

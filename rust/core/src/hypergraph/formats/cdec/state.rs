//! What was read of a forest of JSON so far.

use super::super::super::forest::Forest;
use super::super::super::structure::index;
use super::super::draft::{Draft, Names};
use super::super::rule::{target_items, target_side};
use super::read::{REMEDY, text_error};
use super::{RULE, SPANS};
use crate::error::{Error, Result};
use crate::text::decode::quote;
use rustc_hash::FxHashMap;
use serde::de;
use std::fmt;

/// The head of an edge whose node has not come yet.
pub(super) const NO_HEAD: u32 = u32::MAX;

/// What was read of a forest so far.
pub(super) struct State {
    pub names: Names,
    pub draft: Draft,
    pub nodes: u32,
    /// By the number in the file.
    pub rules: FxHashMap<u64, Rule>,
    /// Ids of the list of features.
    pub features: Vec<u32>,
    pub edge: EdgeParts,
    /// Items of the rules.
    pub items: Vec<i32>,
    pub problem: Option<(String, String)>,
    pub error: Option<Error>,
}

#[derive(Clone, Copy)]
pub(super) struct Rule {
    pub text: u32,
    pub items: (usize, usize),
    pub arity: usize,
}

/// The edge at hand.
#[derive(Default)]
pub(super) struct EdgeParts {
    pub rule: Option<u64>,
    pub spans: [i64; 4],
    /// Keys that have come: tail, features, rule, spans.
    pub has: [bool; 4],
}

impl State {
    pub fn new(names: Names) -> Self {
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
    pub fn refuse<E: de::Error>(
        &mut self,
        problem: impl Into<String>,
        found: impl fmt::Display,
    ) -> E {
        self.problem = Some((problem.into(), found.to_string()));
        E::custom("refused")
    }

    /// Goes on with a result of the core.
    pub fn done<T, E: de::Error>(&mut self, result: Result<T>) -> std::result::Result<T, E> {
        result.map_err(|error| {
            self.error = Some(error);
            E::custom("failed")
        })
    }

    pub fn into_error(self, at: &serde_json::Error, bytes: &[u8], offset: usize) -> Error {
        if let Some(error) = self.error {
            return error;
        }
        let Some((problem, found)) = self.problem else {
            let text = at.to_string();
            let what = text
                .rsplit_once(" at line ")
                .map_or(text.as_str(), |parts| parts.0);
            return text_error(bytes, offset, format!("{what}; {REMEDY}"));
        };
        match text_error(bytes, offset, format!("{problem}; {REMEDY}")) {
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
    pub fn finish_forest(self, list: &mut Vec<Forest>) -> Names {
        if self.nodes == 0 {
            // A forest without derivations: a root without edges.
            list.push(self.draft.finish(1, 0));
            return self.names;
        }
        list.push(self.draft.finish(index(self.nodes), self.nodes - 1));
        self.names
    }

    /// Gives each node without edges an axiom, and refuses edges without node.
    pub fn close<E: de::Error>(&mut self) -> std::result::Result<(), E> {
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

    pub fn end_edge<E: de::Error>(&mut self) -> std::result::Result<(), E> {
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

    pub fn rule<E: de::Error>(&mut self, id: u64, text: &str) -> std::result::Result<(), E> {
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

    pub fn feature<E: de::Error>(&mut self, id: u32, value: f64) -> std::result::Result<(), E> {
        let is_new = self.draft.feature(id, value);
        if self.done(is_new)? {
            return Ok(());
        }
        let name = self.names.features.word(index(id)).to_owned();
        Err(self.refuse("an edge has a feature twice", quote(&name)))
    }

    pub fn node<E: de::Error>(&mut self) -> std::result::Result<u32, E> {
        if self.nodes >= u32::MAX - 1 {
            return Err(self.refuse("there are too many nodes", self.nodes));
        }
        self.nodes += 1;
        Ok(self.nodes - 1)
    }
}

//! The best targets of a source word, by a best-first search that is exact.
//!
//! What leaves the queue is an open way in the order of its best completion; that of the lattice is a bound, since false ways are among those it is the best of, and they are
//! no better than the model says. A false way ends where it would take its unit. So complete ways leave the queue in the order of their probability.

use super::lattice::Lattice;
use super::model::{COPIED, JointModel, NONE, UNCOVERED, Unknown, narrow};
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// An open way: after `trail`, at a node, about to take the `rank`-th best of its arcs and its fall.
#[derive(Debug, Clone, Copy)]
struct Open {
    /// The logarithm of the probability of what is behind.
    behind: f64,
    node: u32,
    rank: u32,
    /// The context that fell to this one, whose own steps must not be taken here.
    above: u32,
    trail: u32,
}

/// By the bound of what an open way can become. Ties: what was found earlier, at the node found earlier; nothing of this depends on threads.
type Entry = crate::best_first::Entry<Open, Reverse<(u32, u32, u32)>>;

/// A unit and the trail before it.
#[derive(Debug, Clone, Copy)]
struct Trail {
    before: u32,
    unit: u32,
    /// The position after it.
    position: u32,
}

/// An arc of a node, or its fall (`NONE`), and how good it is at best.
#[derive(Debug, Clone, Copy)]
struct Choice {
    value: f64,
    arc: u32,
}

/// A target and the logarithm of the probability of its best way.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Target {
    pub symbols: Vec<u32>,
    pub log: f64,
}

/// Room for a search.
#[derive(Debug, Default)]
pub(super) struct Search {
    queue: BinaryHeap<Entry>,
    trails: Vec<Trail>,
    choices: Vec<Choice>,
    /// Where the choices of a node are.
    choices_of: Vec<(u32, u32)>,
    known: FxHashSet<Vec<u32>>,
}

impl Search {
    /// The `count` targets whose best ways are the best, the best first; fewer when there are no more, or after `steps` steps.
    pub fn best(
        &mut self,
        model: &JointModel,
        lattice: &Lattice<'_>,
        unknown: Unknown,
        count: usize,
        steps: usize,
    ) -> Vec<Target> {
        self.queue.clear();
        self.trails.clear();
        self.choices.clear();
        self.choices_of.clear();
        self.choices_of.resize(lattice.nodes.len(), (NONE, 0));
        self.known.clear();
        let mut found = Vec::new();
        self.open(lattice, model, lattice.order[0], 0.0, NONE, NONE);
        for _ in 0..steps {
            let Some(Entry { bound, open, .. }) = self.queue.pop() else {
                break;
            };
            let node = &lattice.nodes[open.node as usize];
            if node.position as usize == lattice.length {
                let symbols = self.target(model, unknown, open.trail);
                if self.known.insert(symbols.clone()) {
                    found.push(Target {
                        symbols,
                        log: bound,
                    });
                    if found.len() == count {
                        break;
                    }
                }
                continue;
            }
            let (begin, length) = self.choices_of[open.node as usize];
            let choice = self.choices[(begin + open.rank) as usize];
            if open.rank + 1 < length {
                let next = self.choices[(begin + open.rank + 1) as usize];
                let rank = open.rank + 1;
                self.push(open.behind + next.value, Open { rank, ..open });
            }
            if choice.arc == NONE {
                let weight = model.contexts[node.context as usize].log_weight;
                let (behind, fall) = (open.behind + weight, node.fall);
                self.open(lattice, model, fall, behind, node.context, open.trail);
                continue;
            }
            let arc = &lattice.arcs[choice.arc as usize];
            if open.above != NONE && model.is_explicit(open.above, arc.unit) {
                continue;
            }
            let trail = narrow(self.trails.len());
            self.trails.push(Trail {
                before: open.trail,
                unit: arc.unit,
                position: lattice.nodes[arc.to as usize].position,
            });
            self.open(lattice, model, arc.to, open.behind + arc.log, NONE, trail);
        }
        found
    }

    /// Puts a way into the queue that has come to a node.
    fn open(
        &mut self,
        lattice: &Lattice<'_>,
        model: &JointModel,
        node: u32,
        behind: f64,
        above: u32,
        trail: u32,
    ) {
        let completion = lattice.completions[node as usize];
        if completion == f64::NEG_INFINITY {
            return;
        }
        if self.choices_of[node as usize].0 == NONE {
            self.sort(lattice, model, node);
        }
        let open = Open {
            behind,
            node,
            rank: 0,
            above,
            trail,
        };
        self.push(behind + completion, open);
    }

    fn push(&mut self, bound: f64, open: Open) {
        let tie = Reverse((open.trail, open.node, open.rank));
        self.queue.push(Entry { bound, tie, open });
    }

    /// Sorts the arcs of a node by how good they are at best.
    fn sort(&mut self, lattice: &Lattice<'_>, model: &JointModel, number: u32) {
        let begin = self.choices.len();
        let node = &lattice.nodes[number as usize];
        for at in node.begin..node.end {
            let arc = &lattice.arcs[at as usize];
            let value = arc.log + lattice.completions[arc.to as usize];
            if value > f64::NEG_INFINITY {
                self.choices.push(Choice { value, arc: at });
            }
        }
        if node.fall != NONE {
            let weight = model.contexts[node.context as usize].log_weight;
            let value = weight + lattice.completions[node.fall as usize];
            if value > f64::NEG_INFINITY {
                self.choices.push(Choice { value, arc: NONE });
            }
        }
        self.choices[begin..]
            .sort_unstable_by(|a, b| b.value.total_cmp(&a.value).then(a.arc.cmp(&b.arc)));
        let length = self.choices.len() - begin;
        self.choices_of[number as usize] = (narrow(begin), narrow(length));
    }

    fn target(&self, model: &JointModel, unknown: Unknown, mut trail: u32) -> Vec<u32> {
        let mut symbols: Vec<u32> = Vec::new();
        while trail != NONE {
            let Trail {
                before,
                unit,
                position,
            } = self.trails[trail as usize];
            if unit != UNCOVERED {
                symbols.extend(model.units.get(unit).1.iter().rev());
            } else if unknown == Unknown::Copy {
                symbols.push(COPIED | (position - 1));
            }
            trail = before;
        }
        symbols.reverse();
        symbols
    }
}

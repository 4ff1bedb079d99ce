//! All ways to cut a source word into units, with the contexts they lead to.
//!
//! A node is a position and a context. Only units that a context has a step of its own for leave its node; for all others there is one *fall* to the node of the shorter
//! context at the same position, with the weight of back-off. So the lattice has as many arcs as n-grams of the model match the word, not contexts times units.
//!
//! A way that falls and then takes a unit that the longer context has a step of its own for is *false*: it has another probability than the model gives, at most as high. The
//! best way among all, false ones too, is therefore a bound (`completions`), and sums take back what false ways would add (`sums`).

use super::model::{JointModel, NONE, UNCOVERED, narrow};

/// A position and a context.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub context: u32,
    pub position: u32,
    /// Its arcs.
    pub begin: u32,
    pub end: u32,
    /// The node of the shorter context.
    pub fall: u32,
}

/// A unit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arc {
    pub unit: u32,
    pub to: u32,
    pub log: f64,
    pub probability: f64,
    /// What the false way after a fall would give, and where it leads; 0 without a shorter context.
    pub lower: f64,
    pub lower_to: u32,
}

/// Room for the lattice of a word; used again for the next one.
#[derive(Debug)]
pub(super) struct Lattice<'a> {
    model: &'a JointModel,
    pub nodes: Vec<Node>,
    pub arcs: Vec<Arc>,
    /// Nodes in an order in which every arc and fall goes forward.
    pub order: Vec<u32>,
    /// The arcs that enter each position.
    entering: Vec<Vec<u32>>,
    by_depth: Vec<Vec<u32>>,
    /// The latest node of each context; of another word or position, if that node says so.
    node_of: Vec<u32>,
    /// The position at which a source chunk starts, plus 1, and that of the word, for chunks that match.
    matches: Vec<u64>,
    word: u64,
    candidates: Vec<u32>,
    pub length: usize,
    /// The logarithm of the best way from each node to the end, false ways included.
    pub completions: Vec<f64>,
    masses: Vec<f64>,
}

impl<'a> Lattice<'a> {
    pub fn new(model: &'a JointModel) -> Self {
        Self {
            model,
            nodes: Vec::new(),
            arcs: Vec::new(),
            order: Vec::new(),
            entering: Vec::new(),
            by_depth: vec![Vec::new(); model.depths],
            node_of: vec![NONE; model.contexts.len()],
            matches: vec![0; model.units.sources.len()],
            word: 0,
            candidates: Vec::new(),
            length: 0,
            completions: Vec::new(),
            masses: Vec::new(),
        }
    }

    /// Builds the lattice of a word.
    pub fn build(&mut self, source: &[u32]) {
        self.length = source.len();
        self.nodes.clear();
        self.arcs.clear();
        self.order.clear();
        for arcs in &mut self.entering {
            arcs.clear();
        }
        if self.entering.len() <= source.len() {
            self.entering.resize_with(source.len() + 1, Vec::new);
        }
        let start = self.node(self.model.start, 0);
        let depth = self.depth(start);
        self.by_depth[depth].push(start);
        for position in 0..=source.len() {
            self.enter(position);
            if position < source.len() {
                self.find_candidates(source, position);
            }
            for depth in (0..self.by_depth.len()).rev() {
                let mut nodes = std::mem::take(&mut self.by_depth[depth]);
                for node in nodes.drain(..) {
                    self.order.push(node);
                    if position < source.len() {
                        self.leave(node);
                    }
                }
                self.by_depth[depth] = nodes;
            }
        }
    }

    fn depth(&self, node: u32) -> usize {
        self.model.contexts[self.nodes[node as usize].context as usize].depth as usize
    }

    /// The node of a context at a position; a new one has no arcs yet.
    fn node(&mut self, context: u32, position: usize) -> u32 {
        let (known, position) = (self.node_of[context as usize], narrow(position));
        if let Some(node) = self.nodes.get(known as usize)
            && node.context == context
            && node.position == position
        {
            return known;
        }
        let number = narrow(self.nodes.len());
        self.node_of[context as usize] = number;
        self.nodes.push(Node {
            context,
            position,
            begin: 0,
            end: 0,
            fall: NONE,
        });
        number
    }

    fn node_to_visit(&mut self, context: u32, position: usize) -> u32 {
        let before = self.nodes.len();
        let node = self.node(context, position);
        if self.nodes.len() > before {
            let depth = self.depth(node);
            self.by_depth[depth].push(node);
        }
        node
    }

    /// Gives the arcs that end at a position their nodes. Until then they hold contexts.
    fn enter(&mut self, position: usize) {
        let entering = std::mem::take(&mut self.entering[position]);
        for &arc in &entering {
            let Arc { to, lower_to, .. } = self.arcs[arc as usize];
            let to = self.node_to_visit(to, position);
            let lower_to = self.node_to_visit(lower_to, position);
            let arc = &mut self.arcs[arc as usize];
            (arc.to, arc.lower_to) = (to, lower_to);
        }
        self.entering[position] = entering;
    }

    /// Notes the source chunks and units that match at a position.
    fn find_candidates(&mut self, source: &[u32], position: usize) {
        self.word += 1;
        self.candidates.clear();
        let mut covers_one = false;
        let rest = &source[position..];
        for length in 1..=rest.len().min(self.model.longest) {
            if let Some(chunk) = self.model.units.sources.find(&rest[..length]) {
                let units = self.model.units_of(chunk);
                self.matches[chunk as usize] = self.word;
                self.candidates.extend_from_slice(units);
                covers_one |= length == 1 && !units.is_empty();
            }
        }
        if !covers_one {
            self.candidates.push(UNCOVERED);
        }
    }

    /// Makes the arcs and the fall of a node.
    fn leave(&mut self, number: u32) {
        let Node {
            context, position, ..
        } = self.nodes[number as usize];
        let begin = narrow(self.arcs.len());
        let model = self.model;
        let shorter = model.contexts[context as usize].shorter;
        let mut fall = NONE;
        if shorter == NONE {
            for at in 0..self.candidates.len() {
                let unit = self.candidates[at];
                let step = model.alone.get(unit as usize).unwrap_or(&model.uncovered);
                self.push(step, position);
            }
        } else {
            let steps = model.steps_of(context);
            if steps.len() > 8 * self.candidates.len() {
                for at in 0..self.candidates.len() {
                    let unit = self.candidates[at];
                    if let Ok(found) = steps.binary_search_by_key(&unit, |step| step.unit) {
                        self.push(&steps[found], position);
                    }
                }
            } else {
                for step in steps {
                    let chunk = model.units.chunks(step.unit).0;
                    if self.matches[chunk as usize] == self.word {
                        self.push(step, position);
                    }
                }
            }
            fall = self.node_to_visit(shorter, position as usize);
        }
        let end = narrow(self.arcs.len());
        let node = &mut self.nodes[number as usize];
        (node.begin, node.end, node.fall) = (begin, end, fall);
    }

    fn push(&mut self, step: &super::model::Step, position: u32) {
        let length = self.model.lengths.get(step.unit as usize).copied();
        let to = (position + length.unwrap_or(1)) as usize;
        self.entering[to].push(narrow(self.arcs.len()));
        self.arcs.push(Arc {
            unit: step.unit,
            to: step.next,
            log: step.log,
            probability: step.probability,
            lower: step.lower,
            lower_to: step.lower_next,
        });
    }

    /// Computes the best completion of each node.
    pub fn complete(&mut self) {
        self.completions.clear();
        self.completions.resize(self.nodes.len(), f64::NEG_INFINITY);
        for &number in self.order.iter().rev() {
            let node = &self.nodes[number as usize];
            let context = &self.model.contexts[node.context as usize];
            let mut best = f64::NEG_INFINITY;
            if node.position as usize == self.length {
                best = context.log_end;
            }
            for arc in &self.arcs[node.begin as usize..node.end as usize] {
                best = best.max(arc.log + self.completions[arc.to as usize]);
            }
            if node.fall != NONE {
                best = best.max(context.log_weight + self.completions[node.fall as usize]);
            }
            self.completions[number as usize] = best;
        }
    }

    /// The logarithm of the probability of the source word: the sum over all ways, `ln P(S)`. None beyond the range of doubles.
    pub fn ln_sum(&mut self) -> Option<f64> {
        // The best way is scaled to about 1, by a factor for each source symbol, which all ways consume.
        let best = self.completions[self.order[0] as usize];
        let symbols = f64::from(narrow(self.length));
        let rate = if self.length == 0 {
            0.0
        } else {
            -best / symbols
        };
        let factors: Vec<f64> = (0..=narrow(self.model.longest.max(1)))
            .map(|length| libm::exp(rate * f64::from(length)))
            .collect();
        self.masses.clear();
        self.masses.resize(self.nodes.len(), 0.0);
        self.masses[self.order[0] as usize] = 1.0;
        let mut total = 0.0;
        for &number in &self.order {
            let node = &self.nodes[number as usize];
            let mass = self.masses[number as usize];
            let context = &self.model.contexts[node.context as usize];
            if node.position as usize == self.length {
                total += mass * libm::exp(context.log_end);
                continue;
            }
            for arc in &self.arcs[node.begin as usize..node.end as usize] {
                let length = self.model.lengths.get(arc.unit as usize).copied();
                let scaled = mass * factors[length.unwrap_or(1) as usize];
                self.masses[arc.to as usize] += scaled * arc.probability;
                self.masses[arc.lower_to as usize] -= scaled * arc.lower;
            }
            if node.fall != NONE {
                self.masses[node.fall as usize] += mass * context.weight;
            }
        }
        (total > 0.0 && total.is_finite()).then(|| libm::log(total) - rate * symbols)
    }
}

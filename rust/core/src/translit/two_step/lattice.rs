//! Chains whose positions have lists of possible labels: their sums, and their best paths.
//!
//! All is computed with scaled factors, not logarithms. Sums and maxima of a position are divided by scales of their own, so that words of any length keep
//! their precision.
//!
//! A word has many chains, one for each way to cut it, and most of them begin alike. A *column* is a position of a chain with all that is in front of it: sums and best paths up to
//! there are computed once, whatever chains go on from it.

use super::factors::Factors;

/// A list of labels with the factor of each: a run of [`Lattice::labels`].
#[derive(Debug, Clone, Copy)]
struct List {
    start: usize,
    end: usize,
}

/// A position and what is in front of it.
#[derive(Debug, Clone, Copy)]
struct Column {
    list: List,
    /// Where its sums and best paths start.
    at: usize,
    /// The scales of sums and of best paths.
    sum: f64,
    top: f64,
    /// The logarithm of the probability of the best path up to here among all.
    log_top: f64,
}

/// The chains of one word; one of them is at hand.
#[derive(Debug, Clone, Default)]
pub(super) struct Lattice {
    lists: Vec<List>,
    labels: Vec<u32>,
    /// exp(score - largest score of the position).
    own: Vec<f64>,
    columns: Vec<Column>,
    /// The sum of all paths that end here, over the scale of the column.
    alpha: Vec<f64>,
    /// The best path that ends here, over the scale of the column.
    best: Vec<f64>,
    /// The columns of the chain at hand.
    chain: Vec<u32>,
}

impl Lattice {
    /// Begins with another word.
    pub fn clear(&mut self) {
        self.lists.clear();
        self.labels.clear();
        self.own.clear();
        self.columns.clear();
        self.alpha.clear();
        self.best.clear();
        self.chain.clear();
    }

    /// How many labels all columns have: what the room in memory is proportional to.
    pub fn size(&self) -> usize {
        self.alpha.len()
    }

    /// Begins with another chain of the same word.
    pub fn begin(&mut self) {
        self.chain.clear();
    }

    /// Makes a list of labels with the scores of each.
    pub fn list(&mut self, labels: &[u32], scores: &[f64]) -> u32 {
        let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let start = self.labels.len();
        self.labels.extend_from_slice(labels);
        self.own
            .extend(scores.iter().map(|score| libm::exp(score - largest)));
        let end = self.labels.len();
        self.lists.push(List { start, end });
        narrow(self.lists.len() - 1)
    }

    /// Adds a position that has a list of labels to the chain: its new column.
    pub fn push(&mut self, list: u32, factors: &Factors) -> u32 {
        let list = self.lists[list as usize];
        let at = self.alpha.len();
        let before = self.chain.last().map(|&last| self.columns[last as usize]);
        let count = list.end - list.start;
        self.alpha.resize(at + count, 0.0);
        self.best.resize(at + count, 0.0);
        let (done_alpha, alpha) = self.alpha.split_at_mut(at);
        let (done_best, best) = self.best.split_at_mut(at);
        let own = &self.own[list.start..list.end];
        let labels = &self.labels[list.start..list.end];
        let (mut sum, mut top) = (0.0, 0.0f64);
        for (n, (&own, &label)) in own.iter().zip(labels).enumerate() {
            let (into_sum, into_best) = before.map_or((1.0, 1.0), |before| {
                let from = &self.labels[before.list.start..before.list.end];
                let run = before.at..before.at + from.len();
                into(
                    factors,
                    label,
                    from,
                    &done_alpha[run.clone()],
                    &done_best[run],
                )
            });
            alpha[n] = own * into_sum;
            best[n] = own * into_best;
            sum += alpha[n];
            top = top.max(best[n]);
        }
        for (a, b) in alpha.iter_mut().zip(best) {
            *a /= sum;
            *b /= top;
        }
        // Both have the same factors: their quotient stays near the probability of the best path so far.
        let log_top = before.map_or(0.0, |before| before.log_top) + libm::log(top / sum);
        self.columns.push(Column {
            list,
            at,
            sum,
            top,
            log_top,
        });
        let made = narrow(self.columns.len() - 1);
        self.chain.push(made);
        made
    }

    /// Adds a position whose column is known.
    pub fn follow(&mut self, column: u32) {
        self.chain.push(column);
    }

    /// The column that the chain at hand ends with.
    pub fn last(&self) -> Option<u32> {
        self.chain.last().copied()
    }

    /// The columns of the chain at hand.
    pub fn chain(&self) -> &[u32] {
        &self.chain
    }

    /// Positions of the chain at hand.
    pub fn len(&self) -> usize {
        self.chain.len()
    }

    fn column(&self, position: usize) -> &Column {
        &self.columns[self.chain[position] as usize]
    }

    /// Labels of a position.
    pub fn labels(&self, position: usize) -> &[u32] {
        let list = self.column(position).list;
        &self.labels[list.start..list.end]
    }

    /// Labels of a column.
    pub fn labels_of(&self, column: u32) -> &[u32] {
        let list = self.columns[column as usize].list;
        &self.labels[list.start..list.end]
    }

    /// The best path up to each label of a position, over the scale of the position.
    pub fn best(&self, position: usize) -> &[f64] {
        let column = self.column(position);
        &self.best[column.at..column.at + column.list.end - column.list.start]
    }

    /// The label at a place of the list of a position, and its own factor over the scale of best paths.
    pub fn behind(&self, position: usize, label_at: usize) -> (u32, f64, f64) {
        let column = self.column(position);
        let index = column.list.start + label_at;
        (self.labels[index], self.own[index], column.top)
    }

    /// The probability of the best path.
    pub fn top(&self) -> f64 {
        let log_top = self
            .last()
            .map_or(0.0, |last| self.columns[last as usize].log_top);
        libm::exp(log_top.min(0.0))
    }

    /// What a path that begins with a label of a column gives its probability: own factor over the scale of sums.
    pub fn first(&self, column: u32, label_at: usize) -> f64 {
        let column = &self.columns[column as usize];
        self.own[column.list.start + label_at] / column.sum
    }

    /// What one more label, of a column, gives to the probability of a path.
    pub fn next(&self, column: u32, label_at: usize, from: u32, factors: &Factors) -> f64 {
        let column = &self.columns[column as usize];
        let index = column.list.start + label_at;
        self.own[index] * factors.get(from, self.labels[index]) / column.sum
    }
}

/// Lists and columns of a word are fewer than 2^32 by far.
fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[inline]
fn into(factors: &Factors, to: u32, from: &[u32], alpha: &[f64], best: &[f64]) -> (f64, f64) {
    let (mut sum, mut top) = (0.0, 0.0f64);
    if let Some(row) = factors.row(to) {
        for ((&from, &alpha), &best) in from.iter().zip(alpha).zip(best) {
            let factor = row[from as usize];
            sum += alpha * factor;
            let product = best * factor;
            top = if product > top { product } else { top };
        }
    } else {
        for ((&from, &alpha), &best) in from.iter().zip(alpha).zip(best) {
            let factor = factors.get(from, to);
            sum += alpha * factor;
            top = top.max(best * factor);
        }
    }
    (sum, top)
}

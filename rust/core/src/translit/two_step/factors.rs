//! Factors of pairs of labels.

/// Up to so many labels the factors of all pairs are laid out.
pub(super) const DENSE: usize = 2048;

/// No factor is smaller than this logarithm below the largest one: then no sum is 0.
const LOWEST: f64 = -600.0;

/// exp(w(from, to) - shift) of pairs of labels; the shift is the same for all paths and cancels.
#[derive(Debug, Clone)]
pub(super) struct Factors {
    labels: usize,
    /// By second label, then first; empty when there are many labels.
    dense: Vec<f64>,
    other: f64,
    starts: Vec<usize>,
    first: Vec<u32>,
    weighted: Vec<f64>,
}

impl Factors {
    /// From triples of first label, second label and weight; other pairs have weight 0.
    pub fn new(labels: usize, pairs: &[(usize, usize, f64)]) -> Self {
        let shift = pairs.iter().map(|pair| pair.2).fold(0.0, f64::max);
        let factor = |weight: f64| libm::exp((weight - shift).max(LOWEST));
        let other = factor(0.0);
        let mut made = Self {
            labels,
            dense: Vec::new(),
            other,
            starts: Vec::new(),
            first: Vec::new(),
            weighted: Vec::new(),
        };
        if labels <= DENSE {
            made.dense = vec![other; labels * labels];
            for &(from, to, weight) in pairs {
                made.dense[to * labels + from] = factor(weight);
            }
            return made;
        }
        let mut sorted: Vec<_> = pairs.iter().map(|&(from, to, w)| (to, from, w)).collect();
        sorted.sort_by_key(|&(to, from, _)| (to, from));
        made.starts = vec![0; labels + 1];
        for &(to, from, weight) in &sorted {
            made.starts[to + 1] += 1;
            made.first.push(u32::try_from(from).unwrap_or(u32::MAX));
            made.weighted.push(factor(weight));
        }
        for label in 0..labels {
            made.starts[label + 1] += made.starts[label];
        }
        made
    }

    #[inline]
    pub fn get(&self, from: u32, to: u32) -> f64 {
        if !self.dense.is_empty() {
            return self.dense[to as usize * self.labels + from as usize];
        }
        let run = self.starts[to as usize]..self.starts[to as usize + 1];
        match self.first[run.clone()].binary_search(&from) {
            Ok(at) => self.weighted[run.start + at],
            Err(_) => self.other,
        }
    }

    /// The factors into a label by first label, when they are laid out.
    #[inline]
    pub fn row(&self, to: u32) -> Option<&[f64]> {
        let start = to as usize * self.labels;
        self.dense.get(start..start + self.labels)
    }
}

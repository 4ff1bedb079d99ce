//! Entropy, cross-entropy and divergence of distributions over derivations, in nats.

use super::marginals::Marginals;

/// -ln of the local probability of each edge, by place; 0 for edges that are never taken, so that they add nothing to any sum (0 ln 0 = 0).
///
/// Their sum over the edges of a derivation d is -ln p(d). O(edges) logarithms.
#[must_use]
pub fn surprisals(local: &[f64]) -> Vec<f64> {
    let surprisal = |&q: &f64| if q > 0.0 { -libm::log(q) } else { 0.0 };
    local.iter().map(surprisal).collect()
}

impl Marginals<'_> {
    /// The entropy of the distribution over the derivations of the root, in nats (Li and Eisner 2009, eq. 5); 0 where there are none.
    ///
    /// The sum over all edges of posterior times surprisal: no term is negative, so that small entropies are as exact as large ones, which the
    /// difference log Z - E[ln weight] is not. O(edges) logarithms.
    #[must_use]
    pub fn entropy(&self) -> f64 {
        let terms = self.local.iter().zip(self.edges);
        // An edge with q = 1 has -ln q = -0.
        0.0 + terms
            .filter(|&(&q, _)| q > 0.0 && q < 1.0)
            .map(|(&q, &posterior)| -posterior * libm::log(q))
            .sum::<f64>()
    }

    /// The Kullback-Leibler divergence from this distribution to another over the same hypergraph, in nats; infinity where a derivation of this one is none of the other.
    ///
    /// `other` are the other's local probabilities. The sum over all edges of posterior times the logarithm of the ratio of local probabilities. O(edges) logarithms.
    ///
    /// # Panics
    /// If the other is not over as many edges.
    #[must_use]
    pub fn divergence(&self, other: &[f64]) -> f64 {
        assert_eq!(
            other.len(),
            self.local.len(),
            "both must be over the same hypergraph"
        );
        let edges = self.local.iter().zip(other).zip(self.edges);
        let sum: f64 = edges
            .filter(|&(_, &posterior)| posterior > 0.0)
            .map(|((&p, &q), &posterior)| posterior * (libm::log(p) - libm::log(q)))
            .sum();
        // Rounding may leave a little less than nothing.
        sum.max(0.0)
    }
}

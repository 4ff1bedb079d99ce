//! Small exact fractions, and linear equations solved by Gauss's rule.

use crate::numeric::to_index;
use crate::semiring::{Commutative, Semiring, Star};

/// A fraction in lowest terms with a positive denominator; what does not fit panics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fraction {
    numerator: i128,
    denominator: i128,
}

impl Fraction {
    pub fn new(numerator: i128, denominator: i128) -> Self {
        let (mut a, mut b) = (numerator.abs(), denominator.abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let sign = denominator.signum();
        Self {
            numerator: sign * numerator / a,
            denominator: sign * denominator / a,
        }
    }

    pub fn plus(self, other: Self) -> Self {
        Self::new(
            self.numerator * other.denominator + other.numerator * self.denominator,
            self.denominator * other.denominator,
        )
    }

    pub fn minus(self, other: Self) -> Self {
        self.plus(Self {
            numerator: -other.numerator,
            ..other
        })
    }

    pub fn times(self, other: Self) -> Self {
        // Crosswise first, so that products stay small.
        let (left, right) = (
            Self::new(self.numerator, other.denominator),
            Self::new(other.numerator, self.denominator),
        );
        Self {
            numerator: left.numerator * right.numerator,
            denominator: left.denominator * right.denominator,
        }
    }

    pub fn inverse(self) -> Self {
        Self::new(self.denominator, self.numerator)
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "both parts round, by 2^-53 each"
    )]
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

/// Non-negative fractions.
pub struct Rational;

const ZERO: Fraction = Fraction {
    numerator: 0,
    denominator: 1,
};
const ONE: Fraction = Fraction {
    numerator: 1,
    denominator: 1,
};

impl Semiring for Rational {
    type Value = Fraction;

    fn zero(&self) -> Fraction {
        ZERO
    }

    fn one(&self) -> Fraction {
        ONE
    }

    fn plus(&self, &a: &Fraction, &b: &Fraction) -> Fraction {
        a.plus(b)
    }

    fn times(&self, &a: &Fraction, &b: &Fraction) -> Fraction {
        a.times(b)
    }

    fn is_zero(&self, a: &Fraction) -> bool {
        *a == ZERO
    }
}

impl Commutative for Rational {}

impl Star for Rational {
    fn star(&self, &a: &Fraction) -> Option<Fraction> {
        let rest = ONE.minus(a);
        (rest.numerator > 0).then(|| rest.inverse())
    }
}

/// Inside weights from the equations of all nodes, those with more than one unknown in a tail resolved beforehand: nodes that stand twice in a tail must
/// come in order and before their heads. One is added to the inside weight of a node.
pub fn solved(
    nodes: u32,
    edges: &[(u32, Vec<u32>)],
    weights: &[Fraction],
    plus_one: Option<u32>,
) -> Vec<Fraction> {
    let size = to_index(nodes.into());
    // Nodes below first, by substitution: those whose edges have only smaller nodes in their tails.
    let is_below = |node: u32| {
        let mut own = edges.iter().filter(|edge| edge.0 == node);
        own.all(|edge| edge.1.iter().all(|&tail| tail < node))
    };
    let mut known: Vec<Option<Fraction>> = vec![None; size];
    let added = |node: u32| if plus_one == Some(node) { ONE } else { ZERO };
    let value = |known: &[Option<Fraction>], node: u32| known[to_index(node.into())];
    for node in (0..nodes).take_while(|&node| is_below(node)) {
        let mut sum = added(node);
        for ((head, tail), weight) in edges.iter().zip(weights) {
            if *head == node {
                let factors = tail.iter().filter_map(|&node| value(&known, node));
                sum = sum.plus(factors.fold(*weight, Fraction::times));
            }
        }
        known[to_index(node.into())] = Some(sum);
    }
    // Then I - A, one column more for b.
    let mut matrix = vec![vec![ZERO; size + 1]; size];
    for node in 0..nodes {
        let row = &mut matrix[to_index(node.into())];
        row[to_index(node.into())] = ONE;
        row[size] = value(&known, node).unwrap_or(added(node));
    }
    for ((head, tail), weight) in edges.iter().zip(weights) {
        if value(&known, *head).is_some() {
            continue;
        }
        let factors = tail.iter().filter_map(|&node| value(&known, node));
        let coefficient = factors.fold(*weight, Fraction::times);
        let unknown = tail.iter().find(|&&node| value(&known, node).is_none());
        let row = &mut matrix[to_index((*head).into())];
        match unknown {
            Some(&node) => {
                let entry = &mut row[to_index(node.into())];
                *entry = entry.minus(coefficient);
            }
            None => row[size] = row[size].plus(coefficient),
        }
    }
    for pivot in 0..size {
        let inverse = matrix[pivot][pivot].inverse();
        for entry in &mut matrix[pivot] {
            *entry = entry.times(inverse);
        }
        let row = matrix[pivot].clone();
        for (other, equation) in matrix.iter_mut().enumerate() {
            let factor = equation[pivot];
            if other != pivot && factor != ZERO {
                for (entry, own) in equation.iter_mut().zip(&row) {
                    *entry = entry.minus(factor.times(*own));
                }
            }
        }
    }
    matrix.into_iter().map(|row| row[size]).collect()
}

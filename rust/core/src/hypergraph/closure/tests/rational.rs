//! Linear equations of fractions, solved by Gauss's rule.

use crate::numeric::to_index;
use num_rational::BigRational as Fraction;
use num_traits::{One, Zero};

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
    let added = |node: u32| {
        if plus_one == Some(node) {
            Fraction::one()
        } else {
            Fraction::zero()
        }
    };
    let value = |known: &[Option<Fraction>], node: u32| known[to_index(node.into())].clone();
    for node in (0..nodes).take_while(|&node| is_below(node)) {
        let mut sum = added(node);
        for ((head, tail), weight) in edges.iter().zip(weights) {
            if *head == node {
                let factors = tail.iter().filter_map(|&node| value(&known, node));
                sum += factors.fold(weight.clone(), |a, b| a * b);
            }
        }
        known[to_index(node.into())] = Some(sum);
    }
    // Then I - A, one column more for b.
    let mut matrix = vec![vec![Fraction::zero(); size + 1]; size];
    for node in 0..nodes {
        let row = &mut matrix[to_index(node.into())];
        row[to_index(node.into())] = Fraction::one();
        row[size] = value(&known, node).unwrap_or(added(node));
    }
    for ((head, tail), weight) in edges.iter().zip(weights) {
        if value(&known, *head).is_some() {
            continue;
        }
        let factors = tail.iter().filter_map(|&node| value(&known, node));
        let coefficient = factors.fold(weight.clone(), |a, b| a * b);
        let unknown = tail.iter().find(|&&node| value(&known, node).is_none());
        let row = &mut matrix[to_index((*head).into())];
        match unknown {
            Some(&node) => {
                row[to_index(node.into())] -= coefficient;
            }
            None => row[size] += coefficient,
        }
    }
    for pivot in 0..size {
        let inverse = matrix[pivot][pivot].recip();
        for entry in &mut matrix[pivot] {
            *entry *= &inverse;
        }
        let row = matrix[pivot].clone();
        for (other, equation) in matrix.iter_mut().enumerate() {
            let factor = equation[pivot].clone();
            if other != pivot && !factor.is_zero() {
                for (entry, own) in equation.iter_mut().zip(&row) {
                    *entry -= &factor * own;
                }
            }
        }
    }
    matrix.into_iter().map(|row| row[size].clone()).collect()
}

//! Truth values: whether there is a derivation at all.

use super::{Commutative, Idempotent, Path, Semiring, Star};

/// `plus` is or, `times` is and. All laws hold exactly.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Boolean;

impl Semiring for Boolean {
    type Value = bool;

    fn zero(&self) -> bool {
        false
    }

    fn one(&self) -> bool {
        true
    }

    fn plus(&self, &a: &bool, &b: &bool) -> bool {
        a || b
    }

    fn times(&self, &a: &bool, &b: &bool) -> bool {
        a && b
    }

    fn is_zero(&self, &a: &bool) -> bool {
        !a
    }
}

impl Commutative for Boolean {}

impl Idempotent for Boolean {}

impl Path for Boolean {
    fn is_better(&self, &a: &bool, &b: &bool) -> bool {
        a && !b
    }
}

impl Star for Boolean {
    fn star(&self, _: &bool) -> Option<bool> {
        Some(true)
    }
}

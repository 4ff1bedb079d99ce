//! Mistakes that programs have made are found: the tests of laws can fail.

use super::kit::Subject;
use super::numbers::{self, SCALAR};
use plait_core::semiring::{Log, Path, Semiring, Star, Tropical, Viterbi};
use proptest::prelude::*;

/// A semiring of doubles with some part replaced.
struct Broken<P> {
    zero: f64,
    one: f64,
    plus: fn(f64, f64) -> f64,
    star: fn(f64) -> Option<f64>,
    sound: P,
}

impl Broken<Log> {
    /// Nothing is broken yet.
    fn log() -> Self {
        Self {
            zero: Log.zero(),
            one: Log.one(),
            plus: |a, b| Log.plus(&a, &b),
            star: |a| Log.star(&a),
            sound: Log,
        }
    }
}

impl<P: Semiring<Value = f64>> Semiring for Broken<P> {
    type Value = f64;

    fn zero(&self) -> f64 {
        self.zero
    }

    fn one(&self) -> f64 {
        self.one
    }

    fn plus(&self, &a: &f64, &b: &f64) -> f64 {
        (self.plus)(a, b)
    }

    fn times(&self, a: &f64, b: &f64) -> f64 {
        self.sound.times(a, b)
    }

    fn is_zero(&self, a: &f64) -> bool {
        a.total_cmp(&self.zero).is_eq()
    }
}

impl<P: Semiring<Value = f64>> Star for Broken<P> {
    fn star(&self, &a: &f64) -> Option<f64> {
        (self.star)(a)
    }
}

fn subject<P: Semiring<Value = f64>>(semiring: Broken<P>) -> Subject<Broken<P>> {
    Subject {
        semiring,
        values: numbers::logarithms(),
        magnitude: f64::clone,
        near: |found, expected, _, inputs| numbers::log(SCALAR, *found, *expected, inputs),
    }
}

#[test]
fn what_is_not_broken_passes() {
    subject(Broken::log()).semiring();
    subject(Broken::log()).star();
}

#[test]
#[should_panic(expected = "0 + 0 = 0")]
fn a_zero_that_is_a_large_negative_number() {
    let zero = -1e9;
    subject(Broken {
        zero,
        ..Broken::log()
    })
    .semiring();
}

#[test]
#[should_panic(expected = "a + 0 = a")]
fn identities_that_are_swapped() {
    let semiring = Broken {
        zero: 0.0,
        one: f64::NEG_INFINITY,
        plus: f64::max,
        star: |_| None,
        sound: Tropical,
    };
    Subject::exact(semiring, Just(-1.5)).semiring();
}

#[test]
// Whichever law of three values a wrong sum is found by first.
#[should_panic(expected = "of magnitudes")]
fn a_logarithm_in_single_precision() {
    let plus = |a: f64, b: f64| {
        let sum = Log.plus(&a, &b);
        if sum > a.max(b) {
            f64::from(plait_core::numeric::to_f32(sum))
        } else {
            sum
        }
    };
    subject(Broken {
        plus,
        ..Broken::log()
    })
    .semiring();
}

#[test]
#[should_panic(expected = "0* = 1")]
fn a_closure_of_nothing_that_is_nothing() {
    let star = |a| {
        if a == f64::NEG_INFINITY {
            Some(a)
        } else {
            Log.star(&a)
        }
    };
    subject(Broken {
        star,
        ..Broken::log()
    })
    .star();
}

#[test]
#[should_panic(expected = "a* = 1 + a a*")]
fn a_closure_that_stops_early() {
    let star = |a: f64| {
        let powers = (0..1000).map(|n| if n == 0 { 0.0 } else { f64::from(n) * a });
        (a < 0.0).then(|| powers.fold(Log.zero(), |sum, power| Log.plus(&sum, &power)))
    };
    subject(Broken {
        star,
        ..Broken::log()
    })
    .star();
}

/// An order that looks at magnitudes first is no order of this sum.
#[derive(Clone, Copy)]
struct ByMagnitude;

impl Semiring for ByMagnitude {
    type Value = f64;

    fn zero(&self) -> f64 {
        Viterbi.zero()
    }

    fn one(&self) -> f64 {
        Viterbi.one()
    }

    fn plus(&self, a: &f64, b: &f64) -> f64 {
        Viterbi.plus(a, b)
    }

    fn times(&self, a: &f64, b: &f64) -> f64 {
        Viterbi.times(a, b)
    }

    fn is_zero(&self, a: &f64) -> bool {
        Viterbi.is_zero(a)
    }
}

impl plait_core::semiring::Idempotent for ByMagnitude {}

impl Path for ByMagnitude {
    fn is_better(&self, a: &f64, b: &f64) -> bool {
        a.abs() < b.abs()
    }
}

#[test]
#[should_panic(expected = "better where the sum says so")]
fn an_order_that_is_not_that_of_the_sum() {
    Subject::exact(ByMagnitude, proptest::sample::select(vec![0.0, 1.0])).path();
}

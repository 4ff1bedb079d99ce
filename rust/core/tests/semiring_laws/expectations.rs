//! Modules, bilinear maps and the expectation semirings over them.

use super::kit::{self, Subject};
use super::numbers::{self, FIRST, SECOND};
use num_rational::BigRational;
use plait_core::semiring::module::{
    Bilinear, Dense, Module, Multiplication, Outer, Scalar, Sparse, SparseOuter,
};
use plait_core::semiring::{
    Boolean, FirstOrder, FirstOrderValue, Free, Lifted, Polynomial, Rational, Real, SecondOrder,
    SecondOrderValue, Semiring, SignedLog, SignedLogValue, Star, lift, lower,
};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

type Fraction = BigRational;
type Sets = Free<Boolean>;

const SETS: Sets = Free {
    coefficients: Boolean,
};

/// Sets of strings: scalars that do not commute.
fn sets() -> BoxedStrategy<Polynomial<bool>> {
    btree_map(vec(0..3_u32, 0..3), Just(true), 0..3).boxed()
}

fn fractions(len: usize) -> BoxedStrategy<Vec<Fraction>> {
    vec(numbers::rationals(), len).boxed()
}

fn sparse() -> BoxedStrategy<Vec<(u32, Fraction)>> {
    let components = vec((0..4_u32, numbers::rationals()), 0..4);
    components
        .prop_map(|components| Sparse::new(Rational).vector(components))
        .boxed()
}

#[test]
fn modules() {
    kit::module(
        &Scalar(Rational),
        numbers::rationals(),
        numbers::rationals(),
    );
    kit::module(&Dense::new(Rational, 3), numbers::rationals(), fractions(3));
    kit::module(&Sparse::new(Rational), numbers::rationals(), sparse());
    // Scalars from either side.
    kit::module(&Scalar(SETS), sets(), sets());
    kit::module(&Dense::new(SETS, 2), sets(), vec(sets(), 2));
    let module = Sparse::<Sets>::new(SETS);
    let elements = vec((0..3_u32, sets()), 0..3).prop_map(move |c| module.vector(c));
    kit::module(&module, sets(), elements);
}

#[test]
fn bilinear_maps() {
    let p = numbers::rationals;
    kit::bilinear(&Multiplication::new(Scalar(Rational)), p(), p(), p());
    let map = Multiplication::new(Dense::new(Rational, 2));
    kit::bilinear(&map, p(), p(), fractions(2));
    let map = Outer::new(Rational, 2, 3);
    kit::bilinear(&map, p(), fractions(2), fractions(3));
    kit::bilinear(&SparseOuter::new(Rational), p(), sparse(), sparse());
    // (r, s) has the matrix whose transpose (s, r) has.
    proptest!(|(r in fractions(2), s in fractions(3))| {
        let (one, other) = (map.multiply(&r, &s), Outer::new(Rational, 3, 2).multiply(&s, &r));
        for row in 0..2 {
            for column in 0..3 {
                prop_assert_eq!(&one[row * 3 + column], &other[column * 2 + row]);
            }
        }
    });
}

#[test]
#[should_panic(expected = "vectors must have one length")]
fn vectors_of_different_lengths() {
    let _ = Dense::new(Real, 2).plus(&vec![1.0, 2.0], &vec![1.0]);
}

/// Weights with elements of a module.
fn first<P, R>(p: BoxedStrategy<P>, r: BoxedStrategy<R>) -> BoxedStrategy<FirstOrderValue<P, R>>
where
    P: std::fmt::Debug + 'static,
    R: std::fmt::Debug + 'static,
{
    (p, r).prop_map(|(p, r)| FirstOrderValue { p, r }).boxed()
}

type Second<P, R, S, T> = BoxedStrategy<SecondOrderValue<P, R, S, T>>;

fn second<P, R, S, T>(
    p: BoxedStrategy<P>,
    (r, s, t): (BoxedStrategy<R>, BoxedStrategy<S>, BoxedStrategy<T>),
) -> Second<P, R, S, T>
where
    P: std::fmt::Debug + 'static,
    R: std::fmt::Debug + 'static,
    S: std::fmt::Debug + 'static,
    T: std::fmt::Debug + 'static,
{
    (p, r, s, t)
        .prop_map(|(p, r, s, t)| SecondOrderValue { p, r, s, t })
        .boxed()
}

#[test]
fn first_order_in_fractions() {
    let subject = Subject::exact(
        FirstOrder::new(Scalar(Rational)),
        first(numbers::rationals(), numbers::rationals()),
    );
    subject.semiring();
    subject.commutative();
    subject.star();
    subject.star_of_sums_and_products();
    let subject = Subject::exact(
        FirstOrder::new(Dense::new(Rational, 2)),
        first(numbers::rationals(), fractions(2)),
    );
    subject.semiring();
    subject.star();
    let subject = Subject::exact(
        FirstOrder::new(Sparse::new(Rational)),
        first(numbers::rationals(), sparse()),
    );
    subject.semiring();
    subject.commutative();
    subject.star();
    subject.star_of_sums_and_products();
}

#[test]
fn first_order_over_weights_that_do_not_commute() {
    let subject = Subject::exact(FirstOrder::new(Scalar(SETS)), first(sets(), sets()));
    subject.semiring();
    subject.idempotent();
    subject.star();
}

#[test]
fn second_order_in_fractions() {
    let p = numbers::rationals;
    let subject = Subject::exact(
        SecondOrder::new(Multiplication::new(Scalar(Rational))),
        second(p(), (p(), p(), p())),
    );
    subject.semiring();
    subject.commutative();
    subject.star();
    subject.star_of_sums_and_products();
    let subject = Subject::exact(
        SecondOrder::new(Outer::new(Rational, 2, 3)),
        second(p(), (fractions(2), fractions(3), fractions(6))),
    );
    subject.semiring();
    subject.commutative();
    subject.star();
    let gradient = Multiplication::new(Sparse::<Rational>::new(Rational));
    let subject = Subject::exact(
        SecondOrder::new(gradient),
        second(p(), (p(), sparse(), sparse())),
    );
    subject.semiring();
    subject.star();
}

#[test]
fn second_order_is_first_order_twice() {
    let p = numbers::rationals;
    let map = SparseOuter::new(Rational);
    let one = SecondOrder::new(map);
    let other = FirstOrder::new(Lifted::new(map));
    let matrices = vec(((0..3_u32, 0..3_u32), p()), 0..4)
        .prop_map(move |components| map.product().vector(components));
    let values = second(p(), (sparse(), sparse(), matrices.boxed()));
    proptest!(|(a in values.clone(), b in values.clone())| {
        let (x, y) = (lift(a.clone()), lift(b.clone()));
        prop_assert_eq!(&lower(x.clone()), &a);
        prop_assert_eq!(lift(one.plus(&a, &b)), other.plus(&x, &y));
        prop_assert_eq!(lift(one.times(&a, &b)), other.times(&x, &y));
        prop_assert_eq!(one.star(&a).map(lift), other.star(&x));
        prop_assert_eq!(one.is_zero(&a), other.is_zero(&x));
    });
    // S x T is a module over first-order weights.
    let scalars = first(p(), sparse());
    kit::module(&Lifted::new(map), scalars, values.prop_map(|x| (x.s, x.t)));
    assert_eq!(lift(one.zero()), other.zero());
    assert_eq!(lift(one.one()), other.one());
}

type OfVectors = SecondOrderValue<Fraction, Vec<Fraction>, Vec<Fraction>, Vec<Fraction>>;

proptest! {
    /// The weight alone, a part with r = 0, and quantities with r and s in the other order, are images that keep all operations.
    #[test]
    fn projections_and_swaps_keep_operations(
        a in second(numbers::rationals(), (fractions(2), fractions(2), fractions(4))),
        b in second(numbers::rationals(), (fractions(2), fractions(2), fractions(4))),
    ) {
        let k = SecondOrder::new(Outer::new(Rational, 2, 2));
        let first = FirstOrder::new(Dense::new(Rational, 2));
        let project = |x: &OfVectors| FirstOrderValue { p: x.p.clone(), r: x.r.clone() };
        prop_assert_eq!(project(&k.times(&a, &b)), first.times(&project(&a), &project(&b)));
        prop_assert_eq!(k.star(&a).as_ref().map(project), first.star(&project(&a)));
        let swap = |x: &OfVectors| {
            let t = [0, 2, 1, 3].map(|at: usize| x.t[at].clone()).to_vec();
            SecondOrderValue { p: x.p.clone(), r: x.s.clone(), s: x.r.clone(), t }
        };
        prop_assert_eq!(swap(&k.times(&a, &b)), k.times(&swap(&a), &swap(&b)));
        prop_assert_eq!(k.star(&a).as_ref().map(swap), k.star(&swap(&a)));
    }
}

type RealVectors = FirstOrderValue<f64, Vec<f64>>;

fn flat(values: &[RealVectors; 3]) -> Vec<f64> {
    values
        .iter()
        .flat_map(|x| x.r.iter().copied().chain([x.p]))
        .collect()
}

#[test]
fn first_order_in_doubles() {
    let subject = Subject {
        semiring: FirstOrder::new(Dense::new(Real, 2)),
        values: first(numbers::doubles(), vec(numbers::doubles(), 2).boxed()),
        magnitude: |x| FirstOrderValue {
            p: x.p.abs(),
            r: x.r.iter().map(|r| r.abs()).collect(),
        },
        near: |found, expected, [one, other], inputs| {
            let inputs = flat(inputs);
            let near = |a, b, sizes| numbers::real(FIRST, a, b, sizes, &inputs);
            near(found.p, expected.p, [one.p, other.p])
                && (0..2).all(|n| near(found.r[n], expected.r[n], [one.r[n], other.r[n]]))
        },
    };
    subject.semiring();
    subject.commutative();
    subject.star();
}

#[test]
fn second_order_in_signed_logarithms() {
    type Value = SecondOrderValue<SignedLogValue, SignedLogValue, SignedLogValue, SignedLogValue>;
    fn parts(x: &Value) -> [SignedLogValue; 4] {
        [x.p, x.r, x.s, x.t]
    }
    let numbers = numbers::signed_logs;
    let subject = Subject {
        semiring: SecondOrder::new(Multiplication::new(Scalar(SignedLog))),
        values: second(numbers(), (numbers(), numbers(), numbers())),
        magnitude: |x| {
            let [p, r, s, t] = parts(x).map(|x| SignedLogValue::new(x.ln(), false));
            SecondOrderValue { p, r, s, t }
        },
        near: |found, expected, sizes, inputs| {
            let inputs = inputs.each_ref().map(parts).concat();
            let [found, expected, one, other] = [found, expected, &sizes[0], &sizes[1]].map(parts);
            (0..4).all(|n| {
                let sides = [found[n], expected[n]];
                numbers::signed_log(SECOND, sides, [one[n], other[n]], &inputs)
            })
        },
    };
    subject.semiring();
    subject.commutative();
    subject.star();
}

/// Eisner (2002): a loop of probability p that is one step long is gone round p / (1 - p) times on average, with variance p / (1 - p)^2.
#[test]
fn the_length_of_a_loop() {
    let k = SecondOrder::new(Multiplication::new(Scalar(Rational)));
    let fraction = |n: i64, d: i64| Fraction::new(n.into(), d.into());
    let p = fraction(3, 4);
    let once = SecondOrderValue {
        p: p.clone(),
        r: p.clone(),
        s: p.clone(),
        t: p,
    };
    let stop = SecondOrderValue {
        p: fraction(1, 4),
        ..k.zero()
    };
    let total = k.times(&k.star(&once).expect("below 1"), &stop);
    assert_eq!(total.p, fraction(1, 1));
    assert_eq!(total.r, fraction(3, 1));
    assert_eq!(total.t - fraction(9, 1), fraction(12, 1));
}

//! The semirings of weights.

use super::kit::Subject;
use super::numbers::{self, FIRST, SCALAR};
use num_rational::BigRational;
use plait_core::semiring::{
    Boolean, CheckedCounting, Count, Counting, Free, Hull, KBest, Lexicographic, Line, Log, Path,
    Polynomial, Product, Rational, Real, Scaled, ScaledValue, Semiring, SignedLog, SignedLogValue,
    Star, Tropical, Viterbi,
};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

#[test]
fn booleans() {
    let subject = Subject::exact(Boolean, any::<bool>());
    subject.semiring();
    subject.commutative();
    subject.idempotent();
    subject.path();
    subject.star();
    subject.star_of_sums_and_products();
}

#[test]
fn counts() {
    let subject = Subject::exact(Counting, numbers::counts());
    subject.semiring();
    subject.commutative();
    subject.star();
    subject.star_of_sums_and_products();
}

#[test]
fn checked_counts() {
    let subject = Subject::exact(CheckedCounting, numbers::words());
    subject.semiring();
    subject.commutative();
    subject.star();
    subject.star_of_sums_and_products();
}

#[test]
fn rationals() {
    let subject = Subject::exact(Rational, numbers::rationals());
    subject.semiring();
    subject.commutative();
    subject.star();
    subject.star_of_sums_and_products();
    subject.division();
}

#[test]
fn reals() {
    let subject = Subject {
        semiring: Real,
        values: numbers::doubles(),
        magnitude: |x| x.abs(),
        near: |found, expected, sizes, inputs| {
            numbers::real(SCALAR, *found, *expected, *sizes, inputs)
        },
    };
    subject.semiring();
    subject.commutative();
    subject.star();
    let normal = |x: &f64| *x == 0.0 || (1e-150..1e150).contains(&x.abs());
    let values = numbers::doubles().prop_filter("products in range", normal);
    let subject = Subject {
        values: values.boxed(),
        ..subject
    };
    subject.division();
}

#[test]
fn logarithms() {
    let subject = Subject {
        semiring: Log,
        values: numbers::logarithms(),
        magnitude: f64::clone,
        near: |found, expected, _, inputs| numbers::log(SCALAR, *found, *expected, inputs),
    };
    subject.semiring();
    subject.commutative();
    subject.star();
    subject.division();
}

#[test]
fn signed_logarithms() {
    let subject = Subject {
        semiring: SignedLog,
        values: numbers::signed_logs(),
        magnitude: |x| SignedLogValue::new(x.ln(), false),
        near: |found, expected, sizes, inputs| {
            numbers::signed_log(SCALAR, [*found, *expected], *sizes, inputs)
        },
    };
    subject.semiring();
    subject.commutative();
    subject.star();
    subject.division();
}

#[test]
fn scaled_numbers() {
    let subject = Subject {
        semiring: Scaled,
        values: numbers::scaled(),
        magnitude: numbers::unsigned,
        near: |found, expected, sizes, _| numbers::scaled_near(SCALAR, *found, *expected, *sizes),
    };
    subject.semiring();
    subject.commutative();
    subject.star();
    subject.division();
}

#[test]
fn best_weights() {
    let subject = Subject {
        semiring: Viterbi,
        values: numbers::logarithms(),
        magnitude: f64::clone,
        near: |found, expected, _, inputs| numbers::log(SCALAR, *found, *expected, inputs),
    };
    subject.semiring();
    subject.commutative();
    subject.idempotent();
    subject.path();
    subject.star();
    subject.division();
    let subject = Subject::exact(Viterbi, numbers::whole(f64::NEG_INFINITY));
    subject.semiring();
    subject.star_of_sums_and_products();
    subject.division();
}

#[test]
fn least_costs() {
    let subject = Subject {
        semiring: Tropical,
        values: numbers::logarithms().prop_map(|x| -x).boxed(),
        magnitude: f64::clone,
        near: |found, expected, _, inputs| numbers::log(SCALAR, *found, *expected, inputs),
    };
    subject.semiring();
    subject.commutative();
    subject.idempotent();
    subject.path();
    subject.star();
    subject.division();
    let subject = Subject::exact(Tropical, numbers::whole(f64::INFINITY));
    subject.semiring();
    subject.star_of_sums_and_products();
    subject.division();
}

/// Lists of whole weights.
fn lists<P: Path<Value = f64> + Clone + 'static>(base: &P, k: usize) -> BoxedStrategy<Vec<f64>> {
    let semiring = kbest(base.clone(), k);
    vec((-6..=2_i32).prop_map(f64::from), 0..6)
        .prop_map(move |weights| semiring.value(weights))
        .boxed()
}

fn kbest<P: Path>(base: P, k: usize) -> KBest<P> {
    KBest::new(base, k).expect("at least one")
}

#[test]
fn lists_of_best_weights() {
    for k in 1..=4 {
        let subject = Subject::exact(kbest(Viterbi, k), lists(&Viterbi, k));
        subject.semiring();
        subject.commutative();
        subject.star();
        subject.star_of_sums_and_products();
        let subject = Subject::exact(kbest(Tropical, k), lists(&Tropical, k));
        subject.semiring();
        subject.star();
    }
    // Weights that round: the k-th best, whichever derivation has it, is wrong by rounding only.
    let semiring = kbest(Viterbi, 3);
    let subject = Subject {
        semiring,
        values: vec(numbers::logarithms(), 0..5)
            .prop_map(move |weights| semiring.value(weights))
            .boxed(),
        magnitude: Vec::clone,
        near: |found, expected, _, inputs| {
            let inputs = inputs.concat();
            let mut pairs = found.iter().zip(expected);
            found.len() == expected.len()
                && pairs.all(|(found, expected)| numbers::log(FIRST, *found, *expected, &inputs))
        },
    };
    subject.semiring();
    subject.commutative();
    subject.star();
    assert!(KBest::new(Viterbi, 0).is_err());
}

proptest! {
    /// Against all sums and products, sorted; for each k the start of the list for the next; the powers of a closure, summed up.
    #[test]
    fn lists_are_the_start_of_all(a in lists(&Viterbi, 9), b in lists(&Viterbi, 9), k in 1..6_usize) {
        let all = kbest(Viterbi, 99);
        let semiring = kbest(Viterbi, k);
        let [short_a, short_b] = [&a, &b].map(|list| semiring.value(list.clone()));
        let sorted = |mut weights: Vec<f64>| {
            weights.sort_by(|x, y| y.total_cmp(x));
            weights.truncate(k);
            weights
        };
        prop_assert_eq!(semiring.plus(&short_a, &short_b), sorted([&a[..], &b].concat()));
        let products = a.iter().flat_map(|x| b.iter().map(move |y| x + y)).collect();
        prop_assert_eq!(semiring.times(&short_a, &short_b), sorted(products));
        let (mut power, mut sum) = (all.one(), all.zero());
        for _ in 0..k {
            all.accumulate(&mut sum, &power);
            power = all.times(&power, &a);
        }
        let star = semiring.star(&short_a);
        prop_assert_eq!(star.is_none(), a.first().is_some_and(|&best| best > 0.0));
        if let Some(star) = star {
            prop_assert_eq!(star, sorted(sum));
        }
    }
}

/// Envelopes of a few lines.
fn hulls(numbers: &BoxedStrategy<f64>) -> BoxedStrategy<Vec<Line>> {
    let line = (numbers.clone(), numbers.clone());
    let line = line.prop_map(|(slope, intercept)| Line { slope, intercept });
    vec(line, 0..6).prop_map(|lines| Hull.value(&lines)).boxed()
}

#[test]
fn envelopes_of_lines() {
    let subject = Subject::exact(Hull, hulls(&(-5..=5_i32).prop_map(f64::from).boxed()));
    subject.semiring();
    subject.commutative();
    subject.idempotent();
    subject.star();
    subject.star_of_sums_and_products();
    // Numbers that round: a line may be on top by rounding only, so that functions are compared.
    let subject = Subject {
        semiring: Hull,
        values: hulls(
            &prop_oneof![-1e6..1e6_f64, (-9..9_i32).prop_map(|n| 0.1 * f64::from(n))].boxed(),
        ),
        magnitude: Vec::clone,
        near: |found, expected, _, inputs| numbers::same_functions(found, expected, inputs),
    };
    subject.semiring();
    subject.commutative();
    subject.idempotent();
}

proptest! {
    /// Sums are exact: also of numbers that round, in any order and however often.
    #[test]
    fn maxima_of_envelopes_are_exact(lines in vec((-1.0..1.0_f64, -1.0..1.0_f64), 0..20), cut in 0..20_usize) {
        let lines: Vec<Line> = lines.into_iter().map(|(slope, intercept)| Line { slope, intercept }).collect();
        let cut = cut.min(lines.len());
        let (left, right) = (Hull.value(&lines[..cut]), Hull.value(&lines[cut..]));
        prop_assert_eq!(Hull.plus(&left, &right), Hull.value(&lines));
        prop_assert_eq!(Hull.plus(&right, &left), Hull.value(&lines));
    }
}

#[test]
fn pairs_of_semirings() {
    let product = Product {
        first: Boolean,
        second: Counting,
    };
    let subject = Subject::exact(product, (any::<bool>(), numbers::counts()));
    subject.semiring();
    subject.commutative();
    subject.star();
    subject.star_of_sums_and_products();
    let product = Product {
        first: Boolean,
        second: Tropical,
    };
    let subject = Subject::exact(product, (any::<bool>(), numbers::whole(f64::INFINITY)));
    subject.idempotent();
}

/// Pairs whose weight is no zero, and the zero.
fn ranked<V: Clone + std::fmt::Debug + 'static>(
    values: BoxedStrategy<V>,
    zero: V,
) -> BoxedStrategy<(f64, V)> {
    (numbers::whole(f64::INFINITY), values)
        .prop_map(move |(weight, value)| {
            if weight.is_finite() {
                (weight, value)
            } else {
                (weight, zero.clone())
            }
        })
        .boxed()
}

#[test]
fn ranked_pairs() {
    let semiring = Lexicographic {
        weights: Tropical,
        values: Counting,
    };
    let subject = Subject::exact(semiring, ranked(numbers::counts(), Counting.zero()));
    subject.semiring();
    subject.commutative();
    subject.star();
    subject.star_of_sums_and_products();
    let semiring = Lexicographic {
        weights: Tropical,
        values: Viterbi,
    };
    let zero = f64::NEG_INFINITY;
    let subject = Subject::exact(semiring, ranked(numbers::whole(zero), zero));
    subject.semiring();
    subject.idempotent();
    subject.path();
}

/// Sums of a few strings over three letters.
fn polynomials<C: Clone + std::fmt::Debug + 'static>(
    coefficients: BoxedStrategy<C>,
) -> BoxedStrategy<Polynomial<C>> {
    btree_map(vec(0..3_u32, 0..3), coefficients, 0..4).boxed()
}

#[test]
fn strings() {
    let coefficients = (1..4_u64).prop_map(Count::from).boxed();
    let subject = Subject::exact(Free::<Counting>::default(), polynomials(coefficients));
    subject.semiring();
    subject.star();
    let sets = Free {
        coefficients: Boolean,
    };
    let subject = Subject::exact(sets, polynomials(Just(true).boxed()));
    subject.semiring();
    subject.idempotent();
    subject.star();
    let (a, b) = (sets.letter(0), sets.letter(1));
    assert!(sets.times(&a, &b).contains_key([0, 1].as_slice()));
    assert_ne!(sets.times(&a, &b), sets.times(&b, &a));
    assert!(sets.star(&a).is_none());
    // Coefficients that cancel leave no string.
    let signed = Free {
        coefficients: Rational,
    };
    let nonzero = |x: &BigRational| !Rational.is_zero(x);
    let coefficients = numbers::rationals().prop_filter("no zero", nonzero).boxed();
    Subject::exact(signed, polynomials(coefficients)).semiring();
}

proptest! {
    #[test]
    fn counts_are_counted_in_words_as_long_as_they_fit(a in any::<u64>(), b in any::<u64>()) {
        let word = |count: &Count| match count {
            Count::Finite(count) => u64::try_from(count).unwrap_or(CheckedCounting::MORE),
            Count::Infinite => CheckedCounting::MORE,
        };
        let (x, y) = (Count::from(a), Count::from(b));
        prop_assert_eq!(CheckedCounting.plus(&a, &b), word(&Counting.plus(&x, &y)));
        prop_assert_eq!(CheckedCounting.times(&a, &b), word(&Counting.times(&x, &y)));
        prop_assert_eq!(CheckedCounting.star(&a), Counting.star(&x).as_ref().map(word));
        // And whether there is any derivation is a homomorphism, too.
        let any = |count: &Count| !Counting.is_zero(count);
        prop_assert_eq!(any(&Counting.plus(&x, &y)), Boolean.plus(&any(&x), &any(&y)));
        prop_assert_eq!(any(&Counting.times(&x, &y)), Boolean.times(&any(&x), &any(&y)));
    }

    #[test]
    fn scaled_numbers_are_rationals_rounded(a in numbers::doubles(), b in numbers::doubles()) {
        let exact = |x: f64| BigRational::from_float(x).expect("finite");
        let (x, y) = (ScaledValue::from(a), ScaledValue::from(b));
        prop_assert!(x.to_f64() - a == 0.0, "{a} and back");
        let rounds = |found: ScaledValue, expected: BigRational| {
            let power = BigRational::from_integer(2.into()).pow(i32::try_from(found.exponent()).expect("small"));
            let error = exact(found.mantissa()) * power - &expected;
            let size = num_traits::Signed::abs(&expected) * exact(numbers::U);
            num_traits::Signed::abs(&error) <= size
        };
        prop_assert!(rounds(Scaled.plus(&x, &y), exact(a) + exact(b)), "{a} + {b}");
        prop_assert!(rounds(Scaled.times(&x, &y), exact(a) * exact(b)), "{a} * {b}");
        prop_assert_eq!(Scaled.plus(&x, &x.negated()), Scaled.zero());
    }

    #[test]
    fn signed_logarithms_are_scaled_numbers(a in numbers::signed_logs(), b in numbers::signed_logs()) {
        let number = |x: SignedLogValue| {
            let magnitude = ScaledValue::from_ln(x.ln());
            if x.is_negative() { magnitude.negated() } else { magnitude }
        };
        let back = |x: ScaledValue| SignedLogValue::new(x.ln(), x.mantissa() < 0.0);
        let near = |found: SignedLogValue, expected: ScaledValue, size: SignedLogValue| {
            numbers::signed_log(SCALAR, [found, back(expected)], [size, size], &[a, b])
        };
        let sizes = [a, b].map(|x| SignedLogValue::new(x.ln(), false));
        let sum = SignedLog.plus(&a, &b);
        prop_assert!(near(sum, Scaled.plus(&number(a), &number(b)), SignedLog.plus(&sizes[0], &sizes[1])));
        let product = SignedLog.times(&a, &b);
        prop_assert!(near(product, Scaled.times(&number(a), &number(b)), SignedLog.times(&sizes[0], &sizes[1])));
        prop_assert_eq!(SignedLog.plus(&a, &a.negated()), SignedLog.zero());
    }
}

#[test]
fn closures_have_their_values() {
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b.abs();
    // -ln(1 - exp(-0.7)), which another library has as -1.204.
    assert!(near(
        Log.star(&-0.7).expect("below 1"),
        0.686_341_002_808_385_3
    ));
    // Where 1 - exp a has no digit left.
    let tiny = SignedLogValue::new(-1e-20, false);
    let twenty = 20.0 * std::f64::consts::LN_10;
    assert!(near(Log.star(&-1e-20).expect("below 1"), twenty));
    assert!(near(SignedLog.star(&tiny).expect("below 1").ln(), twenty));
    let star = |x: f64| SignedLog.star(&x.into()).map(SignedLogValue::to_f64);
    assert!(near(star(-0.5).expect("inside"), 2.0 / 3.0));
    assert!(
        near(star(0.999_999).expect("inside"), 1e6)
            || star(0.999_999).is_some_and(|x| (x - 1e6).abs() < 1e-4)
    );
    for outside in [1.0, -1.0, 1.1, -2.0, 1e300] {
        assert_eq!(star(outside), None);
        assert_eq!(Real.star(&outside), None);
        assert_eq!(Scaled.star(&outside.into()), None);
        assert_eq!(Log.star(&libm::log(outside.abs())), None);
    }
    assert_eq!(Tropical.star(&-1.0), None);
    assert_eq!(Viterbi.star(&1.0), None);
}

#[test]
fn nothing_underflows_that_has_a_wide_exponent() {
    let tiny = 1e-300_f64;
    let (mut scaled, mut log) = (Scaled.one(), Log.one());
    for _ in 0..100_000 {
        scaled = Scaled.times(&scaled, &tiny.into());
        log = Log.times(&log, &libm::log(tiny));
    }
    assert!((scaled.ln() / log - 1.0).abs() < 1e-11);
    assert!((ScaledValue::from_ln(log).ln() - log).abs() <= log.abs() * f64::EPSILON);
    // Only the 64-bit exponent ends: after 63 squarings.
    let square_often = |x: f64| {
        let mut value = ScaledValue::from(x);
        for _ in 0..70 {
            value = Scaled.times(&value, &value);
        }
        value
    };
    assert_eq!(square_often(0.25), Scaled.zero());
    assert!(square_often(4.0).to_f64() == f64::INFINITY);
    let none = Scaled.times(&square_often(4.0), &Scaled.zero());
    assert_eq!(none, Scaled.zero());
    assert!(
        Scaled
            .plus(&square_often(4.0), &ScaledValue::new(-0.5, 1 << 60))
            .to_f64()
            == f64::INFINITY
    );
}

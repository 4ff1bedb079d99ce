//! Numbers that are hard on arithmetic, and how far rounding may lead.
//!
//! Each operation rounds with relative error u = 2^-53 (logarithms: with absolute error 2u (1 + |ln|), as `exp` and `log1p` of libm are wrong by less than
//! one unit). A law has two sides of a few roundings each, and so its sides differ by at most about as many u as there are roundings on the longest way through
//! both, times the same expression on magnitudes (Higham 2002, section 3.1): never relative to a result, of which cancellation may leave nothing.

use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use plait_core::semiring::{Count, Line, Scaled, ScaledValue, Semiring, SignedLogValue};
use proptest::prelude::*;

/// 2^-53.
pub const U: f64 = f64::EPSILON / 2.0;

/// Roundings in a law of scalars: at most four on each side.
pub const SCALAR: f64 = 8.0;

/// Roundings in a law of first-order values: a product has three and a law at most two and a sum on each side; the closure has five.
pub const FIRST: f64 = 16.0;

/// Roundings in a law of second-order values: a product has five, the closure thirteen.
pub const SECOND: f64 = 40.0;

/// Doubles of all sizes and signs, with the ends of every range.
pub fn doubles() -> BoxedStrategy<f64> {
    let ends = vec![
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        5e-324,
        -5e-324,
        f64::MIN_POSITIVE,
        1.0 - U,
        1.0 + 2.0 * U,
        1e300,
        -1e300,
        1e-300,
    ];
    let sizes = (1.0..10.0_f64, -300..=300_i32, any::<bool>());
    let sized = sizes.prop_map(|(m, e, minus)| if minus { -m } else { m } * 10.0_f64.powi(e));
    prop_oneof![
        2 => proptest::sample::select(ends),
        2 => -2.0..2.0_f64,
        // Near 1 from below: closures are large.
        1 => (0..40_i32).prop_map(|n| 1.0 - 0.5_f64.powi(n)),
        // About where a term changes no bit of a sum.
        1 => (48..68_i32).prop_map(|n| 1.5 * 0.5_f64.powi(n)),
        3 => sized,
    ]
    .boxed()
}

/// Logarithms of weights: of all sizes up to a million, and -infinity.
pub fn logarithms() -> BoxedStrategy<f64> {
    prop_oneof![
        1 => Just(f64::NEG_INFINITY),
        1 => Just(0.0),
        3 => -5.0..5.0_f64,
        3 => -1e6..1e6_f64,
        2 => doubles().prop_filter("logarithms of weights in use", |x| x.abs() < 1e6),
    ]
    .boxed()
}

/// Whole numbers as doubles, which sums keep exact, and the zero of the semiring.
pub fn whole(zero: f64) -> BoxedStrategy<f64> {
    prop_oneof![1 => Just(zero), 9 => (-9..=9_i32).prop_map(f64::from)].boxed()
}

pub fn signed_logs() -> BoxedStrategy<SignedLogValue> {
    (logarithms(), any::<bool>())
        .prop_map(|(ln, minus)| SignedLogValue::new(ln, minus))
        .boxed()
}

pub fn scaled() -> BoxedStrategy<ScaledValue> {
    let sized = (doubles(), -100_000..100_000_i64);
    prop_oneof![
        doubles().prop_map(ScaledValue::from),
        sized.prop_map(|(m, e)| ScaledValue::new(m, e)),
    ]
    .boxed()
}

pub fn counts() -> BoxedStrategy<Count> {
    let large = any::<[u32; 3]>().prop_map(|digits| Count::Finite(BigUint::new(digits.to_vec())));
    prop_oneof![
        Just(Count::Infinite),
        (0..4_u64).prop_map(Count::from),
        large,
    ]
    .boxed()
}

/// Natural numbers of up to 64 bits, many near the end of them.
pub fn words() -> BoxedStrategy<u64> {
    let roots = (0..8_u64).prop_map(|n| (1 << 32) - 4 + n);
    let last = (0..4_u64).prop_map(|n| u64::MAX - n);
    prop_oneof![0..4_u64, any::<u64>(), roots, last].boxed()
}

pub fn rationals() -> BoxedStrategy<BigRational> {
    let small = (-6..=6_i64, 1..=6_i64);
    small
        .prop_map(|(n, d)| BigRational::new(BigInt::from(n), BigInt::from(d)))
        .boxed()
}

/// The product of what a subnormal error may still be multiplied with.
fn growth(inputs: impl IntoIterator<Item = f64>) -> f64 {
    inputs.into_iter().map(|x| x.abs().max(1.0)).product()
}

/// Doubles: relative to magnitudes, and by what underflow loses. Beyond their range nothing is said.
pub fn real(roundings: f64, found: f64, expected: f64, sizes: [f64; 2], inputs: &[f64]) -> bool {
    let size = sizes[0].max(sizes[1]);
    let lost = 5e-324 * growth(inputs.iter().copied());
    !size.is_finite() || (found - expected).abs() <= roundings * (U * size + lost)
}

/// The sum of the sizes of some logarithms: none that a law meets is larger.
fn reach(inputs: impl IntoIterator<Item = f64>) -> f64 {
    let sizes = inputs.into_iter().filter(|ln| ln.is_finite());
    sizes.map(f64::abs).sum::<f64>() + 1.0
}

/// Logarithms of magnitudes of the same sign.
pub fn log(roundings: f64, found: f64, expected: f64, inputs: &[f64]) -> bool {
    let bound = roundings * 2.0 * U * reach(inputs.iter().copied());
    found.total_cmp(&expected).is_eq() || (found - expected).abs() <= bound
}

/// Signed logarithms: as numbers, relative to the magnitudes, with the error of the logarithms.
pub fn signed_log(
    roundings: f64,
    [found, expected]: [SignedLogValue; 2],
    sizes: [SignedLogValue; 2],
    inputs: &[SignedLogValue],
) -> bool {
    let size = sizes[0].ln().max(sizes[1].ln());
    if size == f64::NEG_INFINITY {
        return found == expected;
    }
    let share = |x: SignedLogValue| SignedLogValue::new(x.ln() - size, x.is_negative()).to_f64();
    let bound = roundings * 2.0 * U * reach(inputs.iter().map(|x| x.ln()));
    (share(found) - share(expected)).abs() <= bound
}

/// Mantissas with wide exponents: relative to the magnitudes.
pub fn scaled_near(
    roundings: f64,
    found: ScaledValue,
    expected: ScaledValue,
    sizes: [ScaledValue; 2],
) -> bool {
    let size = Scaled.plus(&sizes[0], &sizes[1]);
    let difference = Scaled.plus(&found, &expected.negated());
    let allowed = Scaled.times(&size, &ScaledValue::from(roundings * U));
    Scaled.is_zero(&difference)
        || Scaled
            .plus(&allowed, &unsigned(&difference).negated())
            .mantissa()
            >= 0.0
}

/// The magnitude of a number.
pub fn unsigned(number: &ScaledValue) -> ScaledValue {
    ScaledValue::new(number.mantissa().abs(), number.exponent())
}

/// Whether envelopes of lines are the same function, up to rounding: at their corners, between and beyond which both are straight. Evaluation rounds, too.
pub fn same_functions(found: &[Line], expected: &[Line], inputs: &[Vec<Line>]) -> bool {
    if found.is_empty() || expected.is_empty() {
        return found.is_empty() && expected.is_empty();
    }
    let largest = |part: fn(&Line) -> f64| -> f64 {
        let of = |lines: &Vec<Line>| {
            lines
                .iter()
                .map(|line| part(line).abs())
                .fold(0.0, f64::max)
        };
        inputs.iter().map(of).sum()
    };
    let (slope, intercept) = (largest(|line| line.slope), largest(|line| line.intercept));
    let value = |lines: &[Line], x: f64| {
        let values = lines.iter().map(|line| line.slope * x + line.intercept);
        values.fold(f64::NEG_INFINITY, f64::max)
    };
    let corners = |lines: &[Line]| -> Vec<f64> {
        let pairs = lines.windows(2);
        pairs
            .map(|pair| (pair[0].intercept - pair[1].intercept) / (pair[1].slope - pair[0].slope))
            .collect()
    };
    let near = |x: f64| {
        let difference = (value(found, x) - value(expected, x)).abs();
        difference <= FIRST * U * (slope * x.abs() + intercept)
    };
    let ends = |lines: &[Line]| [lines[0].slope, lines[lines.len() - 1].slope];
    let mut slopes = ends(found).into_iter().zip(ends(expected));
    slopes.all(|(a, b)| (a - b).abs() <= FIRST * U * slope)
        && [0.0, 1.0]
            .into_iter()
            .chain(corners(found))
            .chain(corners(expected))
            .all(near)
}

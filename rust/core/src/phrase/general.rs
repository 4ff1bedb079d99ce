//! Numbers in text: whole ones, and real ones as C's `%g` writes them: six significant digits, no zeros at the end.

use std::io::Write;

/// Appends a whole number.
pub(super) fn write_whole(out: &mut Vec<u8>, value: usize) {
    // A number of 64 bits has at most 20 digits.
    let (mut digits, mut at, mut rest) = ([0; 20], 20, value);
    loop {
        at -= 1;
        // Below ten.
        digits[at] = b'0' + u8::try_from(rest % 10).unwrap_or(0);
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// Appends a number with six significant digits.
pub(super) fn write_general(out: &mut Vec<u8>, value: f64) {
    // Most probabilities are one.
    for (known, digit) in [(1.0, b'1'), (0.0, b'0')] {
        if value.total_cmp(&known).is_eq() {
            out.push(digit);
            return;
        }
    }
    match six_digits(value) {
        Some((digits, exponent)) => write_digits(out, digits, exponent),
        None => write_exactly(out, value),
    }
}

/// 10^n, exact for each.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// The six digits of a positive number as a whole one, and the power of ten of the first; none where a double cannot tell how to round.
fn six_digits(value: f64) -> Option<(u32, i32)> {
    if !(1e-4..1e6).contains(&value) {
        return None;
    }
    // How far the point moves so that six digits stand before it: 0 for 100000 to 999999.
    let places = (0..10).find(|&n| value * POWERS[n] >= 1e5)?;
    let scaled = value * POWERS[places];
    let whole = scaled.floor();
    let rest = scaled - whole;
    // The product is rounded once, by less than 2^-36 for numbers below 2^17 (2^-33 below 2^20); near a half only all digits tell.
    if (rest - 0.5).abs() < 1e-9 {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a whole number from 0 to 10^6"
    )]
    let digits = (whole + f64::from(u8::from(rest > 0.5))) as u32;
    let exponent = 5 - i32::try_from(places).ok()?;
    match digits {
        100_000..1_000_000 => Some((digits, exponent)),
        // Right below a power of ten.
        1_000_000 => Some((100_000, exponent + 1)),
        _ => None,
    }
}

/// Writes six digits whose first stands for a power of ten from -4 to 5; others have an exponent, which is seldom.
fn write_digits(out: &mut Vec<u8>, digits: u32, exponent: i32) {
    let mut text = [0; 6];
    let mut rest = digits;
    for place in text.iter_mut().rev() {
        // Below ten.
        *place = b'0' + u8::try_from(rest % 10).unwrap_or(0);
        rest /= 10;
    }
    let zeros = text
        .iter()
        .rev()
        .take_while(|&&digit| digit == b'0')
        .count();
    let kept = &text[..6 - zeros];
    match usize::try_from(exponent) {
        Ok(places @ 0..6) => {
            let before = places + 1;
            out.extend_from_slice(&text[..before]);
            if kept.len() > before {
                out.push(b'.');
                out.extend_from_slice(&kept[before..]);
            }
        }
        Ok(_) => {
            out.extend_from_slice(&kept[..1]);
            if kept.len() > 1 {
                out.push(b'.');
                out.extend_from_slice(&kept[1..]);
            }
            out.extend_from_slice(b"e+06");
        }
        Err(_) => {
            out.extend_from_slice(b"0.");
            out.extend((exponent + 1..0).map(|_| b'0'));
            out.extend_from_slice(kept);
        }
    }
}

/// The same for any number, by way of all its digits.
fn write_exactly(out: &mut Vec<u8>, value: f64) {
    if !value.is_finite() {
        out.extend_from_slice(if value.is_nan() {
            b"nan"
        } else if value > 0.0 {
            b"inf"
        } else {
            b"-inf"
        });
        return;
    }
    // One digit, a point, five digits, and the exponent after rounding.
    let scientific = format!("{value:.5e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let mantissa = without_zeros(mantissa);
    match usize::try_from(exponent) {
        Ok(places @ 0..6) => shifted_right(out, mantissa, places),
        Err(_) if exponent >= -4 => {
            let (sign, digits) = split_sign(mantissa);
            out.extend_from_slice(sign);
            out.extend_from_slice(b"0.");
            out.extend((exponent + 1..0).map(|_| b'0'));
            out.extend(digits.iter().filter(|&&digit| digit != b'.'));
        }
        _ => {
            out.extend_from_slice(mantissa.as_bytes());
            let sign = if exponent < 0 { '-' } else { '+' };
            // Writing to a vector cannot fail.
            let _ = write!(out, "e{sign}{:02}", exponent.abs());
        }
    }
}

/// A number with its point moved to the right.
fn shifted_right(out: &mut Vec<u8>, mantissa: &str, places: usize) {
    let (sign, digits) = split_sign(mantissa);
    out.extend_from_slice(sign);
    let mut digits = digits.iter().filter(|&&digit| digit != b'.');
    for _ in 0..=places {
        out.push(*digits.next().unwrap_or(&b'0'));
    }
    if let Some(&first) = digits.next() {
        out.extend_from_slice(&[b'.', first]);
        out.extend(digits);
    }
}

fn split_sign(number: &str) -> (&[u8], &[u8]) {
    let digits = number.strip_prefix('-').unwrap_or(number);
    number.as_bytes().split_at(number.len() - digits.len())
}

fn without_zeros(digits: &str) -> &str {
    if digits.contains('.') {
        digits.trim_end_matches('0').trim_end_matches('.')
    } else {
        digits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn both(value: f64) -> (String, String) {
        let (mut quick, mut exact) = (Vec::new(), Vec::new());
        write_general(&mut quick, value);
        write_exactly(&mut exact, value);
        (
            String::from_utf8(quick).unwrap(),
            String::from_utf8(exact).unwrap(),
        )
    }

    proptest! {
        #[test]
        fn digits_are_those_of_all_digits(value in 1e-6..2e6_f64, ratio in (1_u32..2000, 1_u32..2000), power in -8_i32..8) {
            let small = f64::from(ratio.0) / f64::from(ratio.1);
            let near = f64::from(ratio.0) * 10_f64.powi(power) * (1.0 - f64::EPSILON * f64::from(ratio.1));
            for number in [value, value / 1e6, small, near, f64::from(numeric_single(small))] {
                let (quick, exact) = both(number);
                prop_assert_eq!(quick, exact);
            }
        }

        #[test]
        fn whole_numbers_have_their_digits(value: usize) {
            let mut out = Vec::new();
            write_whole(&mut out, value);
            prop_assert_eq!(String::from_utf8(out).unwrap(), value.to_string());
        }
    }

    fn numeric_single(value: f64) -> f32 {
        crate::numeric::to_f32(value)
    }

    #[test]
    fn halves_are_rounded_to_even_and_powers_of_ten_stay() {
        for value in [
            0.001_953_125,
            0.5,
            0.1,
            0.000_1,
            999_999.5,
            0.999_999_5,
            99_999.95,
            0.000_099_999_95,
            1e5,
            123_456.5,
            0.062_5,
        ] {
            let (quick, exact) = both(value);
            assert_eq!(quick, exact);
        }
    }

    #[test]
    fn numbers_look_as_in_c() {
        for (value, expected) in [
            (1.0, "1"),
            (0.75, "0.75"),
            (1.0 / 3.0, "0.333333"),
            (2.0 / 3.0, "0.666667"),
            (0.000_352_609_31, "0.000352609"),
            (0.000_012_345_678, "1.23457e-05"),
            (999_999.5, "1e+06"),
            (123_456.0, "123456"),
            (1_234_567.0, "1.23457e+06"),
            (1e-300, "1e-300"),
            (100.0, "100"),
            (-0.5, "-0.5"),
            (-12.5, "-12.5"),
            (0.05, "0.05"),
            (0.000_123_456_7, "0.000123457"),
            (99.999_99, "100"),
            (12.345_67, "12.3457"),
            (0.0, "0"),
            (0.001_953_125, "0.00195312"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            let mut out = Vec::new();
            write_general(&mut out, value);
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }
}

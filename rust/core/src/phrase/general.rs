//! Numbers in text: whole ones, and real ones as C's `%g` writes them: six significant digits, no zeros at the end.

use std::io::Write;

/// Appends a whole number.
pub(super) fn write_whole(out: &mut Vec<u8>, value: usize) {
    match u8::try_from(value) {
        Ok(digit @ 0..10) => out.push(b'0' + digit),
        _ => out.extend_from_slice(value.to_string().as_bytes()),
    }
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
    if (-4..6).contains(&exponent) {
        let places = usize::try_from(5 - exponent).unwrap_or(0);
        let fixed = format!("{value:.places$}");
        out.extend_from_slice(without_zeros(&fixed).as_bytes());
    } else {
        out.extend_from_slice(without_zeros(mantissa).as_bytes());
        let sign = if exponent < 0 { '-' } else { '+' };
        // Writing to a vector cannot fail.
        let _ = write!(out, "e{sign}{:02}", exponent.abs());
    }
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

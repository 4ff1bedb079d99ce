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

//! Real numbers as text, in the forms that other tools write.

use std::io::Write;

/// How a number is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberFormat {
    /// This many digits after the point, correctly rounded, ties to even: C's `%.7f`.
    Fixed(u8),
    /// Six significant digits, as an exponent when it is below -4 or above 5, without zeros at the end: C's `%g`.
    General,
    /// The fewest digits that read back as the same double.
    Shortest,
    /// The fewest digits that read back as the same single-precision number.
    ShortestSingle,
}

/// Appends a finite number.
pub(crate) fn push(out: &mut Vec<u8>, value: f64, format: NumberFormat) {
    // Writing to a vector does not fail.
    let _ = match format {
        NumberFormat::Fixed(digits) => write!(out, "{value:.*}", usize::from(digits)),
        NumberFormat::General => {
            general(out, value);
            Ok(())
        }
        NumberFormat::Shortest if has_plain_form(value) => write!(out, "{value}"),
        NumberFormat::Shortest => write!(out, "{value:e}"),
        NumberFormat::ShortestSingle => {
            let single = crate::numeric::to_f32(value);
            if has_plain_form(value) {
                write!(out, "{single}")
            } else {
                write!(out, "{single:e}")
            }
        }
    };
}

/// Whether the number is short without an exponent.
fn has_plain_form(value: f64) -> bool {
    value == 0.0 || (1e-5..1e16).contains(&value.abs())
}

/// C's `%g` with its default precision of six digits.
fn general(out: &mut Vec<u8>, value: f64) {
    const DIGITS: i32 = 6;
    // Rounded to six digits first: the exponent of the rounded number decides the form.
    let scientific = format!("{value:.5e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..DIGITS).contains(&exponent) {
        let digits = usize::try_from(DIGITS - 1 - exponent).unwrap_or(0);
        out.extend_from_slice(without_zeros(&format!("{value:.digits$}")).as_bytes());
    } else {
        out.extend_from_slice(without_zeros(mantissa).as_bytes());
        let sign = if exponent < 0 { '-' } else { '+' };
        let _ = write!(out, "e{sign}{:02}", exponent.unsigned_abs());
    }
}

/// A number without zeros at the end of its fraction, and without a point that ends it.
fn without_zeros(number: &str) -> &str {
    if number.contains('.') {
        number.trim_end_matches('0').trim_end_matches('.')
    } else {
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: f64, format: NumberFormat) -> String {
        let mut out = Vec::new();
        push(&mut out, value, format);
        String::from_utf8(out).expect("digits")
    }

    #[test]
    fn general_numbers_are_those_of_printf() {
        // Printed by C's printf("%g").
        for (value, want) in [
            (0.0, "0"),
            (1.0, "1"),
            (0.5, "0.5"),
            (100_000.0, "100000"),
            (999_999.0, "999999"),
            (999_999.5, "1e+06"),
            (1_000_000.0, "1e+06"),
            (1_234_567.0, "1.23457e+06"),
            (0.0001, "0.0001"),
            (0.000_099_999_99, "0.0001"),
            (0.000_012_345, "1.2345e-05"),
            (1.0 / 3.0, "0.333333"),
            (1e100, "1e+100"),
            (1e-300, "1e-300"),
            (123_456.5, "123456"),
            (123_457.5, "123458"),
        ] {
            assert_eq!(text(value, NumberFormat::General), want);
        }
    }

    #[test]
    fn fixed_numbers_round_ties_to_even_as_printf_does() {
        assert_eq!(text(1.0 / 256.0, NumberFormat::Fixed(7)), "0.0039062");
        assert_eq!(text(3.0 / 256.0, NumberFormat::Fixed(7)), "0.0117188");
        assert_eq!(text(1.0, NumberFormat::Fixed(7)), "1.0000000");
        assert_eq!(text(1e-9, NumberFormat::Fixed(7)), "0.0000000");
    }

    #[test]
    fn shortest_numbers_read_back_as_they_were() {
        for value in [
            0.0,
            1.0,
            0.1,
            1.0 / 3.0,
            1e-5,
            9.9e-6,
            1e15,
            1e16,
            5e-324,
            f64::MAX,
        ] {
            assert_eq!(text(value, NumberFormat::Shortest).parse(), Ok(value));
        }
        for value in [0.1_f32, 1.0 / 3.0, 16_777_217.0, 1e-45, f32::MAX] {
            let written = text(f64::from(value), NumberFormat::ShortestSingle);
            assert_eq!(written.parse(), Ok(value));
        }
        assert_eq!(text(1e-7, NumberFormat::Shortest), "1e-7");
        assert_eq!(
            text(f64::from(0.1_f32), NumberFormat::ShortestSingle),
            "0.1"
        );
    }
}

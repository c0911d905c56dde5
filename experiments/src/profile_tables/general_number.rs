//! Numbers as C prints them by `%G`: so many digits that tell something, and an exponent where there would be too many others.

/// With so many digits.
pub(super) fn general(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}").to_uppercase();
    }
    let scientific = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let limit = i32::try_from(digits).unwrap_or(i32::MAX);
    if (-4..limit).contains(&exponent) {
        let decimals = usize::try_from(limit - 1 - exponent).unwrap_or(0);
        return trimmed(&format!("{value:.decimals$}"));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}E{sign}{:02}", trimmed(mantissa), exponent.unsigned_abs())
}

/// Without zeros at the end that say nothing.
fn trimmed(number: &str) -> String {
    match number.contains('.') {
        true => number.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => number.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_c() {
        let six = [0.0, 1.0, 4_654.0, 12_500.125, 0.014_084_5, 1e6, 4_202_410.0, 1.5e-5, 999_999.5]
            .map(|value| general(value, 6));
        let expected =
            ["0", "1", "4654", "12500.1", "0.0140845", "1E+06", "4.20241E+06", "1.5E-05", "1E+06"];
        assert_eq!(six, expected);
        let four = [160_000.0, 91_340.0, 0.181_8, 13.2, -2.5].map(|value| general(value, 4));
        assert_eq!(four, ["1.6E+05", "9.134E+04", "0.1818", "13.2", "-2.5"]);
    }
}

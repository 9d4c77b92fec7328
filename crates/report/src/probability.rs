//! Probabilities and shares in words.

use crate::text::GLUE;

/// A share as a percentage without needless zeros: `2 %`, `0.25 %`.
pub(crate) fn share(share: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", share * 100.0);
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => text.as_str(),
    };
    format!("{text}{GLUE}%")
}

/// `p = 0.031`, two digits of it, down to `p < 0.001`.
pub(crate) fn p_value(p: f64) -> String {
    match p {
        p if p < 0.001 => format!("p{GLUE}<{GLUE}0.001"),
        p if p < 0.0995 => format!("p{GLUE}={GLUE}{p:.3}"),
        p => format!("p{GLUE}={GLUE}{p:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_digits_as_say_something() {
        let plain = |text: String| text.replace(GLUE, " ");
        for (p, text) in [
            (1.0, "p = 1.00"),
            (0.21875, "p = 0.22"),
            (0.0999, "p = 0.10"),
            (0.03125, "p = 0.031"),
            (0.001, "p = 0.001"),
            (0.000_999, "p < 0.001"),
            (f64::MIN_POSITIVE, "p < 0.001"),
        ] {
            assert_eq!(plain(p_value(p)), text);
        }
        for (value, decimals, text) in [
            (0.02, 2, "2 %"),
            (0.0025, 2, "0.25 %"),
            (0.96875, 1, "96.9 %"),
            (0.5, 0, "50 %"),
            (1.0, 1, "100 %"),
        ] {
            assert_eq!(plain(share(value, decimals)), text);
        }
    }
}

//! The few numbers by which a series is shown. Verdicts are not made here.

/// The middle value; of an even number the mean of the middle two, rounded down. 0 of nothing.
pub(crate) fn median(values: &[u64]) -> u64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    match (sorted.len(), sorted.len() / 2) {
        (0, _) => 0,
        (n, at) if n % 2 == 1 => sorted[at],
        (_, at) => sorted[at - 1].midpoint(sorted[at]),
    }
}

/// The arithmetic mean; 0 of nothing.
#[expect(clippy::cast_precision_loss, reason = "a handful of values")]
pub(crate) fn mean(values: &[f64]) -> f64 {
    match values.len() {
        0 => 0.0,
        n => values.iter().sum::<f64>() / n as f64,
    }
}

/// The standard deviation of a sample (with n - 1); `None` below two values.
#[expect(clippy::cast_precision_loss, reason = "a handful of values")]
pub(crate) fn deviation(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_has_a_middle_and_a_width() {
        assert_eq!(median(&[]), 0);
        assert_eq!(median(&[5]), 5);
        assert_eq!(median(&[9, 1, 4]), 4);
        assert_eq!(median(&[9, 1, 4, 6]), 5);
        assert_eq!(median(&[u64::MAX, u64::MAX]), u64::MAX);
        assert!((mean(&[1.0, 2.0, 6.0]) - 3.0).abs() < 1e-12);
        assert_eq!(deviation(&[1.0]), None);
        assert!(
            (deviation(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap() - 2.138_089_935).abs()
                < 1e-9
        );
    }
}

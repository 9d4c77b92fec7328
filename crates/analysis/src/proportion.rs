//! The interval of a proportion: k of n.

use statrs::distribution::{Beta, ContinuousCDF};

/// The exact interval of a probability of which `k` cases in `n` were seen (Clopper & Pearson
/// 1934): it covers the truth at least with the probability `confidence`. Of no cases at all it is
/// 0 to 1.
#[must_use]
pub fn interval(k: u32, n: u32, confidence: f64) -> (f64, f64) {
    let tail = (1.0 - confidence) / 2.0;
    let (hits, misses) = (f64::from(k), f64::from(n.saturating_sub(k)));
    let low = if k == 0 { 0.0 } else { beta_quantile(hits, misses + 1.0, tail).unwrap_or(0.0) };
    let high =
        if k >= n { 1.0 } else { beta_quantile(hits + 1.0, misses, 1.0 - tail).unwrap_or(1.0) };
    (low, high)
}

fn beta_quantile(a: f64, b: f64, quantile: f64) -> Option<f64> {
    Beta::new(a, b).ok().map(|law| law.inverse_cdf(quantile))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The probability of at most `k` hits of `n`, term by term.
    fn at_most(k: u32, n: u32, p: f64) -> f64 {
        let mut term = (1.0 - p).powf(f64::from(n));
        let mut sum = term;
        for hit in 1..=k {
            term *= f64::from(n - hit + 1) / f64::from(hit) * p / (1.0 - p);
            sum += term;
        }
        sum
    }

    #[test]
    fn known_values() {
        // No hit: 1 - 0.025^(1/n); of 20 that is 0.1684.
        let (low, high) = interval(0, 20, 0.95);
        assert_eq!(low, 0.0);
        assert!((high - (1.0 - 0.025_f64.powf(1.0 / 20.0))).abs() < 1e-9, "{high}");
        let (low, high) = interval(3, 10, 0.95);
        assert!((low - 0.066_74).abs() < 1e-5 && (high - 0.652_45).abs() < 1e-5, "{low} {high}");
        assert_eq!(interval(0, 0, 0.95), (0.0, 1.0));
        assert_eq!(interval(7, 7, 0.95).1, 1.0);
    }

    #[test]
    fn its_ends_leave_half_the_error_in_each_tail() {
        for (k, n) in [(1, 10), (5, 48), (12, 24), (10, 200), (1, 1000)] {
            let (low, high) = interval(k, n, 0.95);
            assert!((at_most(k, n, high) - 0.025).abs() < 1e-7, "{k} of {n}: {high}");
            assert!((1.0 - at_most(k - 1, n, low) - 0.025).abs() < 1e-7, "{k} of {n}: {low}");
        }
    }
}

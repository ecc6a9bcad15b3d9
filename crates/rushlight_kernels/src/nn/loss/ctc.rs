//! The forward recursion of connectionist temporal classification.

use rushlight_tensor::watch;

/// Fills the forward variables of one sample and returns its negative log likelihood. States alternate between blanks
/// and labels.
pub fn forward(
    alpha: &mut [f64],
    width: usize,
    labels: &[i64],
    steps: usize,
    blank: i64,
    score: impl Fn(usize, i64) -> f64,
) -> f64 {
    let states = 2 * labels.len() + 1;
    let class = |s: usize| {
        if s.is_multiple_of(2) {
            blank
        } else {
            labels[s / 2]
        }
    };
    if steps == 0 {
        return if labels.is_empty() {
            0.0
        } else {
            f64::INFINITY
        };
    }
    alpha[0] = score(0, blank);
    if states > 1 {
        alpha[1] = score(0, labels[0]);
    }
    for t in 1..steps {
        watch::poll();
        for s in 0..states {
            let last = |back: usize| alpha[(t - 1) * width + s - back];
            let stay = last(0);
            let step = if s >= 1 { last(1) } else { f64::NEG_INFINITY };
            let jump = s >= 2 && class(s) != blank && class(s) != class(s - 2);
            let skip = if jump { last(2) } else { f64::NEG_INFINITY };
            alpha[t * width + s] = log_sum(&[stay, step, skip]) + score(t, class(s));
        }
    }
    let end = (steps - 1) * width;
    let before = if states > 1 {
        alpha[end + states - 2]
    } else {
        f64::NEG_INFINITY
    };
    -log_sum(&[alpha[end + states - 1], before])
}

/// The logarithm of a sum of exponentials.
fn log_sum(terms: &[f64]) -> f64 {
    let top = terms.iter().fold(f64::NEG_INFINITY, |m, v| m.max(*v));
    if top == f64::NEG_INFINITY {
        return top;
    }
    top + terms.iter().map(|v| (v - top).exp()).sum::<f64>().ln()
}

//! The forward recursion of connectionist temporal classification.

use rushlight_tensor::{memory, watch};

/// A sample: the classes of its labels, its steps, and the class that is no label.
#[derive(Clone, Copy)]
pub struct Sample<'a> {
    pub labels: &'a [i64],
    pub steps: usize,
    pub blank: i64,
}

impl Sample<'_> {
    /// What a state stands for: states alternate between blanks and labels.
    fn class(&self, state: usize) -> i64 {
        match state % 2 {
            0 => self.blank,
            _ => self.labels[state / 2],
        }
    }
}

/// Fills the forward variables of one sample and returns its negative log likelihood.
pub fn forward(
    alpha: &mut [f64],
    width: usize,
    sample: Sample<'_>,
    score: impl Fn(usize, i64) -> f64,
) -> f64 {
    let Sample {
        labels,
        steps,
        blank,
    } = sample;
    let states = 2 * labels.len() + 1;
    let class = |s: usize| sample.class(s);
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

/// Gives the probability of every state at every step, under a labelling of this negative log likelihood, to `put`, with
/// the step and the class. `alpha` are the forward variables, `score` is as in [`forward`].
pub fn posterior(
    alpha: &[f64],
    width: usize,
    sample: Sample<'_>,
    loss: f64,
    score: &dyn Fn(usize, i64) -> f64,
    put: &mut dyn FnMut(usize, i64, f64),
) {
    let states = 2 * sample.labels.len() + 1;
    let class = |s: usize| sample.class(s);
    // The logarithms of what comes after a step, by state.
    let mut rest = memory::filled(states, f64::NEG_INFINITY);
    rest[states.saturating_sub(2)..].fill(0.0);
    for t in (0..sample.steps).rev() {
        watch::poll();
        if t + 1 < sample.steps {
            for s in 0..states {
                let ahead = |to: usize| match to < states {
                    true => rest[to] + score(t + 1, class(to)),
                    false => f64::NEG_INFINITY,
                };
                let jump =
                    s + 2 < states && class(s + 2) != sample.blank && class(s + 2) != class(s);
                let skip = if jump {
                    ahead(s + 2)
                } else {
                    f64::NEG_INFINITY
                };
                rest[s] = log_sum(&[ahead(s), ahead(s + 1), skip]);
            }
        }
        for s in 0..states {
            let share = (alpha[t * width + s] + rest[s] + loss).exp();
            if share > 0.0 {
                put(t, class(s), share);
            }
        }
    }
}

/// The logarithm of a sum of exponentials.
#[inline(never)]
fn log_sum(terms: &[f64]) -> f64 {
    let top = terms.iter().fold(f64::NEG_INFINITY, |m, v| m.max(*v));
    if top == f64::NEG_INFINITY {
        return top;
    }
    top + terms.iter().map(|v| (v - top).exp()).sum::<f64>().ln()
}

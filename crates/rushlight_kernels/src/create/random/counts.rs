//! Numbers of events: Poisson and binomial draws.

use rushlight_tensor::Generator;

/// Draws of one number give up after this many rejections; no stream of real numbers gets there.
const MOST_DRAWS: usize = 1 << 24;

/// A number of events with this mean.
pub fn one_poisson(g: &mut Generator, mean: f64) -> f64 {
    if mean.is_nan() || mean.is_infinite() {
        return mean;
    }
    if mean >= 10.0 {
        return large_poisson(g, mean);
    }
    if mean == 0.0 {
        return 0.0;
    }
    let floor = (-mean).exp();
    let (mut count, mut product) = (0.0, 1.0);
    loop {
        product *= g.uniform_f64();
        if product <= floor {
            return count;
        }
        count += 1.0;
    }
}

fn large_poisson(g: &mut Generator, mean: f64) -> f64 {
    let (root, log_mean) = (mean.sqrt(), mean.ln());
    let b = 0.931 + 2.53 * root;
    let a = -0.059 + 0.02483 * b;
    let inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
    let sure = 0.9277 - 3.6224 / (b - 2.0);
    for _ in 0..MOST_DRAWS {
        let u = g.uniform_f64() - 0.5;
        let v = g.uniform_f64();
        let side = 0.5 - u.abs();
        let k = ((2.0 * a / side + b) * u + mean + 0.43).floor();
        if side >= 0.07 && v <= sure {
            return k;
        }
        if k < 0.0 || (side < 0.013 && v > side) {
            continue;
        }
        let left = v.ln() + inverse_alpha.ln() - (a / (side * side) + b).ln();
        if left <= -mean + k * log_mean - ln_factorial(k) {
            return k;
        }
    }
    mean.floor()
}

/// The logarithm of `k!` for a whole number.
fn ln_factorial(k: f64) -> f64 {
    if k < 32.0 {
        return (2..=k as u32).map(|i| f64::from(i).ln()).sum();
    }
    let n = k + 1.0;
    let series = 1.0 / (12.0 * n) - 1.0 / (360.0 * n.powi(3)) + 1.0 / (1260.0 * n.powi(5));
    (n - 0.5) * n.ln() - n + 0.5 * (2.0 * std::f64::consts::PI).ln() + series
}

/// How many of `count` trials succeed, each with this chance.
pub fn one_binomial(g: &mut Generator, count: f64, chance: f64) -> f64 {
    if count <= 0.0 || chance <= 0.0 {
        0.0
    } else if chance >= 1.0 {
        count
    } else if chance <= 0.5 {
        likely_few(g, count, chance)
    } else if chance > 0.5 {
        count - likely_few(g, count, 1.0 - chance)
    } else {
        f64::NAN
    }
}

fn likely_few(g: &mut Generator, count: f64, chance: f64) -> f64 {
    if count * chance >= 10.0 {
        large_binomial(g, count, chance)
    } else {
        small_binomial(g, count, chance)
    }
}

/// Counts how many geometric gaps fit.
fn small_binomial(g: &mut Generator, count: f64, chance: f64) -> f64 {
    let log_miss = (-chance).ln_1p();
    let (mut position, mut hits) = (0.0, 0.0);
    loop {
        position += (g.uniform_f64().ln() / log_miss).ceil();
        if position > count || position.is_nan() {
            return hits;
        }
        hits += 1.0;
    }
}

fn large_binomial(g: &mut Generator, count: f64, chance: f64) -> f64 {
    let spread = (count * chance * (1.0 - chance)).sqrt();
    let b = 1.15 + 2.53 * spread;
    let a = -0.0873 + 0.0248 * b + 0.01 * chance;
    let c = count * chance + 0.5;
    let sure = 0.92 - 4.2 / b;
    let odds = chance / (1.0 - chance);
    let alpha = (2.83 + 5.1 / b) * spread;
    let mode = ((count + 1.0) * chance).floor();
    for _ in 0..MOST_DRAWS {
        let u = g.uniform_f64() - 0.5;
        let v = g.uniform_f64();
        let side = 0.5 - u.abs();
        let k = ((2.0 * a / side + b) * u + c).floor();
        if k < 0.0 || k > count {
            continue;
        }
        if side >= 0.07 && v <= sure {
            return k;
        }
        let left = (v * alpha / (a / (side * side) + b)).ln();
        let right = (mode + 0.5) * ((mode + 1.0) / (odds * (count - mode + 1.0))).ln()
            + (count + 1.0) * ((count - mode + 1.0) / (count - k + 1.0)).ln()
            + (k + 0.5) * (odds * (count - k + 1.0) / (k + 1.0)).ln()
            + stirling_tail(mode)
            + stirling_tail(count - mode)
            - stirling_tail(k)
            - stirling_tail(count - k);
        if left <= right {
            return k;
        }
    }
    mode
}

/// What Stirling's formula leaves out of `ln k!`.
fn stirling_tail(k: f64) -> f64 {
    const FIRST: [f64; 10] = [
        0.081_061_466_795_327_8,
        0.041_340_695_955_409_3,
        0.027_677_925_684_998_3,
        0.020_790_672_103_765_1,
        0.016_644_691_189_821_2,
        0.013_876_128_823_070_7,
        0.011_896_709_945_891_8,
        0.010_411_265_261_972_1,
        0.009_255_462_182_712_73,
        0.008_330_563_433_362_87,
    ];
    if k <= 9.0 {
        return FIRST[k.max(0.0) as usize];
    }
    let n = k + 1.0;
    let square = n * n;
    (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / 1260.0 / square) / square) / n
}

//! The incomplete gamma functions: a series below the bend at `x = a`, a continued fraction above it, and near the bend,
//! where both take as many terms as the square root of `a`, Temme's uniform expansion (DLMF 8.12).

use rushlight_tensor::special::error::erfc;
use rushlight_tensor::special::gamma::lgamma;
use rushlight_tensor::watch::poll;
use std::f64::consts::TAU;

/// Terms after which a series is taken as it is; away from the bend none needs so many.
const MOST_TERMS: u32 = 10_000;

/// The regularised lower incomplete gamma function `P(a, x)`.
pub fn igamma(a: f64, x: f64) -> f64 {
    match edges(a, x) {
        Some(lower) => lower,
        None if is_near(a, x) => tails_near(a, x).0,
        None if x > 1.0 && x > a => 1.0 - upper_fraction(a, x),
        None => lower_series(a, x),
    }
}

/// The regularised upper incomplete gamma function `Q(a, x) = 1 - P(a, x)`.
pub fn igammac(a: f64, x: f64) -> f64 {
    match edges(a, x) {
        Some(lower) => 1.0 - lower,
        None if is_near(a, x) => tails_near(a, x).1,
        None if x > 1.0 && x > a => upper_fraction(a, x),
        None => 1.0 - lower_series(a, x),
    }
}

/// `P(a, x)` where it needs no computation.
fn edges(a: f64, x: f64) -> Option<f64> {
    if a < 0.0 || x < 0.0 {
        return Some(f64::NAN);
    }
    if a == 0.0 {
        return Some(if x > 0.0 { 1.0 } else { f64::NAN });
    }
    if x == 0.0 {
        return Some(0.0);
    }
    match (a.is_infinite(), x.is_infinite()) {
        (true, true) => Some(f64::NAN),
        // Whatever x is, NaN included.
        (true, false) => Some(0.0),
        (false, true) => Some(1.0),
        _ => (a.is_nan() || x.is_nan()).then_some(f64::NAN),
    }
}

/// `x^a e^-x / Γ(a)`.
fn front(a: f64, x: f64) -> f64 {
    (a * x.ln() - x - lgamma(a)).exp()
}

fn lower_series(a: f64, x: f64) -> f64 {
    let (mut term, mut sum, mut n) = (1.0 / a, 1.0 / a, a);
    for i in 0..MOST_TERMS {
        if i % 64 == 63 {
            poll();
        }
        n += 1.0;
        term *= x / n;
        sum += term;
        if term.abs() < sum.abs() * 1e-17 {
            break;
        }
    }
    sum * front(a, x)
}

/// Lentz's evaluation of the continued fraction.
fn upper_fraction(a: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / TINY;
    let mut d = 1.0 / b;
    let mut h = d;
    for i in 1..MOST_TERMS {
        if i % 64 == 0 {
            poll();
        }
        let i = i as f64;
        let an = -i * (i - a);
        b += 2.0;
        d = an * d + b;
        d = 1.0 / if d.abs() < TINY { TINY } else { d };
        c = b + an / c;
        c = if c.abs() < TINY { TINY } else { c };
        h *= d * c;
        if (d * c - 1.0).abs() < 1e-16 {
            break;
        }
    }
    h * front(a, x)
}

/// Whether Temme's expansion holds.
fn is_near(a: f64, x: f64) -> bool {
    a > 200.0 && (x - a).abs() < 0.3 * a
}

/// Both regularised functions near the bend: with `x / a = 1 + μ` and `η² / 2 = μ - ln(1 + μ)` they are half an `erfc` of
/// `η √(a/2)` and, with opposite signs, `exp(-a η² / 2) / √(2πa)` times a sum of powers of `1 / a` and `η`.
fn tails_near(a: f64, x: f64) -> (f64, f64) {
    let mu = (x - a) / a;
    let half = less_its_logarithm(mu);
    let eta = (2.0 * half).sqrt().copysign(mu);
    let horner = |sum: f64, c: &f64| sum * eta + c;
    let row = |terms: &&[f64]| terms.iter().rev().fold(0.0, horner);
    let sum = TERMS
        .iter()
        .rev()
        .fold(0.0, |sum, terms| sum / a + row(terms));
    let rest = (-a * half).exp() / (TAU * a).sqrt() * sum;
    let bend = eta * (a / 2.0).sqrt();
    (0.5 * erfc(-bend) - rest, 0.5 * erfc(bend) + rest)
}

/// `x - ln(1 + x)`, also where both are nearly the same.
fn less_its_logarithm(x: f64) -> f64 {
    if x.abs() > 0.1 {
        return x - x.ln_1p();
    }
    let (mut power, mut sum) = (x, 0.0);
    for k in 2..20 {
        power *= -x;
        sum -= power / f64::from(k);
    }
    sum
}

/// The coefficients of the expansion: a row for each power of `1 / a`, in it one for each power of `η`. They follow from
/// `c₀ = 1/μ - 1/η` and `cₖ = c'ₖ₋₁ / η + (-1)ᵏ gₖ / μ`, with Stirling's coefficients `gₖ`.
const TERMS: [&[f64]; 6] = [
    &[
        -0.333_333_333_333_333_3,
        0.083_333_333_333_333_33,
        -0.014_814_814_814_814_815,
        0.001_157_407_407_407_407_3,
        0.000_352_733_686_067_019_4,
        -0.000_178_755_144_032_921_8,
        3.919_263_178_522_438e-05,
        -2.185_448_510_679_992e-06,
        -1.854_062_210_715_16e-06,
        8.296_711_340_953_087e-07,
        -1.766_595_273_682_607_8e-07,
        6.707_853_543_401_498e-09,
        1.026_180_978_424_030_9e-08,
        -4.382_036_018_453_353e-09,
        9.147_699_582_236_79e-10,
        -2.551_419_399_494_624_8e-11,
        -5.830_772_132_550_426e-11,
        2.436_194_802_066_741_5e-11,
        -5.027_669_280_114_175_5e-12,
        1.100_439_203_195_613_5e-13,
    ],
    &[
        -0.001_851_851_851_851_852,
        -0.003_472_222_222_222_222,
        0.002_645_502_645_502_645_4,
        -0.000_990_226_337_448_559_6,
        0.000_205_761_316_872_427_98,
        -4.018_775_720_164_609e-07,
        -1.809_855_033_448_997_7e-05,
        7.649_160_916_081_11e-06,
        -1.612_090_089_456_344_6e-06,
        4.647_127_802_807_434e-09,
        1.378_633_446_915_721e-07,
        -5.752_545_603_517_705e-08,
        1.195_162_859_977_814_8e-08,
        -1.754_324_171_974_764_7e-11,
        -1.009_154_371_060_041_3e-09,
        4.162_792_991_842_583e-10,
    ],
    &[
        0.004_133_597_883_597_883,
        -0.002_681_327_160_493_827_3,
        0.000_771_604_938_271_604_9,
        2.009_387_860_082_304_7e-06,
        -0.000_107_366_532_263_651_6,
        5.292_344_882_912_012_5e-05,
        -1.276_063_518_861_872_8e-05,
        3.423_578_734_096_138e-08,
        1.372_195_730_906_293_4e-06,
        -6.298_992_138_380_055e-07,
        1.428_061_420_606_424_2e-07,
        -2.047_709_842_199_086_6e-10,
        -1.409_252_991_086_752e-08,
    ],
    &[
        0.000_649_434_156_378_600_8,
        0.000_229_472_093_621_399_17,
        -0.000_469_189_494_395_255_7,
        0.000_267_720_632_062_838_85,
        -7.561_801_671_883_977e-05,
        -2.396_505_113_867_297e-07,
        1.108_265_411_534_730_2e-05,
        -5.674_952_826_991_596_5e-06,
        1.423_090_073_243_588_3e-06,
        -2.786_108_029_152_814_3e-11,
    ],
    &[
        -0.000_861_888_290_916_711_7,
        0.000_784_039_221_720_066_6,
        -0.000_299_072_480_303_190_2,
        -1.463_845_257_884_341_8e-06,
        6.641_498_215_465_122e-05,
        -3.968_365_047_179_435e-05,
        1.137_572_697_067_841_9e-05,
        2.507_497_226_237_533e-10,
    ],
    &[
        -0.000_336_798_553_366_358_13,
        -6.972_813_758_365_857e-05,
        0.000_277_275_324_495_939_2,
        -0.000_199_325_705_161_888_47,
        6.797_780_477_937_208e-05,
        1.419_062_920_643_967e-07,
    ],
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Values from 40-digit evaluation.
    #[test]
    fn both_functions_are_exact_on_both_sides_of_the_bend() {
        for (a, x, lower, upper) in [
            (0.5, 0.1, 0.345_279_153_981_423, 0.654_720_846_018_577),
            (3.0, 2.0, 0.323_323_583_816_936_54, 0.676_676_416_183_063_5),
            (
                25.0,
                20.0,
                0.156_772_621_826_237_72,
                0.843_227_378_173_762_3,
            ),
            (25.0, 30.0, 0.842_757_972_761_608_4, 0.157_242_027_238_391_6),
            (
                100.0,
                100.0,
                0.513_298_798_279_148_7,
                0.486_701_201_720_851_35,
            ),
            (
                300.0,
                310.0,
                0.722_488_754_171_861_1,
                0.277_511_245_828_138_9,
            ),
            (
                201.0,
                150.0,
                4.205_885_786_379_841e-05,
                0.999_957_941_142_136_2,
            ),
            (
                1000.0,
                1000.0,
                0.504_205_244_180_215_5,
                0.495_794_755_819_784_5,
            ),
            (
                1000.0,
                1100.0,
                0.998_940_676_746_07,
                0.001_059_323_253_929_977_3,
            ),
            (
                100_000.0,
                100_000.0,
                0.500_420_522_110_365_1,
                0.499_579_477_889_634_8,
            ),
            (
                100_000.0,
                99_000.0,
                0.000_757_419_921_174_767_9,
                0.999_242_580_078_825_3,
            ),
            (
                100_000_000.0,
                100_000_000.0,
                0.500_013_298_076_014_1,
                0.499_986_701_923_985_87,
            ),
            (
                100_000_000.0,
                100_020_000.0,
                0.977_244_469_225_144_9,
                0.022_755_530_774_855_204,
            ),
        ] {
            let close = |got: f64, want: f64| (got - want).abs() <= 2e-13 * want.abs().max(1e-3);
            assert!(close(igamma(a, x), lower), "P({a}, {x}) = {}", igamma(a, x));
            assert!(
                close(igammac(a, x), upper),
                "Q({a}, {x}) = {}",
                igammac(a, x)
            );
        }
    }
}

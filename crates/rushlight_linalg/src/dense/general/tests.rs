//! What eigenvalues and eigenvectors have to be.

use super::super::matrix::{Dense, Mat};
use super::eigen;
use rushlight_tensor::Complex64;

/// Numbers that follow no pattern, from -1 to 1.
fn numbers(seed: usize) -> impl FnMut() -> f64 {
    let mut state = seed as u64;
    move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

fn real(n: usize, f: impl Fn(usize, usize) -> f64) -> Dense {
    Dense::Real(Mat::from_fn(n, n, f))
}

fn random(n: usize) -> [Dense; 2] {
    let mut next = numbers(n);
    let elements = (0..n * n).map(|_| next()).collect();
    let complex = (0..n * n).map(|_| Complex64::new(next(), next())).collect();
    [
        Dense::Real(Mat::new(n, n, elements)),
        Dense::Complex(Mat::new(n, n, complex)),
    ]
}

/// By how much `A v` differs from `λ v`, at most; vectors have length one.
fn residual(a: &Dense) -> f64 {
    let n = a.rows();
    let own = eigen(a, true).unwrap_or_else(|| panic!("{n} rows do not converge"));
    assert_eq!((own.values.len(), own.vectors.len()), (n, n * n));
    let a = a.complex();
    let mut worst = 0.0f64;
    for (value, v) in own.values.iter().zip(own.vectors.chunks_exact(n)) {
        let length: f64 = v.iter().map(|x| x.norm_sqr()).sum();
        assert!((length - 1.0).abs() < 1e-12, "{length}");
        for i in 0..n {
            let sum: Complex64 = a.row(i).iter().zip(v).map(|(a, x)| a * x).sum();
            worst = worst.max((sum - value * v[i]).norm());
        }
    }
    worst
}

#[test]
fn vectors_are_multiplied_by_their_values() {
    for n in [1, 2, 3, 4, 5, 8, 17, 33, 64, 74, 76, 100, 160, 230] {
        for a in random(n) {
            let got = residual(&a);
            assert!(got < 1e-13 * n as f64, "{n}: {got}");
        }
    }
}

#[test]
fn values_alone_are_the_same() {
    for n in [3, 40, 120, 200] {
        for a in random(n) {
            let with = eigen(&a, true).expect("the algorithm converges");
            let alone = eigen(&a, false).expect("the algorithm converges");
            assert!(alone.vectors.is_empty());
            for x in &alone.values {
                let near = with.values.iter().map(|y| (x - y).norm());
                assert!(near.fold(1.0, f64::min) < 1e-10, "{n}");
            }
        }
    }
}

#[test]
fn triangles_keep_their_order() {
    let upper = real(5, |i, j| if i <= j { (i + 2 * j) as f64 } else { 0.0 });
    let own = eigen(&upper, true).expect("the algorithm converges");
    let got: Vec<f64> = own.values.iter().map(|x| x.re).collect();
    assert_eq!(got, [0.0, 3.0, 6.0, 9.0, 12.0]);
    assert!(residual(&upper) < 1e-13);
}

#[test]
fn rotations_have_a_pair_with_the_positive_part_first() {
    let quarter = real(2, |i, j| i as f64 - j as f64);
    let own = eigen(&quarter, true).expect("the algorithm converges");
    assert_eq!(
        own.values,
        [Complex64::new(0.0, 1.0), Complex64::new(0.0, -1.0)]
    );
    let half = std::f64::consts::FRAC_1_SQRT_2;
    assert!((own.vectors[0] - Complex64::new(half, 0.0)).norm() < 1e-15);
    assert!((own.vectors[1] - Complex64::new(0.0, -half)).norm() < 1e-15);
}

#[test]
fn awkward_matrices_have_vectors_too() {
    for n in [1, 2, 3, 10, 90] {
        for a in [
            real(n, |_, _| 0.0),
            real(n, |_, _| 1.0),
            real(n, |i, j| if j == i + 1 { 1.0 } else { 0.0 }),
            real(n, |i, j| if j == (i + 1) % n { 1.0 } else { 0.0 }),
            real(n, |i, j| if j == i + 1 || i == j { 2.0 } else { 0.0 }),
            real(n, |i, j| if j <= i { 1.0 / (i + 1) as f64 } else { 0.0 }),
            real(n, |i, j| {
                if i == j {
                    1.0
                } else if i + 1 == j || j + 1 == i {
                    1e-9
                } else {
                    0.0
                }
            }),
            real(n, |i, j| (i * j % 7) as f64),
            real(n, |i, j| {
                if i.abs_diff(j) == 1 {
                    i as f64 - j as f64
                } else {
                    0.0
                }
            }),
        ] {
            let got = residual(&a);
            assert!(got < 1e-11, "{n}: {got}");
            let complex = Dense::Complex(a.complex().into_owned());
            let got = residual(&complex);
            assert!(got < 1e-11, "{n}: {got}");
        }
    }
}

#[test]
fn sizes_far_from_one_are_no_matter() {
    for size in [1e-250, 1e250] {
        let own = eigen(&real(2, |i, j| (1 + i + j) as f64 * size), true);
        let own = own.expect("the algorithm converges");
        let sum = own.values[0] + own.values[1];
        assert!((sum.re / size - 4.0).abs() < 1e-12, "{sum}");
    }
    let graded = real(6, |i, j| {
        10f64.powi(12 * (j as i32 - i as i32)) / (1 + i + j) as f64
    });
    let own = eigen(&graded, true).expect("the algorithm converges");
    let even = real(6, |i, j| 1.0 / (1 + i + j) as f64);
    let want = eigen(&even, true).expect("the algorithm converges");
    for x in &want.values {
        let near = own.values.iter().map(|y| (x - y).norm());
        assert!(near.fold(1.0, f64::min) < 1e-13);
    }
}

#[test]
fn nothing_has_no_values() {
    let own = eigen(&real(0, |_, _| 0.0), true).expect("there is nothing to find");
    assert!(own.values.is_empty() && own.vectors.is_empty());
}

//! What factors have to be: their product is the matrix again, and what should be orthonormal is.

use super::eigen::hermitian;
use super::matrix::{Dense, Mat};
use super::norms::numbered;
use super::orthogonal::reflect;
use super::singular::{decompose, decompose_fully, values};
use super::{cholesky, functions, lu, small};
use rushlight_kernels::linalg::dense::field::Field;
use rushlight_tensor::Complex64;

/// Numbers that follow no pattern, from -1 to 1.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

fn filled<T: Field>(rows: usize, cols: usize, mut element: impl FnMut() -> T) -> Mat<T> {
    Mat::new(rows, cols, (0..rows * cols).map(|_| element()).collect())
}

/// A real and a complex matrix.
fn both(rows: usize, cols: usize) -> [Dense; 2] {
    let mut numbers = Numbers((rows * 1000 + cols) as u64);
    let real = filled(rows, cols, || numbers.next());
    let complex = filled(rows, cols, || {
        Complex64::new(numbers.next(), numbers.next())
    });
    [Dense::Real(real), Dense::Complex(complex)]
}

fn distance(a: &Dense, b: &Dense) -> f64 {
    a.minus(b).squares().into_iter().fold(0.0, f64::max).sqrt()
}

fn is_orthonormal(u: &Dense) -> bool {
    distance(&u.adjoint().times(u), &u.eye(u.cols(), u.cols())) < 1e-12
}

const SHAPES: &[(usize, usize)] = &[
    (1, 1),
    (2, 2),
    (3, 5),
    (5, 3),
    (9, 9),
    (31, 33),
    (40, 12),
    (12, 40),
    (64, 64),
    (70, 65),
];

#[test]
fn singular_values_and_vectors_make_up_the_matrix() {
    for (rows, cols) in SHAPES {
        for a in both(*rows, *cols) {
            let d = decompose(&a);
            assert!(
                is_orthonormal(&d.u) && is_orthonormal(&d.v),
                "{rows} x {cols}"
            );
            let product = d.u.clone().scale_columns(&d.s).times(&d.v.adjoint());
            assert!(distance(&product, &a) < 1e-12 * 70.0, "{rows} x {cols}");
            assert!(d.s.windows(2).all(|pair| pair[0] >= pair[1]));
            let alone = values(&a);
            assert!(alone.iter().zip(&d.s).all(|(x, y)| (x - y).abs() < 1e-12));
            let full = decompose_fully(&a);
            assert!(is_orthonormal(&full.u) && is_orthonormal(&full.v));
            assert_eq!((full.u.cols(), full.v.cols()), (*rows, *cols));
        }
    }
}

#[test]
fn eigenvalues_and_vectors_make_up_the_matrix() {
    for n in [1, 2, 3, 25, 26, 60, 101] {
        for a in both(n, n) {
            let a = a.of_triangle(false);
            let (values, vectors) = hermitian(&a);
            assert!(is_orthonormal(&vectors), "{n}");
            let product = vectors
                .clone()
                .scale_columns(&values)
                .times(&vectors.adjoint());
            assert!(distance(&product, &a) < 1e-12 * n as f64, "{n}");
            assert!(values.windows(2).all(|pair| pair[0] <= pair[1]));
        }
    }
}

#[test]
fn awkward_matrices_have_orthonormal_vectors_too() {
    let n = 40;
    let of = |f: fn(usize, usize) -> f64| Dense::Real(Mat::from_fn(n, n, f));
    for a in [
        of(|_, _| 0.0),
        of(|i, j| f64::from(u8::from(i == j))),
        of(|_, _| 1.0),
        of(|_, _| 1e200),
        of(|_, _| 1e-200),
        of(|i, j| if i == j { (i / 10) as f64 } else { 0.0 }),
        of(|i, j| if i.abs_diff(j) == 1 { 1.0 } else { 0.0 }),
        of(|i, j| {
            if i == j {
                1e-20f64.powi((i / 20) as i32)
            } else {
                0.0
            }
        }),
    ] {
        let d = decompose(&a);
        assert!(is_orthonormal(&d.u) && is_orthonormal(&d.v));
        let (_, vectors) = hermitian(&a);
        assert!(is_orthonormal(&vectors));
    }
    let unknown = Dense::Real(Mat::from_fn(3, 3, |_, _| f64::NAN));
    assert!(values(&unknown).iter().all(|x| x.is_nan()));
}

#[test]
fn factors_make_up_the_matrix() {
    for (rows, cols) in SHAPES {
        for a in both(*rows, *cols) {
            let k = (*rows).min(*cols);
            let q = reflect(&a);
            assert!(distance(&q.q(k).times(&q.r(k)), &a) < 1e-12);
            assert!(is_orthonormal(&q.q(*rows)));
            let f = lu::factor(&a);
            let (l, u) = lu::split(&f.lu);
            let p = lu::permutation(&f.pivots, *rows);
            assert!(distance(&p.times(&l).times(&u), &a) < 1e-12);
        }
    }
    for n in [1, 7, 33, 65] {
        for a in both(n, n) {
            let positive = a.times(&a.adjoint());
            let positive = positive.minus(&Dense::Real(Mat::from_fn(n, n, |i, j| {
                if i == j { -1.0 } else { 0.0 }
            })));
            let (l, info) = cholesky::factor(&positive);
            assert_eq!(info, 0);
            assert!(distance(&l.times(&l.adjoint()), &positive) < 1e-12 * n as f64);
            let inverse = lu::factor(&positive).inverse();
            assert!(distance(&inverse.times(&positive), &a.eye(n, n)) < 1e-10);
        }
    }
}

#[test]
fn a_minor_that_is_not_positive_is_named() {
    let mut a = Mat::<f64>::eye(50, 50);
    a[(41, 41)] = -1.0;
    assert_eq!(cholesky::factor(&Dense::Real(a)).1, 42);
}

#[test]
fn norms_of_large_numbers_are_not_infinite() {
    for a in both(3, 3) {
        let large = a.scale_columns(&[1e200; 3]);
        for p in [1.0, f64::INFINITY, 2.0] {
            assert!(numbered(&large, p).is_some_and(|norm| norm.is_finite() && norm > 1e199));
        }
    }
}

#[test]
fn parts_and_transposes_end_where_the_whole_does() {
    let a = Mat::<f64>::eye(5, 5).with_precision(1e-7);
    assert_eq!(a.copied(1..3, 0..5).precision, 1e-7);
    assert_eq!(a.transposed().precision, 1e-7);
}

#[test]
fn few_rows_are_factored_as_many_are() {
    for n in 1..=small::MOST {
        let [a, _] = both(n, n);
        let elements: Vec<f64> = (0..n * n).map(|k| a.at(k / n, k % n).re).collect();
        let own = small::square(&elements, n);
        let of = |m: &small::Square| Dense::Real(Mat::from_fn(n, n, |i, j| m[i][j]));
        let (q, r) = small::reflect(&own, n);
        let want = reflect(&a);
        assert!(distance(&of(&q).transposed(), &want.q(n)) < 1e-13);
        assert!(distance(&of(&r).transposed(), &want.r(n)) < 1e-13);
        let e = small::exponential(&own, n).expect("the matrix is finite");
        assert!(distance(&of(&e), &functions::exponential(&a)) < 1e-12);
        let positive = a.times(&a.adjoint());
        let mut square = small::Square::default();
        for i in 0..n {
            for j in 0..n {
                square[i][j] = positive.at(i, j).re;
            }
        }
        let l = small::cholesky(&square, n).expect("all minors are positive");
        assert!(distance(&of(&l), &cholesky::factor(&positive).0) < 1e-12);
        let (mut p, mut l, mut u) = (Vec::new(), Vec::new(), Vec::new());
        let factors = small::Small::factor(&elements, n);
        factors.split([&mut p, &mut l, &mut u]);
        let of = |m: Vec<f64>| Dense::Real(Mat::new(n, n, m));
        assert!(distance(&of(p).times(&of(l)).times(&of(u)), &a) < 1e-13);
        let (sign, log) = factors.log_determinant();
        assert!((sign * log.exp() - factors.determinant()).abs() < 1e-13);
    }
    let mut negative = small::Square::default();
    negative[0][0] = -1.0;
    assert!(small::cholesky(&negative, 1).is_none());
    negative[0][0] = f64::NAN;
    assert!(small::exponential(&negative, 1).is_none());
}

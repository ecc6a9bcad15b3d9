//! Singular values, and what is built on them: pseudo-inverse, rank, condition, least
//! squares.

use super::lu::factor;
use super::triangular::{Triangle, solve_left};
use crate::dense::batch::{Batch, epsilon, no_matrix};
use crate::dense::matrix::{Dense, Mat, ZERO};
use crate::dense::orthogonal::reflect;
pub(crate) use crate::dense::singular::decompose;
use crate::dense::singular::{decompose_fully, residuals, spectral_values, spectrum, values};
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{Complex64, DType, Dims, Fault, Result, Scalar, Tensor, watch};
use rushlight_types::{OutDtype, op, operators};

operators! {
    /// Singular values.
    pub static ROWS = [
        op!("aten::linalg_svd(Tensor A, bool full_matrices=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)", linalg_svd).out("U", rushlight_ops::out::cast).out_dtype(OutDtype::Same("Expected out tensor to have dtype {result:c}, but got {out:c} instead")),
        op!("aten::_linalg_svd(Tensor A, bool full_matrices=False, bool compute_uv=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)", linalg_svd_maybe).out("U", rushlight_ops::out::cast),
        op!("aten::linalg_svdvals(Tensor A, *, str? driver=None) -> Tensor", svdvals).out("out", rushlight_ops::out::exact),
        op!("aten::svd(Tensor self, bool some=True, bool compute_uv=True) -> (Tensor U, Tensor S, Tensor V)", svd).out("U", rushlight_ops::out::exact),
        op!("aten::linalg_pinv(Tensor self, float rcond, bool hermitian=False) -> Tensor", pinv_rcond).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Castable("linalg.pinv: Expected result to be safely castable from {result} dtype, but got result with dtype {out}")),
        op!("aten::linalg_pinv.rcond_tensor(Tensor self, Tensor rcond, bool hermitian=False) -> Tensor", pinv_rcond_tensor).out("out_rcond_tensor", rushlight_ops::out::cast).out_dtype(OutDtype::Castable("linalg.pinv: Expected result to be safely castable from {result} dtype, but got result with dtype {out}")),
        op!("aten::linalg_pinv.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor", pinv).out("atol_rtol_float_out", rushlight_ops::out::cast).out_dtype(OutDtype::Castable("linalg.pinv: Expected result to be safely castable from {result} dtype, but got result with dtype {out}")),
        op!("aten::linalg_pinv.atol_rtol_tensor(Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor", pinv_tensor).out("atol_rtol_tensor_out", rushlight_ops::out::cast).out_dtype(OutDtype::Castable("linalg.pinv: Expected result to be safely castable from {result} dtype, but got result with dtype {out}")),
        op!("aten::pinverse(Tensor self, float rcond=1.0000000000000001e-15) -> Tensor", pinverse),
        op!("aten::linalg_matrix_rank(Tensor self, float tol, bool hermitian=False) -> Tensor", rank_tol).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Castable("torch.linalg.matrix_rank: Expected result to be safely castable from {result} dtype, but got result with dtype {out}")),
        op!("aten::linalg_matrix_rank.tol_tensor(Tensor input, Tensor tol, bool hermitian=False) -> Tensor", rank_tol_tensor).out("out_tol_tensor", rushlight_ops::out::cast).out_dtype(OutDtype::Castable("torch.linalg.matrix_rank: Expected result to be safely castable from {result} dtype, but got result with dtype {out}")),
        op!("aten::linalg_matrix_rank.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor", rank).out("atol_rtol_float_out", rushlight_ops::out::cast).out_dtype(OutDtype::Castable("torch.linalg.matrix_rank: Expected result to be safely castable from {result} dtype, but got result with dtype {out}")),
        op!("aten::linalg_matrix_rank.atol_rtol_tensor(Tensor input, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor", rank_tensor).out("atol_rtol_tensor_out", rushlight_ops::out::cast).out_dtype(OutDtype::Castable("torch.linalg.matrix_rank: Expected result to be safely castable from {result} dtype, but got result with dtype {out}")),
        op!("aten::linalg_cond(Tensor self, Scalar? p=None) -> Tensor", cond).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Castable("linalg.cond: Expected result to be safely castable from {result} dtype, but got result with dtype {out}")),
        op!("aten::linalg_cond.p_str(Tensor self, str p) -> Tensor", cond_str).out("p_str_out", rushlight_ops::out::cast).out_dtype(OutDtype::Castable("linalg.cond: Expected result to be safely castable from {result} dtype, but got result with dtype {out}")),
        op!("aten::linalg_lstsq(Tensor self, Tensor b, float? rcond=None, *, str? driver=None) -> (Tensor solution, Tensor residuals, Tensor rank, Tensor singular_values)", lstsq).out("out", rushlight_ops::out::cast_like).out_dtype(OutDtype::Castable("torch.linalg.lstsq: Expected solution to be safely castable from {result} dtype, but got solution with dtype {out}|torch.linalg.lstsq: Expected solution to be safely castable from {result} dtype, but got solution with dtype {out}|torch.linalg.lstsq: Expected rank to be safely castable from {result} dtype, but got rank with dtype {out}|torch.linalg.lstsq: Expected singular_values to be safely castable from {result} dtype, but got singular_values with dtype {out}")),
    ];
}

/// Singular values of what is not a number are not found.
pub(crate) fn check_numbers(batch: &Batch) -> Result<()> {
    match batch.matrices.iter().position(Dense::has_nan) {
        Some(index) => Err(Fault::linear_algebra(format!(
            "linalg.svd: {}The algorithm failed to converge because the input matrix contained non-finite values.",
            batch.place(index)
        ))),
        None => Ok(()),
    }
}

fn linalg_svd(a: &Tensor, full: bool, driver: Option<&str>) -> Result<(Tensor, Tensor, Tensor)> {
    linalg_svd_maybe(a, full, true, driver)
}

fn linalg_svd_maybe(
    a: &Tensor,
    full: bool,
    vectors: bool,
    driver: Option<&str>,
) -> Result<(Tensor, Tensor, Tensor)> {
    if driver.is_some() {
        return Err(Fault::runtime(
            "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend.",
        ));
    }
    let batch = Batch::read("linalg.svd", a)?;
    let k = batch.rows.min(batch.cols);
    check_numbers(&batch)?;
    let real = batch.dtype.to_real();
    let numbers = |s: &[f64]| s.iter().map(|s| Complex64::new(*s, 0.0)).collected();
    if !vectors {
        let s: Vec<f64> = batch.matrices.iter().flat_map(values).collected();
        let none = || Tensor::empty(&[0], batch.dtype);
        return Ok((none()?, batch.vectors(numbers(&s), k, real)?, none()?));
    }
    let decompose = if full { decompose_fully } else { decompose };
    let (mut us, mut s, mut vs) = (Vec::new(), Vec::new(), Vec::new());
    for m in &batch.matrices {
        watch::poll();
        let d = decompose(m);
        us.push(d.u);
        s.extend(d.s);
        vs.push(d.v.adjoint());
    }
    let s = batch.vectors(numbers(&s), k, real)?;
    let (u_cols, v_rows) = if full {
        (batch.rows, batch.cols)
    } else {
        (k, k)
    };
    Ok((
        batch.tensor(&us, batch.rows, u_cols)?,
        s,
        batch.tensor(&vs, v_rows, batch.cols)?,
    ))
}

fn svdvals(a: &Tensor, driver: Option<&str>) -> Result<Tensor> {
    Ok(linalg_svd_maybe(a, false, false, driver)?.1)
}

fn svd(a: &Tensor, some: bool, vectors: bool) -> Result<(Tensor, Tensor, Tensor)> {
    if a.rank() < 2 {
        return Err(Fault::runtime(
            "linalg.svd: input should have at least 2 dimensions",
        ));
    }
    let (u, s, vh) = linalg_svd_maybe(a, !some, true, None)?;
    if !vectors {
        // Without vectors there are zeros in their place.
        let zeros = |n: usize| -> Result<Tensor> {
            let lead = &a.sizes()[..a.rank() - 2];
            let sizes: Dims = lead.iter().copied().chain([n, n]).collect();
            Tensor::zeros(&sizes, a.dtype())
        };
        return Ok((
            zeros(a.size(a.rank() - 2))?,
            s,
            zeros(a.size(a.rank() - 1))?,
        ));
    }
    let v = rushlight_kernels::linalg::product::conjugate(&vh.transpose(-1, -2)?);
    Ok((u, s, v))
}

/// Tolerances per matrix: absolute, and relative to the largest singular value.
struct Tolerance {
    absolute: Vec<f64>,
    relative: Vec<f64>,
}

impl Tolerance {
    /// Given tolerances, with the defaults for those that are not.
    fn new(batch: &Batch, atol: Option<&Tensor>, rtol: Option<&Tensor>) -> Result<Tolerance> {
        let count = batch.matrices.len();
        let read = |t: &Tensor| -> Result<Vec<f64>> {
            if t.dtype().is_complex() {
                return Err(Fault::runtime("tolerances must not be complex"));
            }
            Ok(t.expand_to(&batch.lead)?.to_vec::<f64>())
        };
        let absolute = atol.map(read).transpose()?;
        let default = epsilon(batch.dtype) * batch.rows.max(batch.cols) as f64;
        let relative = match rtol {
            Some(rtol) => read(rtol)?,
            // A given absolute tolerance switches the relative one off.
            None => (0..count)
                .map(|i| match &absolute {
                    Some(a) if a[i] > 0.0 => 0.0,
                    _ => default,
                })
                .collected(),
        };
        Ok(Tolerance {
            absolute: absolute.unwrap_or_else(|| memory::filled(count, 0.0)),
            relative,
        })
    }

    fn threshold(&self, index: usize, largest: f64) -> f64 {
        let (absolute, relative) = (self.absolute[index], self.relative[index] * largest);
        match absolute.is_nan() || relative.is_nan() {
            true => f64::NAN,
            false => absolute.max(relative),
        }
    }
}

fn number(value: Option<f64>) -> Option<Tensor> {
    value.map(|v| Tensor::scalar(v.into(), DType::F64))
}

fn check_square(name: &str, batch: &Batch, is_hermitian: bool) -> Result<()> {
    if is_hermitian && batch.rows != batch.cols {
        return Err(Fault::runtime(format!(
            "{name}: A must be batches of square matrices, but they are {} by {} matrices",
            batch.rows, batch.cols
        )));
    }
    Ok(())
}

/// Without a relative tolerance one follows from the dtype.
fn check_default(a: &Tensor, rtol: Option<&Tensor>) -> Result<()> {
    if rtol.is_some() {
        return Ok(());
    }
    let computed = matches!(
        a.dtype(),
        DType::F32 | DType::F64 | DType::C64 | DType::C128
    );
    match computed {
        true => Ok(()),
        false => Err(Fault::runtime(
            "This function doesn't handle types other than float and double",
        )),
    }
}

fn pinv_tensor(
    a: &Tensor,
    atol: Option<&Tensor>,
    rtol: Option<&Tensor>,
    is_hermitian: bool,
) -> Result<Tensor> {
    let batch = Batch::read("linalg.pinv", a)?;
    check_square("linalg.eigh", &batch, is_hermitian && a.numel() > 0)?;
    if !is_hermitian {
        check_numbers(&batch)?;
    }
    let tolerance = Tolerance::new(&batch, atol, rtol)?;
    let out: Vec<Dense> = batch
        .matrices
        .iter()
        .enumerate()
        .map(|(i, m)| {
            let d = spectrum(m, is_hermitian);
            let cut = tolerance.threshold(i, d.s.first().copied().unwrap_or(0.0));
            let inverse = inverses(&d.s, |s| s > cut);
            d.v.scale_columns(&inverse).times(&d.u.adjoint())
        })
        .collected();
    batch.row_major(&out, batch.cols, batch.rows)
}

fn pinv(a: &Tensor, atol: Option<f64>, rtol: Option<f64>, is_hermitian: bool) -> Result<Tensor> {
    pinv_tensor(
        a,
        number(atol).as_ref(),
        number(rtol).as_ref(),
        is_hermitian,
    )
}

fn pinv_rcond(a: &Tensor, rcond: f64, is_hermitian: bool) -> Result<Tensor> {
    pinv(a, Some(0.0), Some(rcond), is_hermitian)
}

fn pinv_rcond_tensor(a: &Tensor, rcond: &Tensor, is_hermitian: bool) -> Result<Tensor> {
    pinv_tensor(a, number(Some(0.0)).as_ref(), Some(rcond), is_hermitian)
}

fn pinverse(a: &Tensor, rcond: f64) -> Result<Tensor> {
    pinv_rcond(a, rcond, false)
}

fn rank_tensor(
    a: &Tensor,
    atol: Option<&Tensor>,
    rtol: Option<&Tensor>,
    is_hermitian: bool,
) -> Result<Tensor> {
    let name = "torch.linalg.matrix_rank";
    if a.rank() < 2 {
        return Err(no_matrix(name, a));
    }
    for (what, t) in [("atol", atol), ("rtol", rtol)] {
        if let Some(t) = t.filter(|t| t.dtype().is_complex()) {
            return Err(Fault::runtime(format!(
                "{name}: {what} tensor of complex type is not supported. Got {}",
                t.dtype().class_name()
            )));
        }
    }
    check_default(a, rtol)?;
    // Where there is nothing to compute neither dtypes nor tolerances are looked at.
    if a.numel() == 0 {
        return Tensor::zeros(&a.sizes()[..a.rank() - 2], DType::I64);
    }
    if is_hermitian {
        super::systems::check_square("linalg.eigh", a)?;
    }
    let batch = Batch::read(
        if is_hermitian {
            "linalg.eigh"
        } else {
            "linalg.svd"
        },
        a,
    )?;
    if !is_hermitian {
        check_numbers(&batch)?;
    }
    // Tolerances may have a larger batch than the matrices.
    let mut lead = batch.lead.clone();
    for t in [atol, rtol].into_iter().flatten() {
        lead = rushlight_tensor::layout::broadcast_or_fault(&lead, t.sizes())?;
    }
    let batch = Batch::read_expanded("linalg.svd", a, &lead)?;
    let tolerance = Tolerance::new(&batch, atol, rtol)?;
    let ranks: Vec<i64> = batch
        .matrices
        .iter()
        .enumerate()
        .map(|(i, m)| {
            let s = spectral_values(m, is_hermitian);
            let cut = tolerance.threshold(i, s.first().copied().unwrap_or(0.0));
            s.iter().filter(|s| **s > cut).count() as i64
        })
        .collected();
    Tensor::from_vec(ranks, &batch.lead)
}

fn rank(a: &Tensor, atol: Option<f64>, rtol: Option<f64>, is_hermitian: bool) -> Result<Tensor> {
    rank_tensor(
        a,
        number(atol).as_ref(),
        number(rtol).as_ref(),
        is_hermitian,
    )
}

fn rank_tol(a: &Tensor, tol: f64, is_hermitian: bool) -> Result<Tensor> {
    rank(a, Some(tol), Some(0.0), is_hermitian)
}

fn rank_tol_tensor(a: &Tensor, tol: &Tensor, is_hermitian: bool) -> Result<Tensor> {
    rank_tensor(a, Some(tol), number(Some(0.0)).as_ref(), is_hermitian)
}

fn cond(a: &Tensor, p: Option<Scalar>) -> Result<Tensor> {
    let p = p.map_or(2.0, |p| p.to_f64());
    if let Some(zeros) = condition_of_nothing(a)? {
        return Ok(zeros);
    }
    if p.abs() == 2.0 {
        let batch = Batch::read("linalg.svd", a)?;
        check_numbers(&batch)?;
        let values = batch
            .matrices
            .iter()
            .map(|m| {
                let s = values(m);
                let (Some(first), Some(last)) = (s.first(), s.last()) else {
                    return ZERO;
                };
                Complex64::new(if p > 0.0 { first / last } else { last / first }, 0.0)
            })
            .collected();
        return batch.numbers(values, batch.dtype.to_real());
    }
    cond_by(a, &p.to_string(), |m| super::norms::numbered(m, p))
}

fn cond_str(a: &Tensor, p: &str) -> Result<Tensor> {
    match p {
        "fro" => cond_by(a, p, |m| Some(super::norms::frobenius(m))),
        "nuc" => cond_by(a, p, |m| Some(values(m).iter().sum())),
        _ => cond_by(a, p, |_| None),
    }
}

/// What stands for the condition of matrices without elements, of any dtype.
fn condition_of_nothing(a: &Tensor) -> Result<Option<Tensor>> {
    let [lead @ .., _, _] = a.sizes() else {
        return Err(no_matrix("linalg.cond", a));
    };
    match a.numel() {
        0 => Tensor::zeros(lead, a.dtype().to_real()).map(Some),
        _ => Ok(None),
    }
}

/// The product of the norms of each matrix and its inverse; infinite where there is none.
fn cond_by(a: &Tensor, p: &str, norm: impl Fn(&Dense) -> Option<f64>) -> Result<Tensor> {
    if let Some(zeros) = condition_of_nothing(a)? {
        return Ok(zeros);
    }
    let name = format!("linalg.cond(ord={p})");
    let batch = Batch::read("linalg.inv", a)?;
    check_square(&name, &batch, true)?;
    let mut values = Vec::new();
    for m in &batch.matrices {
        let factors = factor(m);
        let value = if m.rows() == 0 {
            Some(0.0)
        } else if factors.info > 0 {
            Some(f64::INFINITY)
        } else {
            let inverse = factors.inverse();
            norm(m).zip(norm(&inverse)).map(|(x, y)| x * y)
        };
        let unknown = || Fault::value(format!("linalg.cond got an invalid norm type: {p}"));
        let value = value.ok_or_else(unknown)?;
        values.push(Complex64::new(value, 0.0));
    }
    batch.numbers(values, batch.dtype.to_real())
}

/// One divided by each singular value that is kept, and zero for the others.
fn inverses(s: &[f64], keep: impl Fn(f64) -> bool) -> Vec<f64> {
    s.iter()
        .map(|s| if keep(*s) { 1.0 / s } else { 0.0 })
        .collected()
}

/// Whether the condition of an upper triangle, estimated by steps of the power method, leaves no doubt that its rank is
/// full.
fn is_of_full_rank(r: &Dense, rcond: f64) -> bool {
    const STEPS: usize = 6;
    const DOUBT: f64 = 8.0;
    let n = r.rows();
    if (0..n).any(|k| r.at(k, k) == ZERO) {
        return false;
    }
    let adjoint = r.adjoint();
    let start = Dense::Real(Mat::from_fn(
        n,
        1,
        |i, _| if i % 2 == 0 { 1.0 } else { -0.7 },
    ));
    let grown = |step: &dyn Fn(&Dense) -> Dense| {
        let (mut x, mut factor) = (start.clone(), 1.0);
        for _ in 0..STEPS {
            let length = super::norms::frobenius(&x);
            let y = step(&x.scale_columns(&[1.0 / length]));
            factor = super::norms::frobenius(&y);
            x = y;
        }
        factor.sqrt()
    };
    let largest = grown(&|x| adjoint.times(&r.times(x)));
    let inverse = grown(&|x| {
        solve_left(
            r,
            &solve_left(&adjoint, x, Triangle::LOWER),
            Triangle::UPPER,
        )
    });
    (largest * inverse * rcond * DOUBT) < 1.0
}

/// The solution by triangular factors, for drivers that give no singular values, where the rank is full for certain.
fn full_rank_solution(m: &Dense, b: &Dense, rcond: f64, driver: &str) -> Option<Dense> {
    if !matches!(driver, "gels" | "gelsy") || m.rows() == 0 || m.cols() == 0 || !m.is_finite() {
        return None;
    }
    // A wide matrix has the triangle of its adjoint, and of all solutions the shortest is wanted.
    let wide = m.rows() < m.cols();
    let factors = reflect(&if wide { m.adjoint() } else { m.clone() });
    let n = m.rows().min(m.cols());
    let r = factors.r(n);
    if !is_of_full_rank(&r, rcond) {
        return None;
    }
    Some(if wide {
        let y = solve_left(&r.adjoint(), b, Triangle::LOWER);
        factors.times(&y.with_rows(m.cols()), false)
    } else {
        let projected = factors.times(b, true).with_rows(n);
        solve_left(&r, &projected, Triangle::UPPER)
    })
}

fn lstsq(
    a: &Tensor,
    b: &Tensor,
    rcond: Option<f64>,
    driver: Option<&str>,
) -> Result<(Tensor, Tensor, Tensor, Tensor)> {
    let fail = |message: String| Err(Fault::runtime(format!("torch.linalg.lstsq: {message}")));
    if a.rank() < 2 {
        return fail("input must have at least 2 dimensions.".to_string());
    }
    if b.rank() == 0 {
        return fail("other must have at least 1 dimension.".to_string());
    }
    if a.dtype() != b.dtype() {
        return fail(format!(
            "Expected input and other to have the same dtype, but got input's dtype {} and other's dtype {}",
            a.dtype().class_name(),
            b.dtype().class_name()
        ));
    }
    let driver = driver.unwrap_or("gelsy");
    if !matches!(driver, "gels" | "gelsy" | "gelsd" | "gelss") {
        let names = "(gels, gelsy, gelsd, gelss)";
        return fail(format!("parameter `driver` should be one of {names}"));
    }
    let vector = b.rank() + 1 == a.rank() && b.sizes() == &a.sizes()[..a.rank() - 1];
    let sides = if vector { b.unsqueeze(-1)? } else { b.clone() };
    let (m, n) = (a.size(a.rank() - 2), a.size(a.rank() - 1));
    if sides.rank() < 2 || sides.size(sides.rank() - 2) != m {
        let at = if b.rank() == 1 { -1 } else { -2 };
        return fail(format!("input.size(-2) should match other.size({at})"));
    }
    let lead = rushlight_tensor::layout::broadcast_or_fault(
        &a.sizes()[..a.rank() - 2],
        &sides.sizes()[..sides.rank() - 2],
    )?;
    let batch = Batch::read_expanded("torch.linalg.lstsq", a, &lead)?;
    let right = Batch::read_expanded("torch.linalg.lstsq", &sides, &lead)?;
    let rcond = rcond.unwrap_or(epsilon(batch.dtype) * m.max(n) as f64);
    let (mut solutions, mut ranks, mut found) = (Vec::new(), Vec::new(), Vec::new());
    for (m, b) in batch.matrices.iter().zip(&right.matrices) {
        watch::poll();
        if let Some(x) = full_rank_solution(m, b, rcond, driver) {
            solutions.push(x);
            ranks.push(m.rows().min(m.cols()) as i64);
            continue;
        }
        let d = decompose(m);
        let cut = rcond * d.s.first().copied().unwrap_or(0.0);
        // The plain driver assumes full rank.
        let keep = |s: f64| s > if driver == "gels" { 0.0 } else { cut };
        let projected = d.u.adjoint().times(b);
        let scaled = d.v.scale_columns(&inverses(&d.s, keep));
        solutions.push(scaled.times(&projected));
        ranks.push(d.s.iter().filter(|s| keep(**s)).count() as i64);
        found.extend(d.s.iter().map(|s| Complex64::new(*s, 0.0)));
    }
    // Solutions lie where the right-hand sides were, which may have more rows.
    let rows = m.max(n);
    let padded: Vec<Dense> = solutions
        .iter()
        .map(|s| s.clone().with_rows(rows))
        .collected();
    let held = right.tensor(&padded, rows, right.cols)?;
    let solution = held.narrow(held.rank() - 2, 0, n)?;
    let residuals = residuals(&batch, &right, &solutions, &ranks, driver)?;
    let solution = if vector {
        solution.select(-1, 0)?
    } else {
        solution
    };
    let real = batch.dtype.to_real();
    let rank = if driver == "gels" {
        Tensor::empty(&[0], DType::I64)?
    } else {
        Tensor::from_vec(ranks, &lead)?
    };
    let values = if matches!(driver, "gelsd" | "gelss") {
        batch.vectors(found, m.min(n), real)?
    } else {
        Tensor::empty(&[0], real)?
    };
    Ok((solution, residuals, rank, values))
}

//! LU factors with partial pivoting: determinants, inverses, linear systems.

use super::small;
use super::systems;
use crate::dense::batch::{Batch, no_dtype};
pub(crate) use crate::dense::lu::factor;
use crate::dense::lu::{Factors, factor_all, packed, permutation, split};
use crate::dense::matrix::Dense;
use rushlight_tensor::layout::list;
use rushlight_tensor::memory::Collected;
use rushlight_tensor::view::no_dimensions;
use rushlight_tensor::{Complex64, DType, Dims, Fault, Result, Tensor};
use rushlight_types::warning::Notice;
use rushlight_types::{Context, OutDtype, op, operators};

operators! {
    /// LU factors and what follows from them.
    pub static ROWS = [
        op!("aten::linalg_lu_factor_ex(Tensor A, *, bool pivot=True, bool check_errors=False) -> (Tensor LU, Tensor pivots, Tensor info)", lu_factor_ex).out("out", rushlight_ops::out::exact_like),
        op!("aten::linalg_lu_factor(Tensor A, *, bool pivot=True) -> (Tensor LU, Tensor pivots)", lu_factor).out("out", rushlight_ops::out::exact_like),
        op!("aten::_lu_with_info(Tensor self, bool pivot=True, bool check_errors=True) -> (Tensor LU, Tensor pivots, Tensor info)", lu_with_info),
        op!("aten::linalg_lu(Tensor A, *, bool pivot=True) -> (Tensor P, Tensor L, Tensor U)", lu).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Same("Expected out tensor to have dtype {result:c}, but got {out:c} instead")),
        op!("aten::lu_unpack(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True, bool unpack_pivots=True) -> (Tensor P, Tensor L, Tensor U)", lu_unpack).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Same("Expected out tensor to have dtype {result:c}, but got {out:c} instead")),
        op!("aten::linalg_lu_solve(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False) -> Tensor", lu_solve).out("out", rushlight_ops::out::exact_like),
        op!("aten::lu_solve(Tensor self, Tensor LU_data, Tensor LU_pivots) -> Tensor", lu_solve_old).out("out", rushlight_ops::out::exact_like),
        op!("aten::linalg_det(Tensor A) -> Tensor", det).out("out", rushlight_ops::out::exact),
        op!("aten::det(Tensor self) -> Tensor", det),
        op!("aten::_linalg_det(Tensor A) -> (Tensor result, Tensor LU, Tensor pivots)", det_with_factors).out("result", rushlight_ops::out::cast),
        op!("aten::linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet)", slogdet).out("out", rushlight_ops::out::exact),
        op!("aten::slogdet(Tensor self) -> (Tensor sign, Tensor logabsdet)", slogdet).out("out", rushlight_ops::out::exact),
        op!("aten::_linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet, Tensor LU, Tensor pivots)", slogdet_with_factors).out("sign", rushlight_ops::out::cast),
        op!("aten::logdet(Tensor self) -> Tensor", logdet),
        op!("aten::linalg_inv(Tensor A) -> Tensor", inv).out("out", rushlight_ops::out::exact_like),
        op!("aten::inverse(Tensor self) -> Tensor", inv).out("out", rushlight_ops::out::cast_like),
        op!("aten::linalg_inv_ex(Tensor A, *, bool check_errors=False) -> (Tensor inverse, Tensor info)", inv_ex).out("inverse", rushlight_ops::out::exact_like),
        op!("aten::linalg_solve(Tensor A, Tensor B, *, bool left=True) -> Tensor", solve).out("out", rushlight_ops::out::exact_like),
        op!("aten::linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, Tensor info)", solve_ex).out("out", rushlight_ops::out::exact_like),
        op!("aten::_linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, Tensor LU, Tensor pivots, Tensor info)", solve_with_factors).out("result", rushlight_ops::out::cast),
    ];
}

/// Rows are always exchanged where there are any.
fn check_exchanges(batch: &Batch, pivot: bool) -> Result<()> {
    let is_empty = batch.matrices.is_empty() || batch.rows * batch.cols == 0;
    if pivot || is_empty {
        return Ok(());
    }
    Err(Fault::runtime(
        "linalg.lu_factor: LU without pivoting is not implemented on the CPU",
    ))
}

fn factors_of(
    name: &str,
    a: &Tensor,
    pivot: bool,
    check: bool,
) -> Result<(Tensor, Tensor, Tensor)> {
    let batch = Batch::read("torch.lu_factor", a)?;
    check_exchanges(&batch, pivot)?;
    let all = factor_all(&batch);
    if check && let Some((index, zero)) = all.iter().enumerate().find(|(_, f)| f.info > 0) {
        return Err(Fault::runtime(format!(
            "{name}: {}U[{info},{info}] is zero and using it on lu_solve would result in a division by zero. If you still want to perform the factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)",
            batch.place(index),
            info = zero.info
        )));
    }
    packed(&batch, &all)
}

fn lu_factor_ex(a: &Tensor, pivot: bool, check: bool) -> Result<(Tensor, Tensor, Tensor)> {
    factors_of("torch.linalg.lu_factor_ex", a, pivot, check)
}

static IN_FAVOUR_OF_FACTOR: Notice = Notice::new(
    "torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and will be removed in a future PyTorch release.\nLU, pivots = torch.lu(A, compute_pivots)\nshould be replaced with\nLU, pivots = torch.linalg.lu_factor(A, compute_pivots)\nand\nLU, pivots, info = torch.lu(A, compute_pivots, get_infos=True)\nshould be replaced with\nLU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots)",
);

fn lu_with_info(
    cx: &Context,
    a: &Tensor,
    pivot: bool,
    _check: bool,
) -> Result<(Tensor, Tensor, Tensor)> {
    IN_FAVOUR_OF_FACTOR.give(cx)?;
    // Singular matrices have factors, too; `info` names the first zero.
    lu_factor_ex(a, pivot, false)
}

fn lu_factor(a: &Tensor, pivot: bool) -> Result<(Tensor, Tensor)> {
    let (lu, pivots, _) = factors_of("torch.linalg.lu_factor", a, pivot, true)?;
    Ok((lu, pivots))
}

fn lu(a: &Tensor, pivot: bool) -> Result<(Tensor, Tensor, Tensor)> {
    if pivot && let Some([p, l, u]) = small::triangles(a)? {
        return Ok((p, l, u));
    }
    let batch = Batch::read("linalg.lu", a)?;
    check_exchanges(&batch, pivot)?;
    let (mut ps, mut ls, mut us) = (Vec::new(), Vec::new(), Vec::new());
    for f in factor_all(&batch) {
        let (l, u) = split(&f.lu);
        ps.push(permutation(&f.pivots, batch.rows));
        ls.push(l);
        us.push(u);
    }
    let k = batch.rows.min(batch.cols);
    let p = if pivot {
        batch.row_major(&ps, batch.rows, batch.rows)?
    } else {
        Tensor::empty(&[0], batch.dtype)?
    };
    Ok((
        p,
        batch.row_major(&ls, batch.rows, k)?,
        batch.row_major(&us, k, batch.cols)?,
    ))
}

/// Pivots of each matrix, from one-based int32, checked.
fn read_pivots(pivots: &Tensor, batch: &Batch) -> Result<Vec<Vec<usize>>> {
    let k = batch.rows.min(batch.cols);
    let sizes: Dims = batch.lead.iter().copied().chain([k]).collect();
    if pivots.dtype() != DType::I32 {
        return Err(Fault::runtime(
            "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\nNote: this function is intended to be used with the output produced by torch.linalg.lu_factor",
        ));
    }
    if *pivots.sizes() != sizes[..] {
        return Err(Fault::value(format!(
            "Expected LU_pivots to have shape {} but got {} instead.",
            list(&sizes),
            list(pivots.sizes())
        )));
    }
    let values = pivots.to_vec::<i64>();
    let in_range = |p: &i64| (1..=batch.rows as i64).contains(p);
    if !values.iter().all(in_range) {
        return Err(Fault::runtime(
            "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive.Did you properly pass the result of lu_factor?",
        ));
    }
    Ok(of_each(&values, k, batch.matrices.len()))
}

/// The one-based pivots of each matrix, counted from zero.
fn of_each(values: &[i64], k: usize, count: usize) -> Vec<Vec<usize>> {
    (0..count)
        .map(|b| {
            let own = &values[b * k..(b + 1) * k];
            own.iter().map(|p| *p as usize - 1).collected()
        })
        .collected()
}

/// Refuses pivots that do not belong to the square matrices of factors.
fn check_pivots_of(lu: &Tensor, pivots: &Tensor) -> Result<()> {
    let (n, count) = (lu.size(lu.rank() - 1), pivots.sizes().last());
    if count.is_none() {
        return Err(no_dimensions(-1));
    }
    if count != Some(&n) {
        return Err(Fault::runtime(
            "linalg.lu_solve: Number of pivots per batch should be same as the dimension of the matrix",
        ));
    }
    if *pivots.sizes() != lu.sizes()[..lu.rank() - 1] {
        return Err(Fault::runtime(format!(
            "linalg.lu_solve: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with shape {} instead",
            list(pivots.sizes())
        )));
    }
    Ok(())
}

/// The pivots of factors, for a batch of systems.
fn pivots_of(pivots: &Tensor, batch: &Batch) -> Result<Vec<Vec<usize>>> {
    let n = batch.rows;
    let sizes: Dims = batch.lead.iter().copied().chain([n]).collect();
    let values = pivots.expand_to(&sizes)?.to_vec::<i64>();
    let refuse = |what: &str| {
        Err(Fault::runtime(format!(
            "Pivots given to lu_solve must all be {what}. Did you properly pass the result of lu_factor?"
        )))
    };
    if values.iter().any(|p| *p < 1) {
        return refuse("greater or equal to 1");
    }
    if values.iter().any(|p| *p > n as i64) {
        return refuse("smaller or equal to LU.size(-2)");
    }
    Ok(of_each(&values, n, batch.matrices.len()))
}

fn lu_unpack(
    lu: &Tensor,
    pivots: &Tensor,
    unpack_data: bool,
    unpack_pivots: bool,
) -> Result<(Tensor, Tensor, Tensor)> {
    let batch = Batch::read("torch.lu_unpack", lu)?;
    let k = batch.rows.min(batch.cols);
    let nothing = || Tensor::empty(&[0], batch.dtype);
    let p = if unpack_pivots {
        let all = read_pivots(pivots, &batch)?;
        let ps: Vec<Dense> = all.iter().map(|p| permutation(p, batch.rows)).collected();
        batch.row_major(&ps, batch.rows, batch.rows)?
    } else {
        nothing()?
    };
    if !unpack_data {
        return Ok((p, nothing()?, nothing()?));
    }
    let (ls, us): (Vec<Dense>, Vec<Dense>) = batch.matrices.iter().map(split).unzip();
    Ok((
        p,
        batch.row_major(&ls, batch.rows, k)?,
        batch.row_major(&us, k, batch.cols)?,
    ))
}

fn lu_solve_old(b: &Tensor, lu: &Tensor, pivots: &Tensor) -> Result<Tensor> {
    lu_solve(lu, pivots, b, true, false)
}

fn lu_solve(lu: &Tensor, pivots: &Tensor, b: &Tensor, left: bool, adjoint: bool) -> Result<Tensor> {
    let name = "linalg.lu_solve";
    if lu.dtype().is_integral(true) {
        return Err(no_dtype(name, lu));
    }
    systems::check_dtypes(name, "LU", lu, b)?;
    if pivots.dtype() != DType::I32 {
        return Err(Fault::runtime(
            "linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32",
        ));
    }
    systems::check_square("torch.linalg.lu_solve", lu)?;
    systems::check_sides(name, lu, b, left)?;
    check_pivots_of(lu, pivots)?;
    let (batch, right) = systems::read(name, lu, b)?;
    // Pivots are not looked at where nothing is solved.
    let is_empty = batch.matrices.is_empty() || right.rows * right.cols == 0;
    let pivots = match is_empty {
        true => Vec::new(),
        false => pivots_of(pivots, &batch)?,
    };
    let out: Vec<Dense> = batch
        .matrices
        .iter()
        .zip(pivots)
        .zip(&right.matrices)
        .map(|((lu, pivots), b)| {
            let factors = Factors {
                lu: lu.clone(),
                pivots,
                info: 0,
            };
            // X A = B is Aᴴ Xᴴ = Bᴴ.
            match (left, adjoint) {
                (true, false) => factors.solve(b),
                (true, true) => factors.solve_adjoint(b),
                (false, false) => factors.solve_adjoint(&b.adjoint()).adjoint(),
                (false, true) => factors.solve(&b.adjoint()).adjoint(),
            }
        })
        .collected();
    match left {
        true => right.tensor(&out, right.rows, right.cols),
        false => right.row_major(&out, right.rows, right.cols),
    }
}

fn det(a: &Tensor) -> Result<Tensor> {
    if let Some(values) = small::determinants(a)? {
        return Ok(values);
    }
    let batch = Batch::read_square("linalg.det", a)?;
    let all = factor_all(&batch);
    batch.numbers(
        all.iter().map(Factors::determinant).collected(),
        batch.dtype,
    )
}

fn det_with_factors(a: &Tensor) -> Result<(Tensor, Tensor, Tensor)> {
    let batch = Batch::read_square("linalg.det", a)?;
    let all = factor_all(&batch);
    let values = all.iter().map(Factors::determinant).collected();
    let (lu, pivots, _) = packed(&batch, &all)?;
    Ok((batch.numbers(values, batch.dtype)?, lu, pivots))
}

fn slogdet(a: &Tensor) -> Result<(Tensor, Tensor)> {
    if let Some(values) = small::log_determinants(a)? {
        return Ok(values);
    }
    let batch = Batch::read_square("linalg.slogdet", a)?;
    log_determinants(&batch, &factor_all(&batch))
}

fn log_determinants(batch: &Batch, all: &[Factors]) -> Result<(Tensor, Tensor)> {
    let (signs, logs): (Vec<_>, Vec<_>) = all
        .iter()
        .map(|f| {
            let (sign, log) = f.log_determinant();
            (sign, Complex64::new(log, 0.0))
        })
        .unzip();
    Ok((
        batch.numbers(signs, batch.dtype)?,
        batch.numbers(logs, batch.dtype.to_real())?,
    ))
}

fn slogdet_with_factors(a: &Tensor) -> Result<(Tensor, Tensor, Tensor, Tensor)> {
    let batch = Batch::read_square("linalg.slogdet", a)?;
    let all = factor_all(&batch);
    let (signs, logs) = log_determinants(&batch, &all)?;
    let (lu, pivots, _) = packed(&batch, &all)?;
    Ok((signs, logs, lu, pivots))
}

fn logdet(a: &Tensor) -> Result<Tensor> {
    let batch = Batch::read_square("logdet", a)?;
    let values = factor_all(&batch)
        .iter()
        .map(|f| {
            let (sign, log) = f.log_determinant();
            if batch.dtype.is_complex() {
                // The logarithm of the size counts as a complex number, of which the infinite ones have no angle.
                sign.ln() + Complex64::new(log, log * 0.0)
            } else {
                Complex64::new(sign.re.ln() + log, 0.0)
            }
        })
        .collected();
    batch.numbers(values, batch.dtype)
}

/// The fault of a matrix that cannot be inverted.
fn singular(name: &str, what: &str, batch: &Batch, all: &[Factors]) -> Option<Fault> {
    let (index, factors) = all.iter().enumerate().find(|(_, f)| f.info > 0)?;
    Some(Fault::linear_algebra(if what.is_empty() {
        format!(
            "{name}: {}The solver failed because the input matrix is singular.",
            batch.place(index)
        )
    } else {
        format!(
            "{name}: {}The diagonal element {} is zero, the {what} could not be completed because the input matrix is singular.",
            batch.place(index),
            factors.info
        )
    }))
}

fn inv(a: &Tensor) -> Result<Tensor> {
    if let Some(inverses) = small::inverses(a)? {
        return Ok(inverses);
    }
    Ok(invert("linalg.inv", a, true)?.0)
}

fn inv_ex(a: &Tensor, check: bool) -> Result<(Tensor, Tensor)> {
    invert("linalg.inv_ex", a, check)
}

fn invert(name: &str, a: &Tensor, check: bool) -> Result<(Tensor, Tensor)> {
    let batch = Batch::read_square("linalg.inv", a)?;
    let all = factor_all(&batch);
    if let Some(fault) = singular(name, "inversion", &batch, &all).filter(|_| check) {
        return Err(fault);
    }
    let out: Vec<Dense> = all.iter().map(Factors::inverse).collected();
    let infos: Vec<usize> = all.iter().map(|f| f.info).collected();
    Ok((
        batch.tensor(&out, batch.rows, batch.cols)?,
        batch.infos(&infos)?,
    ))
}

fn solve(a: &Tensor, b: &Tensor, left: bool) -> Result<Tensor> {
    if left && let Some(solutions) = small::solutions(a, b)? {
        return Ok(solutions);
    }
    Ok(solved("torch.linalg.solve", a, b, left, true)?.0)
}

fn solve_ex(a: &Tensor, b: &Tensor, left: bool, check: bool) -> Result<(Tensor, Tensor)> {
    let (x, _, _, info) = solved("torch.linalg.solve_ex", a, b, left, check)?;
    Ok((x, info))
}

/// Whether `b` is a batch of vectors rather than of matrices.
fn is_vector(a: &Tensor, b: &Tensor) -> bool {
    b.rank() == 1
        || (a.rank() >= 2 && b.rank() + 1 == a.rank() && b.sizes() == &a.sizes()[..a.rank() - 1])
}

fn solve_with_factors(
    a: &Tensor,
    b: &Tensor,
    left: bool,
    check: bool,
) -> Result<(Tensor, Tensor, Tensor, Tensor)> {
    solved("torch.linalg.solve", a, b, left, check)
}

fn solved(
    name: &str,
    a: &Tensor,
    b: &Tensor,
    left: bool,
    check: bool,
) -> Result<(Tensor, Tensor, Tensor, Tensor)> {
    let solver = "linalg.solve";
    if a.dtype().is_integral(true) {
        return Err(no_dtype(solver, a));
    }
    systems::check_dtypes(solver, "A", a, b)?;
    let vector = is_vector(a, b);
    let sides = if vector { b.unsqueeze(-1)? } else { b.clone() };
    systems::check_square(solver, a)?;
    systems::check_sides(solver, a, &sides, left)?;
    if vector && !left {
        return Err(Fault::runtime(
            "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. In this case linalg.solve is equivalent to B / A.squeeze(-1)",
        ));
    }
    let (batch, right) = systems::read(solver, a, &sides)?;
    let all = factor_all(&batch);
    if let Some(fault) = singular(name, "", &batch, &all).filter(|_| check) {
        return Err(fault);
    }
    let out: Vec<Dense> = all
        .iter()
        .zip(&right.matrices)
        .map(|(f, b)| {
            if left {
                f.solve(b)
            } else {
                f.solve_adjoint(&b.adjoint()).adjoint()
            }
        })
        .collected();
    // Solutions lie as matrices of their sizes do, vectors too, column by column where they are on the right of `A`.
    let x = match left {
        true => right.tensor(&out, right.rows, right.cols)?,
        false => right.row_major(&out, right.rows, right.cols)?,
    };
    let x = match vector {
        true if x.rank() > 2 => x
            .select(-1, 0)?
            .transpose(-1, -2)?
            .contiguous_copy()
            .transpose(-1, -2)?,
        true => x.select(-1, 0)?,
        false => x,
    };
    if batch.lead.len() + 2 == a.rank() && batch.lead[..] == a.sizes()[..a.rank() - 2] {
        let (lu, pivots, info) = packed(&batch, &all)?;
        return Ok((x, lu, pivots, info));
    }
    let own = Batch::read("linalg.solve", a)?;
    let (lu, pivots, info) = packed(&own, &factor_all(&own))?;
    Ok((x, lu, pivots, info))
}

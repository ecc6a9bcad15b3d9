//! Norms of vectors; norms of matrices that need no decomposition are built on them.

use crate::compute::{compute, finish};
use rushlight_kernels::linalg::norm::{of_rows, sizes};
use rushlight_tensor::memory::Collected;
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{DType, Dims, Fault, Result, Scalar, Tensor};
use rushlight_types::{op, operators};
use smallvec::SmallVec;

type Ints = SmallVec<[i64; 6]>;

operators! {
    /// Vector norms and what follows from them.
    pub static ROWS = [
        op!("aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", vector_norm).out("out", crate::out::exact),
        op!("aten::norm.Scalar(Tensor self, Scalar p=2) -> Tensor", norm).out("Scalar_out", crate::out::exact),
        op!("aten::norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor", norm_dim).out("out", crate::out::exact),
        op!("aten::norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, ScalarType dtype) -> Tensor", norm_dim_dtype).out("dtype_out", crate::out::cast),
        op!("aten::norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype) -> Tensor", norm_dtype).out("ScalarOpt_dtype_out", crate::out::cast),
        op!("aten::native_norm(Tensor self, Scalar p=2) -> Tensor", norm).out("out", crate::out::cast),
        op!("aten::frobenius_norm.dim(Tensor self, int[1] dim, bool keepdim=False) -> Tensor", frobenius_norm).out("out", crate::out::cast),
        op!("aten::norm_except_dim(Tensor v, int pow=2, int dim=0) -> Tensor", norm_except_dim),
        op!("aten::linalg__powsum(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", powsum),
    ];
}

/// The dimensions to reduce as a set: all of them when none are named.
pub(crate) fn reduced_dims(dims: Option<&[i64]>, rank: usize) -> Result<Vec<bool>> {
    Ok(rushlight_kernels::reduce::dims::mask(dims, rank)?.to_vec())
}

/// The tensor with its reduced dimensions at the end, their joint size, and the sizes of the result.
pub(crate) fn rows_to_reduce(
    t: &Tensor,
    dims: Option<&[i64]>,
    keepdim: bool,
) -> Result<(Tensor, usize, Dims)> {
    let reduced = reduced_dims(dims, t.rank())?;
    let order: Vec<i64> = (0..t.rank())
        .filter(|d| !reduced[*d])
        .chain((0..t.rank()).filter(|d| reduced[*d]))
        .map(|d| d as i64)
        .collected();
    let length = (0..t.rank())
        .filter(|d| reduced[*d])
        .map(|d| t.size(d))
        .product();
    let sizes = (0..t.rank())
        .filter(|d| keepdim || !reduced[*d])
        .map(|d| if reduced[d] { 1 } else { t.size(d) })
        .collect();
    Ok((t.permute(&order)?, length, sizes))
}

/// Reduces the sizes of each row's elements.
fn reduce_rows(
    name: &str,
    t: &Tensor,
    dims: Option<&[i64]>,
    keepdim: bool,
    dtype: Option<DType>,
    f: fn(&Tensor, [usize; 2], f64) -> Result<Tensor>,
    p: f64,
) -> Result<Tensor> {
    if !(t.dtype().is_float() || t.dtype().is_complex()) {
        return Err(Fault::not_implemented(format!(
            "{name}: Expected a floating point or complex tensor as input. Got {}",
            t.dtype().class_name()
        )));
    }
    let t = match dtype {
        Some(dtype) => {
            check_dtype(name, t, dtype)?;
            t.to_dtype(dtype)
        }
        None => t.clone(),
    };
    let (moved, length, sizes) = rows_to_reduce(&t, dims, keepdim)?;
    let rows = sizes.iter().product();
    f(&moved, [rows, length], p)?.reshape_to(&sizes)
}

fn check_dtype(name: &str, t: &Tensor, dtype: DType) -> Result<()> {
    if !(dtype.is_float() || dtype.is_complex()) {
        return Err(Fault::runtime(format!(
            "{name}: dtype should be floating point or complex, but got {}",
            dtype.class_name()
        )));
    }
    if t.dtype().is_complex() != dtype.is_complex() {
        let (kind, other) = if t.dtype().is_complex() {
            ("complex", "complex")
        } else {
            ("real", "real")
        };
        return Err(Fault::runtime(format!(
            "{name}: dtype should be {kind} for {other} inputs, but got {}",
            dtype.class_name()
        )));
    }
    if rushlight_tensor::promote::promote_types(t.dtype(), dtype) != dtype {
        return Err(Fault::runtime(format!(
            "{name}: the dtype of the input ({}) should be convertible without narrowing to the specified dtype ({})",
            t.dtype().class_name(),
            dtype.class_name()
        )));
    }
    Ok(())
}

fn norms_of_rows(t: &Tensor, [rows, length]: [usize; 2], p: f64) -> Result<Tensor> {
    let real = t.dtype().to_real();
    if length == 0 && (p < 0.0 || p == f64::INFINITY) && t.numel() == 0 && !t.sizes().is_empty() {
        return Err(Fault::runtime(format!(
            "linalg.vector_norm cannot compute the {} norm on an empty tensor because the operation does not have an identity",
            if p == f64::INFINITY {
                "inf".to_string()
            } else {
                p.to_string()
            }
        )));
    }
    // The norm of one element or none is its size, by whatever order.
    let p = if p.is_nan() && length < 2 { 1.0 } else { p };
    compute!(real, "linalg_vector_norm", W => {
        let x = sizes::<W>(t);
        let x = x.data::<W>();
        let out = of_rows(&x, rows, length, p, true);
        let n = out.len();
        Ok(finish(out, &[n], real))
    })
}

fn power_sums_of_rows(t: &Tensor, [rows, length]: [usize; 2], p: f64) -> Result<Tensor> {
    let real = t.dtype().to_real();
    compute!(real, "linalg_vector_norm", W => {
        let x = sizes::<W>(t);
        let x = x.data::<W>();
        let out = of_rows(&x, rows, length, p, false);
        let n = out.len();
        Ok(finish(out, &[n], real))
    })
}

/// The vector norm of a tensor over some of its dimensions.
pub fn vector_norm(
    t: &Tensor,
    ord: Scalar,
    dims: Option<Ints>,
    keepdim: bool,
    dtype: Option<DType>,
) -> Result<Tensor> {
    reduce_rows(
        "linalg.vector_norm",
        t,
        dims.as_deref(),
        keepdim,
        dtype,
        norms_of_rows,
        ord.to_f64(),
    )
}

fn powsum(
    t: &Tensor,
    ord: Scalar,
    dims: Option<Ints>,
    keepdim: bool,
    dtype: Option<DType>,
) -> Result<Tensor> {
    reduce_rows(
        "linalg._powsum",
        t,
        dims.as_deref(),
        keepdim,
        dtype,
        power_sums_of_rows,
        ord.to_f64(),
    )
}

fn norm(t: &Tensor, p: Scalar) -> Result<Tensor> {
    vector_norm(t, p, None, false, None)
}

fn norm_dim(t: &Tensor, p: Option<Scalar>, dims: Ints, keepdim: bool) -> Result<Tensor> {
    vector_norm(t, p.unwrap_or(Scalar::Int(2)), Some(dims), keepdim, None)
}

fn norm_dim_dtype(
    t: &Tensor,
    p: Option<Scalar>,
    dims: Ints,
    keepdim: bool,
    dtype: DType,
) -> Result<Tensor> {
    vector_norm(
        t,
        p.unwrap_or(Scalar::Int(2)),
        Some(dims),
        keepdim,
        Some(dtype),
    )
}

fn norm_dtype(t: &Tensor, p: Option<Scalar>, dtype: DType) -> Result<Tensor> {
    vector_norm(t, p.unwrap_or(Scalar::Int(2)), None, false, Some(dtype))
}

fn frobenius_norm(t: &Tensor, dims: Ints, keepdim: bool) -> Result<Tensor> {
    if dims.len() > 2 {
        return Err(Fault::runtime(format!(
            "Expected at most 2 dimensions, but got {} dimensions instead.",
            dims.len()
        )));
    }
    vector_norm(t, Scalar::Int(2), Some(dims), keepdim, None)
}

pub fn norm_except_dim(v: &Tensor, pow: i64, dim: i64) -> Result<Tensor> {
    if dim == -1 {
        return vector_norm(v, Scalar::Int(pow), None, false, None);
    }
    let kept = wrap_dim(dim, v.rank())?;
    let others: Ints = (0..v.rank() as i64).filter(|d| *d != kept as i64).collect();
    if others.is_empty() {
        // Every element is a vector of its own.
        return compute!(v.dtype(), "norm_except_dim", W => {
            let x = sizes::<W>(v);
            let each = of_rows(&x.data::<W>(), v.numel(), 1, 1.0, true);
            Ok(each.into_tensor(v.sizes()).to_dtype(v.dtype()))
        });
    }
    vector_norm(v, Scalar::Int(pow), Some(others), true, None)
}

//! Norms of matrices, and `linalg_norm`, which is one of vectors or of matrices by its arguments.

use crate::dense::batch::{Batch, not_computed};
use crate::dense::matrix::Dense;
pub(crate) use crate::dense::norms::{frobenius, numbered};
use crate::dense::singular::values;
use rushlight_ops::op_out;
use rushlight_ops::vector_norm;
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{DType, Dims, Fault, Result, Scalar, Tensor, watch};
use rushlight_types::{OutDtype, op, operators};
use smallvec::SmallVec;

type Ints = SmallVec<[i64; 6]>;

operators! {
    /// Matrix norms.
    pub static ROWS = [
        op!("aten::linalg_matrix_norm(Tensor self, Scalar ord, int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", matrix_norm).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Same("linalg.matrix_norm expected out tensor dtype {result} but got: {out}")),
        op!("aten::linalg_matrix_norm.str_ord(Tensor self, str ord=\"fro\", int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", matrix_norm_str),
        op!("aten::linalg_norm(Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", linalg_norm).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Same("linalg.norm expected out tensor dtype {result} but got: {out}")),
        op!("aten::linalg_norm.ord_str(Tensor self, str ord, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", linalg_norm_str).out("ord_str_out", rushlight_ops::out::cast).out_dtype(OutDtype::Same("linalg.norm expected out tensor dtype {result} but got: {out}")),
        op!("aten::nuclear_norm(Tensor self, bool keepdim=False) -> Tensor", nuclear_norm).out("out", rushlight_ops::out::cast),
        op!("aten::nuclear_norm.dim(Tensor self, int[2] dim, bool keepdim=False) -> Tensor", nuclear_norm_dim).out("dim_out", rushlight_ops::out::cast),
        op_out!("aten::linalg_matrix_norm.str_ord_out(Tensor self, str ord=\"fro\", int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)", matrix_norm_str),
    ];
}

/// A norm of the matrices in two dimensions of a tensor; of singular values there is none in narrow floats.
fn over(
    t: &Tensor,
    (dims, keepdim): (&[i64], bool),
    dtype: Option<DType>,
    of_singular: bool,
    norm: impl Fn(&Dense) -> Option<f64>,
) -> Result<Tensor> {
    let name = "linalg.matrix_norm";
    if t.rank() < 2 {
        return Err(Fault::runtime(format!(
            "{name}: The input tensor A must have at least 2 dimensions."
        )));
    }
    if dims.len() != 2 {
        return Err(Fault::runtime(format!(
            "{name}: dim must be a 2-tuple. Got {}",
            dims.iter().map(i64::to_string).collected().join(" ")
        )));
    }
    let (r, c) = (wrap_dim(dims[0], t.rank())?, wrap_dim(dims[1], t.rank())?);
    if r == c {
        return Err(Fault::runtime(format!(
            "{name}: dims must be different. Got ({r}, {c})"
        )));
    }
    if !(t.dtype().is_float() || t.dtype().is_complex()) {
        return Err(not_computed(name, t));
    }
    if of_singular && matches!(t.dtype(), DType::F16 | DType::BF16) {
        return Err(Fault::not_implemented(format!(
            "{name}: Low precision dtypes not supported. Got {}",
            t.dtype().class_name()
        )));
    }
    let t = dtype.map_or_else(|| t.clone(), |d| t.to_dtype(d));
    let order: Vec<i64> = (0..t.rank())
        .filter(|d| *d != r && *d != c)
        .chain([r, c])
        .map(|d| d as i64)
        .collected();
    // Narrow floats have no decompositions, but norms.
    let moved = t.permute(&order)?;
    let moved = match t.dtype() {
        DType::F32 | DType::F64 | DType::C64 | DType::C128 => moved,
        d if d.is_complex() => moved.to_dtype(DType::C64),
        _ => moved.to_dtype(DType::F32),
    };
    let batch = Batch::read(name, &moved)?;
    if of_singular {
        crate::singular::check_numbers(&batch)?;
    }
    let sizes: Dims = (0..t.rank())
        .filter(|d| keepdim || (*d != r && *d != c))
        .map(|d| if d == r || d == c { 1 } else { t.size(d) })
        .collect();
    let count: usize = sizes.iter().product();
    let mut out = memory::with_capacity(count);
    for m in &batch.matrices {
        watch::poll();
        out.push(norm(m).ok_or_else(|| {
            Fault::index(format!(
                "{name}: Expected reduction dim to have non-zero size."
            ))
        })?);
    }
    Ok(Tensor::from_vec(out, &sizes)?.to_dtype(t.dtype().to_real()))
}

fn matrix_norm(
    t: &Tensor,
    ord: Scalar,
    dims: Ints,
    keepdim: bool,
    dtype: Option<DType>,
) -> Result<Tensor> {
    let p = ord.to_f64();
    if !matches!(p.abs(), 1.0 | 2.0 | f64::INFINITY) {
        return Err(Fault::runtime(format!(
            "linalg.matrix_norm: Order {p} not supported."
        )));
    }
    over(t, (&dims, keepdim), dtype, p.abs() == 2.0, |m| {
        numbered(m, p)
    })
}

/// Whether a root of the sum of squares is that of a vector as it is, and has nothing to refuse.
fn is_plain(t: &Tensor, dims: &[i64], dtype: Option<DType>) -> bool {
    let [r, c] = dims else { return false };
    let wrapped = (wrap_dim(*r, t.rank()), wrap_dim(*c, t.rank()));
    let is_matrix = matches!(wrapped, (Ok(r), Ok(c)) if r != c);
    matches!(t.dtype(), DType::F32 | DType::F64) && t.rank() >= 2 && is_matrix && dtype.is_none()
}

fn matrix_norm_str(
    t: &Tensor,
    ord: &str,
    dims: Ints,
    keepdim: bool,
    dtype: Option<DType>,
) -> Result<Tensor> {
    match ord {
        "fro" if is_plain(t, &dims, dtype) => {
            vector_norm(t, Scalar::Int(2), Some(dims), keepdim, None)
        }
        "fro" => {
            // Checks the dimensions on the way.
            over(t, (&dims, keepdim), dtype, false, |m| Some(frobenius(m)))
        }
        "nuc" => over(t, (&dims, keepdim), dtype, true, |m| {
            Some(values(m).iter().sum())
        }),
        other => Err(Fault::runtime(format!(
            "linalg.matrix_norm: Order {other} not supported."
        ))),
    }
}

fn linalg_norm(
    t: &Tensor,
    ord: Option<Scalar>,
    dims: Option<Ints>,
    keepdim: bool,
    dtype: Option<DType>,
) -> Result<Tensor> {
    if let Some(dims) = dims.as_ref().filter(|d| !matches!(d.len(), 1 | 2)) {
        return Err(Fault::runtime(format!(
            "linalg.norm: If dim is specified, it must be of length 1 or 2. Got {:?}",
            dims.as_slice()
        )));
    }
    let Some(ord) = ord else {
        return vector_norm(t, Scalar::Int(2), dims, keepdim, dtype);
    };
    if dims.is_none() {
        check_rank(t)?;
    }
    match dims {
        Some(dims) if dims.len() == 2 => matrix_norm(t, ord, dims, keepdim, dtype),
        None if t.rank() == 2 => matrix_norm(t, ord, smallvec::smallvec![-2, -1], keepdim, dtype),
        dims => vector_norm(t, ord, dims, keepdim, dtype),
    }
}

fn check_rank(t: &Tensor) -> Result<()> {
    match t.rank() {
        1 | 2 => Ok(()),
        rank => Err(Fault::runtime(format!(
            "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {rank}D."
        ))),
    }
}

fn linalg_norm_str(
    t: &Tensor,
    ord: &str,
    dims: Option<Ints>,
    keepdim: bool,
    dtype: Option<DType>,
) -> Result<Tensor> {
    if dims.is_none() {
        check_rank(t)?;
    }
    let dims = dims.unwrap_or_else(|| smallvec::smallvec![-2, -1]);
    matrix_norm_str(t, ord, dims, keepdim, dtype)
}

fn nuclear_norm(t: &Tensor, keepdim: bool) -> Result<Tensor> {
    matrix_norm_str(t, "nuc", smallvec::smallvec![-2, -1], keepdim, None)
}

fn nuclear_norm_dim(t: &Tensor, dims: Ints, keepdim: bool) -> Result<Tensor> {
    matrix_norm_str(t, "nuc", dims, keepdim, None)
}

//! The cross product of vectors of three.

use super::product::{need_dims, same_scalar_types};
use rushlight_tensor::layout::broadcast_or_fault;
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{Buffer, DType, Fault, Number, Result, Tensor, dispatch, watch};
use rushlight_types::warning::Notice;
use rushlight_types::{Apart, Context, op, operators};

operators! {
    /// The cross product.
    pub static ROWS = [
        op!("aten::linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor", linalg_cross).out("out", crate::out::exact).apart(Apart::WHOLLY),
        op!("aten::cross(Tensor self, Tensor other, int? dim=None) -> Tensor", cross).out("out", crate::out::exact).apart(Apart::WHOLLY),
    ];
}

fn linalg_cross(a: &Tensor, b: &Tensor, dim: i64) -> Result<Tensor> {
    if a.rank() != b.rank() {
        return Err(Fault::runtime(
            "linalg.cross: inputs must have the same number of dimensions.",
        ));
    }
    need_dims(&[(a, dim), (b, dim)])?;
    let d = wrap_dim(dim, a.rank())?;
    if a.rank() == 0 || a.size(d) != 3 || b.size(d) != 3 {
        let size = |t: &Tensor| if t.rank() == 0 { 1 } else { t.size(d) };
        return Err(Fault::runtime(format!(
            "linalg.cross: inputs dimension {dim} must have length 3. Got {} and {}",
            size(a),
            size(b)
        )));
    }
    let sizes = broadcast_or_fault(a.sizes(), b.sizes())?;
    let own = a.dtype();
    if own == DType::Bool {
        return Err(Fault::no_kernel("cross", own));
    }
    same_scalar_types(a, b)?;
    // Integers wrap, so that narrow ones may go by wide ones.
    let is_narrow = matches!(own, DType::U8 | DType::I8 | DType::I16 | DType::I32);
    let dtype = if is_narrow { DType::I64 } else { own };
    let prepare = |t: &Tensor| t.to_dtype(dtype).expand_to(&sizes);
    let (a, b) = (prepare(a)?, prepare(b)?);
    let inner: usize = sizes[d + 1..].iter().product();
    let out = match dtype {
        DType::I64 => products::<i64>(&a, &b, inner, &sizes),
        _ => {
            dispatch!(dtype, FloatComplex, T => products::<T>(&a, &b, inner, &sizes), else => return Err(Fault::no_kernel("cross", dtype)))
        }
    };
    Ok(out.to_dtype(own))
}

/// The products of vectors of three numbers, `inner` apart.
fn products<T: Number>(a: &Tensor, b: &Tensor, inner: usize, sizes: &[usize]) -> Tensor {
    let (x, y) = (a.data::<T>(), b.data::<T>());
    let mut out = Buffer::<T>::unspecified(x.len());
    for block in (0..x.len()).step_by(3 * inner.max(1)) {
        watch::poll();
        for i in block..block + inner {
            for k in 0..3 {
                let (p, q) = (i + (k + 1) % 3 * inner, i + (k + 2) % 3 * inner);
                out[i + k * inner] = x[p].mul(y[q]).sub(x[q].mul(y[p]));
            }
        }
    }
    out.into_tensor(sizes)
}

/// Without a dimension: the first of size 3.
static UNNAMED_DIM: Notice = Notice::new(
    "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim explicitly or simply use torch.linalg.cross.\nThe default value of dim will change to agree with that of linalg.cross in a future release.",
);

fn cross(cx: &Context, a: &Tensor, b: &Tensor, dim: Option<i64>) -> Result<Tensor> {
    let dim = match dim {
        Some(dim) => dim,
        None => {
            UNNAMED_DIM.give(cx)?;
            let found = a.sizes().iter().position(|s| *s == 3);
            found.ok_or_else(|| Fault::runtime("no dimension of size 3 in input"))? as i64
        }
    };
    linalg_cross(a, b, dim)
}

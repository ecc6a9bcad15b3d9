//! Distances and similarities of vectors: `cdist`, `pdist`, `pairwise_distance`, `cosine_similarity`, `dist`.

use super::norm::vector_norm;
use super::product::same_scalar_types;
use crate::compute::{Compute, Wide, compute, dense, finish, promoted};
use crate::pointwise::steps::Steps;
use crate::reduce::sum::sum;
use rushlight_kernels::linalg::norm::{distances, of_rows};
use rushlight_kernels::linalg::product::batched;
use rushlight_tensor::lanes::{each2, map1, map2};
use rushlight_tensor::layout::broadcast_or_fault;
use rushlight_tensor::memory::Collected;
use rushlight_tensor::promote::promote_types;
use rushlight_tensor::{
    Buffer, Complex64, DType, Dims, Fault, Number, Result, Scalar, Tensor, dispatch, threads,
};
use rushlight_types::{Context, op, operators};

operators! {
    /// Distances.
    pub static ROWS = [
        op!("aten::cdist(Tensor x1, Tensor x2, float p=2., int? compute_mode=None) -> Tensor", cdist),
        op!("aten::_cdist_forward(Tensor x1, Tensor x2, float p, int? compute_mode) -> Tensor", cdist).out("out", crate::out::cast),
        op!("aten::_euclidean_dist(Tensor x1, Tensor x2) -> Tensor", euclidean).out("out", crate::out::cast),
        op!("aten::pdist(Tensor self, float p=2.) -> Tensor", pdist),
        op!("aten::_pdist_forward(Tensor self, float p=2.) -> Tensor", pdist).out("out", crate::out::cast),
        op!("aten::pairwise_distance(Tensor x1, Tensor x2, float p=2., float eps=9.9999999999999995e-07, bool keepdim=False) -> Tensor", pairwise_distance),
        op!("aten::cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor", cosine_similarity),
    ];
}

fn cdist(a: &Tensor, b: &Tensor, p: f64, mode: Option<i64>) -> Result<Tensor> {
    for (which, t) in [("X1", a), ("X2", b)] {
        if !t.dtype().is_float() {
            return Err(Fault::runtime(format!(
                "cdist only supports floating-point dtypes, {which} got: {}",
                t.dtype().class_name()
            )));
        }
        if t.rank() < 2 {
            return Err(Fault::runtime(format!(
                "cdist only supports at least 2D tensors, {which} got: {}D",
                t.rank()
            )));
        }
    }
    let (m, n) = (a.size(a.rank() - 1), b.size(b.rank() - 1));
    if m != n {
        return Err(Fault::runtime(format!(
            "X1 and X2 must have the same number of columns. X1: {m} X2: {n}"
        )));
    }
    if p.is_nan() || p < 0.0 {
        return Err(Fault::runtime("cdist only supports non-negative p values"));
    }
    if !matches!(mode, None | Some(0..=2)) {
        return Err(Fault::runtime(format!(
            "possible modes: 0, 1, 2, but was: {}",
            mode.unwrap_or(0)
        )));
    }
    let (rows, cols) = (a.size(a.rank() - 2), b.size(b.rank() - 2));
    let batch = broadcast_or_fault(&a.sizes()[..a.rank() - 2], &b.sizes()[..b.rank() - 2])?;
    let dtype = a.dtype();
    let is_empty = batch.iter().chain([&rows, &cols]).any(|size| *size == 0);
    if !is_empty && m > 0 && !matches!(dtype, DType::F32 | DType::F64) {
        return Err(Fault::no_kernel("cdist", dtype));
    }
    same_scalar_types(a, b)?;
    let with = |last: [usize; 2]| -> Dims { batch.iter().copied().chain(last).collect() };
    let x = a.to_dtype(dtype).expand_to(&with([rows, m]))?;
    let y = b.to_dtype(dtype).expand_to(&with([cols, m]))?;
    // Distances of many rows are made of products.
    let many = match mode {
        Some(1) => true,
        Some(2) => false,
        _ => rows.max(cols) > 25,
    };
    compute!(dtype, "cdist", W => {
        let (x, y) = (dense::<W>(&x), dense::<W>(&y));
        let sizes = with([rows, cols]);
        if p == 2.0 && many && m > 0 {
            let products = batched(&x, &y.transpose(-2, -1)?);
            return Ok(finish(by_products::<W>(&x, &y, &products), &sizes, dtype));
        }
        let (x, y) = (x.data::<W>(), y.data::<W>());
        let mut out = Buffer::<W>::unspecified(rushlight_tensor::memory::numel(&sizes));
        let cost = cols.saturating_mul(m);
        threads::split_rows(&mut out, cols, 1, cost, &|part, out| {
            for (r, out) in part.zip(out.chunks_exact_mut(cols.max(1))) {
                let others = &y[r / rows * cols * m..][..cols * m];
                distances(&x[r * m..][..m], others, p, out);
            }
        });
        Ok(finish(out, &sizes, dtype))
    })
}

/// The distances of the rows of `x` from those of `y`, batch by batch, given the products of all pairs of rows.
fn by_products<W: Compute>(x: &Tensor, y: &Tensor, products: &Tensor) -> Buffer<W> {
    let squares = |t: &Tensor| {
        let length = t.size(t.rank() - 1);
        of_rows(&t.data::<W>(), t.numel() / length, length, 2.0, false)
    };
    let (own, others) = (squares(x), squares(y));
    let (rows, cols) = (x.size(x.rank() - 2), y.size(y.rank() - 2));
    let products = products.data::<W>();
    let (products, others) = (&products[..], &others[..]);
    let mut out = Buffer::<W>::unspecified(products.len());
    threads::split_rows(&mut out, cols, 1, 4 * cols, &|part, out| {
        for (r, out) in part.zip(out.chunks_exact_mut(cols.max(1))) {
            let others = &others[r / rows * cols..][..cols];
            let (own, products) = (own[r], &products[r * cols..][..cols]);
            map2(out, products, others, move |product: W, other: W| {
                let square = own + other - (product + product);
                // Rounding may leave less than nothing; NaN stays.
                Wide::sqrt(if square < W::ZERO { W::ZERO } else { square })
            });
        }
    });
    out
}

fn euclidean(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    cdist(a, b, 2.0, Some(1))
}

fn pdist(t: &Tensor, p: f64) -> Result<Tensor> {
    if t.rank() != 2 {
        return Err(Fault::runtime(format!(
            "pdist only supports 2D tensors, got: {}D",
            t.rank()
        )));
    }
    if !t.dtype().is_float() {
        return Err(Fault::runtime("pdist only supports floating-point dtypes"));
    }
    if p.is_nan() || p < 0.0 {
        return Err(Fault::runtime("pdist only supports non-negative p values"));
    }
    let (rows, m) = (t.size(0), t.size(1));
    if matches!(t.dtype(), DType::F16 | DType::BF16) && rows > 1 && m > 0 {
        return Err(Fault::no_kernel("pdist", t.dtype()));
    }
    compute!(t.dtype(), "pdist", W => {
        let x = dense::<W>(t);
        let x = x.data::<W>();
        let n = rows * rows.saturating_sub(1) / 2;
        let mut out = Buffer::<W>::unspecified(n);
        let mut rest = &mut out[..];
        for i in 1..rows {
            let (own, others) = rest.split_at_mut(rows - i);
            distances(&x[(i - 1) * m..i * m], &x[i * m..], p, own);
            rest = others;
        }
        Ok(finish(out, &[n], t.dtype()))
    })
}

/// `a - b`, broadcast, in the promoted dtype: narrow unsigned integers wrap.
fn difference(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let sizes = broadcast_or_fault(a.sizes(), b.sizes())?;
    let dtype = promoted(a, b);
    let (a, b) = (
        a.to_dtype(dtype).expand_to(&sizes)?,
        b.to_dtype(dtype).expand_to(&sizes)?,
    );
    dispatch!(dtype, NotBool, T => {
        let (x, y) = (a.data::<T>(), b.data::<T>());
        let mut out = Buffer::<T>::unspecified(x.len());
        each2(&mut out, &x, &y, |x: T, y: T| x.sub(y));
        Ok(out.into_tensor(&sizes))
    }, else => Err(Fault::not_implemented(
        "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead.",
    )))
}

/// The norm, along the last dimension, of `x1 - x2 + eps`.
pub fn pairwise_distance(
    a: &Tensor,
    b: &Tensor,
    p: f64,
    eps: f64,
    keepdim: bool,
) -> Result<Tensor> {
    let gap = difference(a, b)?;
    let dtype = if gap.dtype().is_integral(true) {
        DType::F32
    } else {
        gap.dtype()
    };
    let shifted = match dtype {
        DType::F32 | DType::F64 => compute!(dtype, "pairwise_distance", W => {
            let gap = dense::<W>(&gap);
            let mut out = Buffer::<W>::unspecified(gap.numel());
            map1(&mut out, &gap.data::<W>(), |v: W| W::of(v.f64() + eps));
            out.into_tensor(gap.sizes())
        }),
        _ => {
            let shifted = gap
                .to_vec::<Complex64>()
                .iter()
                .map(|v| v + eps)
                .collected();
            Tensor::from_vec::<Complex64>(shifted, gap.sizes())?.to_dtype(dtype)
        }
    };
    let last = if shifted.rank() == 0 {
        smallvec::smallvec![]
    } else {
        smallvec::smallvec![-1]
    };
    vector_norm(&shifted, Scalar::Float(p), Some(last), keepdim, None)
}

fn cosine_similarity(cx: &Context, a: &Tensor, b: &Tensor, dim: i64, eps: f64) -> Result<Tensor> {
    if eps.is_nan() || eps < 0.0 {
        return Err(Fault::runtime(format!(
            "eps must be non-negative, got: {}",
            rushlight_types::general_text(eps, 6)
        )));
    }
    let sizes = broadcast_or_fault(a.sizes(), b.sizes())?;
    let dtype = promote_types(a.dtype(), b.dtype());
    if !dtype.is_float() {
        return Err(Fault::runtime(format!(
            "expected common dtype to be floating point, yet common dtype is {}",
            dtype.class_name()
        )));
    }
    let s = Steps(cx);
    let dims = || smallvec::smallvec![dim];
    let unit = |t: &Tensor| {
        let t = t.to_dtype(dtype).expand_to(&sizes)?;
        let norm = vector_norm(&t, Scalar::Int(2), Some(dims()), true, None)?;
        s.div(&t, &s.at_least(&norm, Scalar::Float(eps))?)
    };
    sum(&s.mul(&unit(a)?, &unit(b)?)?, Some(dims()), false, None)
}

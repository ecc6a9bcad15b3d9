//! Largest and smallest elements: over everything, over dimensions, with their indices.
//!
//! NaN counts as an extreme: it wins over every number. Of equal elements the first one's index is reported.

use super::dims::{self, Ints, check_named_nonempty, check_nonempty, listed, mask};
use rushlight_kernels::reduce::extremes::{extreme, with_indices};
use rushlight_tensor::memory;
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{DType, Fault, Result, Tensor};
use rushlight_types::{OutDtype, Quantized, op, operators};

operators! {
    /// Extremes and their indices.
    pub static ROWS = [
        op!("aten::amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", amax).quantized(Quantized::Integers).refused_as_out().out("out", crate::out::exact).out_dtype(OutDtype::Same("Expected the dtype for input and out to match, but got {result} for input's dtype and {out} for out's dtype.")),
        op!("aten::amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", amin).refused_as_out().out("out", crate::out::exact).out_dtype(OutDtype::Same("Expected the dtype for input and out to match, but got {result} for input's dtype and {out} for out's dtype.")),
        op!("aten::aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)", aminmax).out("out", crate::out::exact),
        op!("aten::_aminmax(Tensor self) -> (Tensor, Tensor)", aminmax_all).out("out", crate::out::exact),
        op!("aten::_aminmax.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor, Tensor)", aminmax).out("dim_out", crate::out::exact),
        op!("aten::max(Tensor self) -> Tensor", max_all).quantized(Quantized::Integers).out("unary_out", crate::out::cast),
        op!("aten::min(Tensor self) -> Tensor", min_all).quantized(Quantized::Integers).out("unary_out", crate::out::cast),
        op!("aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", max_dim).quantized(Quantized::Integers),
        op_out_exact!("aten::max.dim_max(Tensor self, int dim, bool keepdim=False, *, Tensor(a!) max, Tensor(b!) max_values) -> (Tensor(a!) values, Tensor(b!) indices)", max_dim),
        op!("aten::min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", min_dim).quantized(Quantized::Integers),
        op_out_exact!("aten::min.dim_min(Tensor self, int dim, bool keepdim=False, *, Tensor(a!) min, Tensor(b!) min_indices) -> (Tensor(a!) values, Tensor(b!) indices)", min_dim),
        op!("aten::argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", argmax).refused_as_out().out("out", crate::out::exact),
        op!("aten::argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", argmin).refused_as_out().out("out", crate::out::exact),
    ];
}

fn over_dims<const MAX: bool>(input: &Tensor, dim: &[i64], keepdim: bool) -> Result<Tensor> {
    let name = if MAX { "amax()" } else { "amin()" };
    let kernel = if MAX {
        "max_values_cpu"
    } else {
        "min_values_cpu"
    };
    input.dtype().computes_in_full(kernel)?;
    if input.numel() == 0 {
        if dim.is_empty() {
            return Err(unspecified(name));
        }
        check_named_nonempty(name, input.sizes(), dim)?;
    }
    let mask = mask(Some(dim), input.rank())?;
    if input.dtype().is_complex() {
        let kernel = if MAX {
            "max_values_cpu"
        } else {
            "min_values_cpu"
        };
        return Err(Fault::no_kernel(kernel, input.dtype()));
    }
    extreme::<MAX>(input, &mask, keepdim)
}

fn unspecified(name: &str) -> Fault {
    Fault::runtime(format!(
        "{name}: Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument."
    ))
}

/// `amax`.
pub fn amax(input: &Tensor, dim: Ints, keepdim: bool) -> Result<Tensor> {
    over_dims::<true>(input, &dim, keepdim)
}

/// `amin`.
pub fn amin(input: &Tensor, dim: Ints, keepdim: bool) -> Result<Tensor> {
    over_dims::<false>(input, &dim, keepdim)
}

/// `aminmax`: the smallest and the largest element.
pub fn aminmax(input: &Tensor, dim: Option<i64>, keepdim: bool) -> Result<(Tensor, Tensor)> {
    if input.dtype().is_complex() {
        return Err(Fault::type_error(format!(
            "aminmax not implemented for {}",
            input.dtype().class_name()
        )));
    }
    input.dtype().computes_in_full("aminmax_cpu")?;
    let mask = match dim {
        Some(dim) => {
            let mask = listed(&[dim], input.rank())?;
            check_nonempty("aminmax", input.sizes(), &mask)?;
            mask
        }
        None if input.numel() == 0 => {
            return Err(Fault::runtime(
                "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.",
            ));
        }
        None => dims::all(input.rank()),
    };
    let (low, high) = (
        extreme::<false>(input, &mask, keepdim)?,
        extreme::<true>(input, &mask, keepdim)?,
    );
    Ok((low, high))
}

fn aminmax_all(input: &Tensor) -> Result<(Tensor, Tensor)> {
    aminmax(input, None, false)
}

fn over_all<const MAX: bool>(input: &Tensor) -> Result<Tensor> {
    if input.numel() == 0 {
        return Err(unspecified(if MAX { "max()" } else { "min()" }));
    }
    if input.dtype().is_complex() || input.dtype().is_eight() || input.dtype().is_wide_unsigned() {
        let kernel = if MAX { "max_all" } else { "min_all" };
        return Err(Fault::no_kernel(kernel, input.dtype()));
    }
    extreme::<MAX>(input, &dims::all(input.rank()), false)
}

/// `max` over everything.
pub fn max_all(input: &Tensor) -> Result<Tensor> {
    over_all::<true>(input)
}

/// `min` over everything.
pub fn min_all(input: &Tensor) -> Result<Tensor> {
    over_all::<false>(input)
}

fn along_dim<const MAX: bool>(input: &Tensor, dim: i64, keepdim: bool) -> Result<(Tensor, Tensor)> {
    let name = if MAX { "max()" } else { "min()" };
    let d = wrap_dim(dim, input.rank())?;
    check_nonempty(name, input.sizes(), &listed(&[dim], input.rank())?)?;
    if input.dtype().is_complex() {
        return Err(Fault::type_error(format!(
            "{name}: does not support complex input"
        )));
    }
    input
        .dtype()
        .computes_in_full(if MAX { "max_cpu" } else { "min_cpu" })?;
    with_indices::<MAX>(input, d, keepdim)
}

/// `max` along a dimension, with indices.
pub fn max_dim(input: &Tensor, dim: i64, keepdim: bool) -> Result<(Tensor, Tensor)> {
    along_dim::<true>(input, dim, keepdim)
}

/// `min` along a dimension, with indices.
pub fn min_dim(input: &Tensor, dim: i64, keepdim: bool) -> Result<(Tensor, Tensor)> {
    along_dim::<false>(input, dim, keepdim)
}

fn index_of<const MAX: bool>(input: &Tensor, dim: Option<i64>, keepdim: bool) -> Result<Tensor> {
    let name = if MAX { "argmax()" } else { "argmin()" };
    match dim {
        Some(dim) => check_nonempty(name, input.sizes(), &listed(&[dim], input.rank())?)?,
        None if input.numel() == 0 => {
            return Err(Fault::index(format!(
                "{name}: Expected reduction dim to be specified for input.numel() == 0."
            )));
        }
        None => {}
    }
    input
        .dtype()
        .computes_in_full(if MAX { "argmax_cpu" } else { "argmin_cpu" })?;
    if input.dtype().is_complex() {
        return Err(Fault::type_error(format!(
            "{name}: does not support complex input"
        )));
    }
    if input.dtype() == DType::Bool {
        return Err(Fault::not_implemented(format!(
            "{name}: does not support bool input"
        )));
    }
    if let Some(dim) = dim {
        let d = wrap_dim(dim, input.rank())?;
        return Ok(with_indices::<MAX>(input, d, keepdim)?.1);
    }
    let flat = input.reshape_to(&[input.numel()])?;
    let index = with_indices::<MAX>(&flat, 0, false)?.1;
    let rank = if keepdim { input.rank() } else { 0 };
    index.reshape_to(&memory::filled(rank, 1))
}

/// `argmax`.
pub fn argmax(input: &Tensor, dim: Option<i64>, keepdim: bool) -> Result<Tensor> {
    index_of::<true>(input, dim, keepdim)
}

/// `argmin`.
pub fn argmin(input: &Tensor, dim: Option<i64>, keepdim: bool) -> Result<Tensor> {
    index_of::<false>(input, dim, keepdim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_equal_extremes_and_the_first_nan_are_reported() {
        let nan = f32::NAN;
        let rows = [1.0, 3.0, 3.0, 0.0, 1.0, nan, 5.0, nan];
        let t = Tensor::from_slice(&rows, &[2, 4]).unwrap();
        let (values, indices) = max_dim(&t, 1, false).unwrap();
        assert_eq!(indices.to_vec::<i64>(), [1, 1]);
        assert!(values.to_vec::<f32>()[1].is_nan());
        let across = max_dim(&t.transpose(0, 1).unwrap().contiguous(), 0, true).unwrap();
        assert_eq!(across.1.to_vec::<i64>(), [1, 1]);
        assert_eq!(across.1.sizes(), [1, 2]);
    }

    #[test]
    fn empty_dimensions_have_no_extreme() {
        let t = Tensor::zeros(&[0, 3], DType::F32).unwrap();
        let message = |r: Result<Tensor>| r.unwrap_err().message().to_string();
        assert_eq!(
            message(max_dim(&t, 0, false).map(|r| r.0)),
            "max(): Expected reduction dim 0 to have non-zero size."
        );
        assert_eq!(max_dim(&t, 1, false).unwrap().1.sizes(), [0]);
        assert!(
            message(amax(&t, Ints::new(), false))
                .starts_with("amax(): Expected reduction dim to be specified")
        );
    }
}

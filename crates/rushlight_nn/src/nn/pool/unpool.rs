//! The inverse of max pooling: values go back to the positions they came from, the rest is zero.

use super::window::need_elements;
use super::{Ints, in_format_of};
use rushlight_tensor::layout::list;
use rushlight_tensor::memory::Collected;
use rushlight_tensor::{Buffer, DType, Dims, Fault, Number, Result, Tensor, dispatch};
use rushlight_types::{Context, OutDtype, determinism, op, operators};

operators! {
    /// Max unpooling.
    pub static ROWS = [
        op!("aten::max_unpool2d(Tensor self, Tensor indices, SymInt[2] output_size) -> Tensor", max_unpool2d).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Same("expected scalar type {result} but found {out}")),
        op!("aten::max_unpool3d(Tensor self, Tensor indices, SymInt[3] output_size, int[3] stride, int[3] padding) -> Tensor", max_unpool3d).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Same("expected scalar type {result} but found {out}")),
    ];
}

fn max_unpool2d(cx: &Context, t: &Tensor, indices: &Tensor, output: Ints) -> Result<Tensor> {
    determinism::not_promised_by(cx, "max_unpooling2d_forward_out")?;
    unpool("max_unpooling2d", t, indices, 2, &output)
}

fn max_unpool3d(
    cx: &Context,
    t: &Tensor,
    indices: &Tensor,
    output: Ints,
    stride: Ints,
    padding: Ints,
) -> Result<Tensor> {
    determinism::not_promised_by(cx, "max_unpooling3d_forward_out")?;
    need_count("output_size", &output, 3)?;
    need_count("stride", &stride, 3)?;
    need_count("padding", &padding, 3)?;
    if stride.iter().any(|s| *s <= 0) {
        return Err(Fault::runtime(format!(
            "strides should be greater than zero, but got stride: {stride:?}"
        )));
    }
    unpool("max_unpooling3d", t, indices, 3, &output)
}

/// Refuses a list that does not have one value per dimension.
fn need_count(name: &str, values: &[i64], dims: usize) -> Result<()> {
    if values.len() == dims {
        return Ok(());
    }
    let all = match dims {
        2 => "two elements (height, width)",
        _ => "three elements (depth, height, width)",
    };
    let colon = if name == "output_size" { "" } else { ":" };
    Err(Fault::runtime(format!(
        "There should be exactly {all} in {name}, but got{colon} {} elements.",
        values.len()
    )))
}

fn unpool(name: &str, t: &Tensor, indices: &Tensor, dims: usize, output: &[i64]) -> Result<Tensor> {
    let fail = |message: String| Err(Fault::runtime(message));
    if indices.dtype() != DType::I64 {
        return fail(format!(
            "elements in indices should be type int64 but got: {}",
            indices.dtype().class_name()
        ));
    }
    need_count("output_size", output, dims)?;
    if output.iter().any(|o| *o < 0) {
        return fail(format!(
            "{name}(): output_size must contain non-negative spatial dimensions, but got output_size={output:?}"
        ));
    }
    if t.rank() != dims + 1 && t.rank() != dims + 2 {
        return fail(format!(
            "Input to {name} should be a {}d or {}d Tensor, but got a tensor with {} dimensions.",
            dims + 1,
            dims + 2,
            t.rank()
        ));
    }
    if t.sizes() != indices.sizes() {
        return fail(format!(
            "Expected shape of indices to be same as that of the input tensor ({}) but got indices tensor with shape: {}",
            list(t.sizes()),
            list(indices.sizes())
        ));
    }
    need_elements(name, "_forward_out_cpu()", t, 1)?;
    if (t.dtype().is_integral(true) || t.dtype().is_complex()) && t.numel() > 0 {
        return Err(Fault::no_kernel(&format!("max_unpool{dims}d"), t.dtype()));
    }
    let lead = t.rank() - dims;
    let mut sizes = Dims::from_slice(&t.sizes()[..lead]);
    sizes.extend(output.iter().map(|o| *o as usize));
    let numel = rushlight_tensor::layout::checked_numel(&sizes)?;
    let planes: usize = sizes[..lead].iter().product();
    let (from, to) = (t.numel() / planes.max(1), numel / planes.max(1));
    let places = indices.data::<i64>();
    let out = dispatch!(t.dtype(), Real, T => {
        let x = t.data::<T>();
        let is_inside = |place: &i64| usize::try_from(*place).is_ok_and(|place| place < to);
        // The last of several is the one that is told; where there is no place at all, nobody asks.
        if numel == 0 {
            return Tensor::zeros(&sizes, t.dtype());
        }
        if let Some(place) = places.iter().rev().find(|place| !is_inside(place)) {
            return fail(format!(
                "Found an invalid max index: {place} (output volumes are of size {})",
                output.iter().map(i64::to_string).collected().join("x")
            ));
        }
        let mut out = Buffer::<T>::filled(numel, T::ZERO);
        for (i, (value, place)) in x.iter().zip(places.iter()).enumerate() {
            out[i / from * to + *place as usize] = *value;
        }
        out.into_tensor(&sizes)
    }, else => return Err(Fault::no_kernel(name, t.dtype())));
    in_format_of(out, t)
}

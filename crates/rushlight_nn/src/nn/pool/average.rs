//! Average pooling over fixed windows.

use super::window::{Lists, rank_of_argument};
use super::{Ints, Shape, Windows, in_format_of, pictures_of, result_sizes};
use crate::quantized;
use rushlight_kernels::compute::{Compute, compute, finish};
use rushlight_kernels::nn::pool::average::{Divisor, pixels, planes};
use rushlight_tensor::{DType, Fault, Result, Tensor};
use rushlight_types::{Functional, Quantized, op, operators};

operators! {
    /// Average pooling.
    pub static ROWS = [
        op!("aten::avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], bool ceil_mode=False, bool count_include_pad=True) -> Tensor", avg_pool1d).quantized(Quantized::Native).functional(Functional::AvgPool { dims: 1 }).out("out", rushlight_ops::out::exact),
        op!("aten::avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor", avg_pool2d).quantized(Quantized::Native).functional(Functional::AvgPool { dims: 2 }).out("out", rushlight_ops::out::exact),
        op!("aten::avg_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor", avg_pool3d).functional(Functional::AvgPool { dims: 3 }).out("out", rushlight_ops::out::exact),
    ];
}

fn avg_pool1d(
    t: &Tensor,
    kernel: Ints,
    stride: Ints,
    padding: Ints,
    ceil_mode: bool,
    count_include_pad: bool,
) -> Result<Tensor> {
    for (name, list) in [
        ("kernel_size", &kernel),
        ("stride", &stride),
        ("padding", &padding),
    ] {
        if list.len() > 1 || list.is_empty() && name != "stride" {
            return Err(Fault::runtime(format!(
                "avg_pool1d() argument '{name}' should contain one int (got {})",
                list.len()
            )));
        }
    }
    if t.rank() != 2 && t.rank() != 3 {
        return Err(rank_of_argument("avg_pool1d", t));
    }
    // A row is an image of one line.
    let line = |lead: i64, list: &[i64]| list.first().map_or_else(Vec::new, |v| vec![lead, *v]);
    let (kernel, stride, padding) = (line(1, &kernel), line(1, &stride), line(0, &padding));
    let pooled = average(
        "avg_pool2d",
        &t.unsqueeze(-2)?,
        2,
        [&kernel, &stride, &padding],
        ceil_mode,
        count_include_pad,
        None,
    )?;
    pooled.select(-2, 0)
}

fn avg_pool2d(
    t: &Tensor,
    kernel: Ints,
    stride: Ints,
    padding: Ints,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor: Option<i64>,
) -> Result<Tensor> {
    average(
        "avg_pool2d",
        t,
        2,
        [&kernel, &stride, &padding],
        ceil_mode,
        count_include_pad,
        divisor,
    )
}

fn avg_pool3d(
    t: &Tensor,
    kernel: Ints,
    stride: Ints,
    padding: Ints,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor: Option<i64>,
) -> Result<Tensor> {
    average(
        "avg_pool3d",
        t,
        3,
        [&kernel, &stride, &padding],
        ceil_mode,
        count_include_pad,
        divisor,
    )
}

#[inline(never)]
fn average(
    name: &str,
    t: &Tensor,
    dims: usize,
    [kernel, stride, padding]: [&[i64]; 3],
    ceil_mode: bool,
    count_include_pad: bool,
    divisor: Option<i64>,
) -> Result<Tensor> {
    if divisor == Some(0) {
        return Err(Fault::runtime("divisor must be not zero"));
    }
    let lists = Lists {
        kernel,
        stride,
        padding,
        dilation: &[1],
        ceil_mode,
    };
    let windows = Windows::new(name, t, dims, &lists)?;
    let divisor = match divisor {
        Some(d) => Divisor::Given(d),
        None if count_include_pad => Divisor::Padded,
        None => Divisor::Inside,
    };
    let shape = Shape::of(t, dims);
    let sizes = result_sizes(t, dims, windows.output);
    if t.dtype().is_quantized() {
        let own = "aten::avg_pool2d";
        return quantized::average(own, t, quantized::Windows::Fixed, |t, _| {
            // By the inverse of the size, as the reference does with integers.
            let mean = |sum: f32, count: f64| sum * (1.0 / count as f32);
            Ok(planes(&shape, &windows, t, divisor, mean).into_tensor(&sizes))
        });
    }
    if t.dtype() == DType::I64 {
        // Means of integers are truncated.
        let out = planes(
            &shape,
            &windows,
            &t.to_dtype(DType::F64),
            divisor,
            quotient::<f64>,
        );
        return in_format_of(finish(out, &sizes, DType::I64), t);
    }
    let kernel = if dims == 3 {
        "avg_pool3d_out_frame"
    } else {
        "avg_pool2d"
    };
    if dims == 3 && matches!(t.dtype(), DType::F16 | DType::BF16) {
        return Err(Fault::no_kernel(kernel, t.dtype()));
    }
    if let Some(pictures) = pictures_of(t, dims)? {
        let [_, height, width] = windows.output;
        let (batch, channels) = (t.size(0), t.size(1));
        let out = compute!(t.dtype(), kernel, W => {
            let out = pixels(&windows, &pictures, (batch, channels), divisor, quotient::<W>);
            finish(out, &[batch, height, width, channels], t.dtype())
        });
        return out.view_with(out.layout().permute(&[0, 3, 1, 2]));
    }
    let out = compute!(t.dtype(), kernel, W => {
        finish(planes(&shape, &windows, t, divisor, quotient::<W>), &sizes, t.dtype())
    });
    in_format_of(out, t)
}

fn quotient<W: Compute>(sum: W, count: f64) -> W {
    sum / W::of(count)
}

//! Average pooling over fixed windows.

use super::window::Lists;
use super::{Ints, Shape, Windows, in_format_of, result_sizes};
use crate::compute::{Compute, compute, dense, finish};
use crate::quantized;
use rushlight_tensor::memory;
use rushlight_tensor::{Buffer, DType, Fault, Result, Tensor, threads, watch};
use rushlight_types::{Quantized, op, operators};

operators! {
    /// Average pooling.
    pub static ROWS = [
        op!("aten::avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], bool ceil_mode=False, bool count_include_pad=True) -> Tensor", avg_pool1d).quantized(Quantized::Native),
        op!("aten::avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor", avg_pool2d).quantized(Quantized::Native),
        op!("aten::avg_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor", avg_pool3d),
        op_out_exact!("aten::avg_pool1d.out(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], bool ceil_mode=False, bool count_include_pad=True, *, Tensor(a!) out) -> Tensor(a!)", avg_pool1d),
        op_out_exact!("aten::avg_pool2d.out(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None, *, Tensor(a!) out) -> Tensor(a!)", avg_pool2d),
        op_out_exact!("aten::avg_pool3d.out(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None, *, Tensor(a!) out) -> Tensor(a!)", avg_pool3d),
    ];
}

/// What a window's sum is divided by.
#[derive(Clone, Copy)]
enum Divisor {
    /// Elements of the image in the window.
    Inside,
    /// Elements of the padded image in the window.
    Padded,
    Given(i64),
}

fn avg_pool1d(
    t: &Tensor,
    kernel: Ints,
    stride: Ints,
    padding: Ints,
    ceil_mode: bool,
    count_include_pad: bool,
) -> Result<Tensor> {
    average(
        "avg_pool1d",
        t,
        1,
        [&kernel, &stride, &padding],
        ceil_mode,
        count_include_pad,
        None,
    )
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
    let out = compute!(t.dtype(), kernel, W => {
        finish(planes(&shape, &windows, t, divisor, quotient::<W>), &sizes, t.dtype())
    });
    in_format_of(out, t)
}

fn quotient<W: Compute>(sum: W, count: f64) -> W {
    sum / W::of(count)
}

/// `mean` makes the mean of a window's sum and the divisor.
fn planes<W: Compute>(
    shape: &Shape,
    w: &Windows,
    t: &Tensor,
    divisor: Divisor,
    mean: impl Fn(W, f64) -> W + Copy + Sync,
) -> Buffer<W> {
    let x = dense::<W>(t);
    let x = x.data::<W>();
    let x = &x[..];
    let (from, to): (usize, usize) = (shape.input.iter().product(), w.output.iter().product());
    let mut out = Buffer::<W>::stale(memory::times([shape.planes, to]));
    let (from, to) = (from.max(1), to.max(1));
    threads::split_rows(&mut out, to, 1, w.cost(), &|planes, out| {
        let x = x.get(planes.start * from..).unwrap_or_default();
        for (image, plane) in x.chunks(from).zip(out.chunks_mut(to)) {
            plane_means(w, image, plane, divisor, mean);
        }
    });
    out
}

fn plane_means<W: Compute>(
    w: &Windows,
    image: &[W],
    out: &mut [W],
    divisor: Divisor,
    mean: impl Fn(W, f64) -> W,
) {
    // How many positions of the window lie inside the padded image.
    let padded = |d: usize, o: usize| {
        let start = o * w.stride[d];
        (start + w.kernel[d])
            .min(w.input[d] + 2 * w.padding[d])
            .saturating_sub(start)
    };
    let mut at = 0;
    for oz in 0..w.output[0] {
        watch::poll();
        let (z0, z1) = w.covered(0, oz);
        for oy in 0..w.output[1] {
            watch::poll();
            let (y0, y1) = w.covered(1, oy);
            for ox in 0..w.output[2] {
                let (x0, x1) = w.covered(2, ox);
                let mut sum = W::ZERO;
                for z in z0..z1 {
                    for y in y0..y1 {
                        let row = (z * w.input[1] + y) * w.input[2];
                        for value in &image[row + x0..row + x1] {
                            sum += *value;
                        }
                    }
                }
                let count = match divisor {
                    Divisor::Given(d) => d as f64,
                    Divisor::Padded => (padded(0, oz) * padded(1, oy) * padded(2, ox)) as f64,
                    Divisor::Inside => ((z1 - z0) * (y1 - y0) * (x1 - x0)) as f64,
                };
                out[at] = if z0 == z1 || y0 == y1 || x0 == x1 {
                    W::ZERO
                } else {
                    mean(sum, count)
                };
                at += 1;
            }
        }
    }
}

//! Windows of fixed size: kernel, stride, padding, dilation, and the arithmetic of the result's sizes.

use rushlight_tensor::layout::list;
use rushlight_tensor::memory::Collected;
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{Fault, Result, Tensor};

/// Spatial sizes of a tensor lifted to three dimensions.
pub struct Shape {
    /// Product of the leading sizes.
    pub planes: usize,
    pub input: [usize; 3],
}

impl Shape {
    /// The last `dims` dimensions as spatial ones.
    pub fn of(t: &Tensor, dims: usize) -> Shape {
        let lead = t.rank() - dims;
        let mut input = [1; 3];
        input[3 - dims..].copy_from_slice(&t.sizes()[lead..]);
        Shape {
            planes: t.sizes()[..lead].iter().product(),
            input,
        }
    }
}

/// Windows of one size at regular steps.
pub struct Windows {
    pub kernel: [usize; 3],
    pub stride: [usize; 3],
    pub padding: [usize; 3],
    pub dilation: [usize; 3],
    pub input: [usize; 3],
    pub output: [usize; 3],
}

/// The lists of a pooling operator's arguments.
pub struct Lists<'a> {
    pub kernel: &'a [i64],
    pub stride: &'a [i64],
    pub padding: &'a [i64],
    pub dilation: &'a [i64],
    pub ceil_mode: bool,
}

/// A value per spatial dimension; a list of one stands for all of them.
fn lift(name: &str, what: &str, values: &[i64], dims: usize, lead: i64) -> Result<[i64; 3]> {
    if values.len() != 1 && values.len() != dims {
        return Err(wrong_count(name, what, values.len(), dims));
    }
    let mut out = [lead; 3];
    for d in 0..dims {
        out[3 - dims + d] = values[if values.len() == 1 { 0 } else { d }];
    }
    Ok(out)
}

/// The error for a list that has neither one value nor one per dimension.
#[cold]
fn wrong_count(name: &str, what: &str, count: usize, dims: usize) -> Fault {
    let is_stride = what == "stride";
    if dims == 1 {
        let one = match what {
            "stride" => "None, an int, list of ints, or tuple",
            "padding" => "an int, list of ints, or tuple",
            _ => "an int, list of ints or tuple",
        };
        return Fault::runtime(format!(
            "{name}() {what} must be {one} of ints of size 1 but got size {count}"
        ));
    }
    let either = match what {
        "dilation" => "be either",
        _ if name == "avg_pool3d" => "be",
        _ => "either be",
    };
    let omitted = if is_stride { " omitted," } else { "" };
    Fault::runtime(format!(
        "{name}: {what} must {either}{omitted} a single int, or a tuple of {} ints",
        if dims == 2 { "two" } else { "three" }
    ))
}

impl Windows {
    /// About what a plane of the result costs, in elements of a simple loop.
    pub fn cost(&self) -> usize {
        let product = |sizes: &[usize; 3]| {
            let sizes = sizes.iter();
            sizes.fold(1usize, |product, size| product.saturating_mul(*size))
        };
        product(&self.output).saturating_mul(product(&self.kernel))
    }

    /// Reads and checks the arguments of the pooling operator `name` over the last `dims` dimensions of `t`.
    pub fn new(name: &str, t: &Tensor, dims: usize, lists: &Lists<'_>) -> Result<Windows> {
        let fail = |message: String| Err(Fault::runtime(message));
        let kernel = lift(name, "kernel_size", lists.kernel, dims, 1)?;
        let stride = if lists.stride.is_empty() {
            kernel
        } else {
            lift(name, "stride", lists.stride, dims, 1)?
        };
        let padding = lift(name, "padding", lists.padding, dims, 0)?;
        let dilation = lift(name, "dilation", lists.dilation, dims, 1)?;
        if dims == 2
            && kernel
                .iter()
                .chain(&stride)
                .chain(&dilation)
                .all(|v| *v > 0)
        {
            check_padding(name, dims, &kernel, &padding, &dilation)?;
        }
        check_input(name, t, dims)?;
        let given = [
            ("kernel_size", "kernel size", "k", kernel),
            ("stride", "stride", "d", stride),
            ("dilation", "dilation", "dilation", dilation),
        ];
        if dims > 1 {
            if stride.contains(&0) {
                return fail("stride should not be zero".to_string());
            }
            check_padding(name, dims, &kernel, &padding, &dilation)?;
        }
        if let Some(wrong) = given
            .iter()
            .find(|(.., values)| values.iter().any(|v| *v <= 0))
        {
            return Err(not_positive(name, dims, wrong));
        }
        check_padding(name, dims, &kernel, &padding, &dilation)?;
        let input = Shape::of(t, dims).input;
        // This one has no window that is larger than the image, whatever the padding.
        if name == "avg_pool3d" && (0..3).any(|d| (input[d] as i64) < kernel[d]) {
            return fail(format!(
                "input image ({}) smaller than kernel size ({})",
                named("", input.map(|size| size as i64), 3),
                named("k", kernel, 3)
            ));
        }
        let mut output = [1i64; 3];
        for d in 3 - dims..3 {
            let reach = (kernel[d] - 1)
                .saturating_mul(dilation[d])
                .saturating_add(1);
            let room = input[d] as i64 + 2 * padding[d] - reach;
            let extra = if lists.ceil_mode { stride[d] - 1 } else { 0 };
            output[d] = room.saturating_add(extra).div_euclid(stride[d]) + 1;
            // The last window starts inside the image or its left padding.
            if lists.ceil_mode && (output[d] - 1) * stride[d] >= input[d] as i64 + padding[d] {
                output[d] -= 1;
            }
        }
        if output[3 - dims..].iter().any(|o| *o < 1) {
            let text = |v: &dyn Fn(usize) -> String| (3 - dims..3).map(v).collected().join("x");
            let channels = t.size(t.rank() - dims - 1);
            let (from, to) = (
                text(&|d| input[d].to_string()),
                text(&|d| output[d].to_string()),
            );
            return fail(if name == "max_pool1d" {
                format!("{name}() Invalid computed output size: {}", output[2])
            } else {
                format!(
                    "Given input size: ({channels}x{from}). Calculated output size: ({channels}x{to}). Output size is too small"
                )
            });
        }
        let unsigned = |v: [i64; 3]| v.map(|x| x as usize);
        Ok(Windows {
            kernel: unsigned(kernel),
            stride: unsigned(stride),
            padding: unsigned(padding),
            dilation: unsigned(dilation),
            input,
            output: unsigned(output),
        })
    }

    /// The input positions that window `o` of dimension `d` covers: first, one past the last, all `dilation` apart.
    #[inline(always)]
    pub fn covered(&self, d: usize, o: usize) -> (usize, usize) {
        let start = (o * self.stride[d]) as isize - self.padding[d] as isize;
        let step = self.dilation[d] as isize;
        let end = (start + (self.kernel[d] as isize - 1) * step + 1).min(self.input[d] as isize);
        let first = if start < 0 {
            start + (-start + step - 1) / step * step
        } else {
            start
        };
        (first as usize, end.max(first) as usize)
    }
}

/// Refuses paddings below zero or above half of a window.
fn check_padding(
    name: &str,
    dims: usize,
    kernel: &[i64; 3],
    padding: &[i64; 3],
    dilation: &[i64; 3],
) -> Result<()> {
    let fail = |message: String| Err(Fault::runtime(message));
    let is_own = name == "max_pool1d";
    for d in 3 - dims..3 {
        if padding[d] < 0 {
            return fail(match is_own {
                true => format!(
                    "{name}() padding must be non-negative, but got {}",
                    padding[d]
                ),
                false => format!("pad must be non-negative, but got pad: {}", padding[d]),
            });
        }
        let reach = (kernel[d] - 1)
            .saturating_mul(dilation[d])
            .saturating_add(1);
        if padding[d] > reach / 2 {
            return fail(match is_own {
                true => format!(
                    "{name}() padding should be at most half of kernel size, but got padding={} and kernel_size={}",
                    padding[d], kernel[d]
                ),
                false => format!(
                    "pad should be at most half of effective kernel size, but got pad={}, kernel_size={} and dilation={}",
                    padding[d], kernel[d], dilation[d]
                ),
            });
        }
    }
    Ok(())
}

/// The error for an argument, by its names, that has values below one.
#[cold]
fn not_positive(
    name: &str,
    dims: usize,
    (argument, what, prefix, values): &(&str, &str, &str, [i64; 3]),
) -> Fault {
    Fault::runtime(match dims {
        1 => format!(
            "{name}() {argument} must be greater than zero, but got {}",
            values[2]
        ),
        _ => format!(
            "{what} should be greater than zero, but got {}",
            named(prefix, *values, dims)
        ),
    })
}

/// Values by dimension, as messages show them: `kH: 2 kW: 3`.
#[cold]
fn named(prefix: &str, [t, h, w]: [i64; 3], dims: usize) -> String {
    match dims {
        3 => format!("{prefix}T: {t} {prefix}H: {h} {prefix}W: {w}"),
        _ => format!("{prefix}H: {h} {prefix}W: {w}"),
    }
}

/// Ranks and empty dimensions that pooling refuses.
fn check_input(name: &str, t: &Tensor, dims: usize) -> Result<()> {
    let rank_fits = t.rank() == dims + 1 || t.rank() == dims + 2;
    let nonempty = rank_fits && {
        let first = if t.rank() == dims + 2 { 1 } else { 0 };
        t.sizes()[first..].iter().all(|s| *s != 0)
    };
    if rank_fits && nonempty {
        return Ok(());
    }
    if rank_fits && dims == 3 {
        let first = if t.rank() == dims + 2 { 1 } else { 0 };
        let kernel = if name.starts_with("max") {
            "max_pool3d_with_indices_out_cpu_template"
        } else {
            "avg_pool3d"
        };
        return need_elements(kernel, "()", t, first);
    }
    Err(wrong_rank(name, t, dims, rank_fits))
}

/// Refuses dimensions from the first on that are empty, in the name of an operator and what its kernel adds to that.
pub fn need_elements(name: &str, kernel: &str, t: &Tensor, first: usize) -> Result<()> {
    match (first..t.rank()).find(|d| t.size(*d) == 0) {
        None => Ok(()),
        Some(at) => Err(Fault::runtime(format!(
            "{name}{kernel}: Expected input to have non-zero size for non-batch dimensions, but input has sizes {} with dimension {at} being empty",
            list(t.sizes())
        ))),
    }
}

/// The error for a tensor of too many or too few dimensions, or with none of some.
fn wrong_rank(name: &str, t: &Tensor, dims: usize, rank_fits: bool) -> Fault {
    // This one asks for the size of the third dimension from the end before it asks how many there are.
    let is_average = name == "avg_pool2d";
    if is_average && let Err(fault) = wrap_dim(-3, t.rank()) {
        return fault;
    }
    if dims > 1 && !rank_fits && !is_average {
        return Fault::runtime(format!(
            "non-empty {}D or {}D (batch mode) tensor expected for input",
            dims + 1,
            dims + 2
        ));
    }
    let prefix = if dims == 1 {
        format!("{name}: ")
    } else {
        String::new()
    };
    Fault::runtime(format!(
        "{prefix}Expected {}D or {}D (batch mode) tensor with optional 0 dim batch size for input, but got:{}",
        dims + 1,
        dims + 2,
        list(t.sizes())
    ))
}

/// The error that one-dimensional pooling of averages and of adaptive windows gives.
pub fn rank_of_argument(name: &str, t: &Tensor) -> Fault {
    Fault::runtime(format!(
        "Expected 2 to 3 dimensions, but got {}-dimensional tensor for argument #1 'self' (while checking arguments for {name})",
        t.rank()
    ))
}

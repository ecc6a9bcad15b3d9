//! Sliding blocks: `im2col` takes them out into columns, `col2im` adds them up again.

use rushlight_tensor::layout::list;
use rushlight_tensor::memory;
use rushlight_tensor::view::{no_dimensions, wrap_dim};
use rushlight_tensor::{Buffer, DType, Fault, Number, Result, Tensor, by_width, dispatch, watch};
use rushlight_types::{OutDtype, op, operators};
use smallvec::SmallVec;

type Ints = SmallVec<[i64; 6]>;

operators! {
    /// Blocks to columns and back.
    pub static ROWS = [
        op!("aten::im2col(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor", im2col).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Same("expected scalar type {result} but found {out}")),
        op!("aten::col2im(Tensor self, SymInt[2] output_size, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor", col2im).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Same("expected scalar type {result} but found {out}")),
    ];
}

/// The blocks of an image.
struct Blocks {
    image: [usize; 2],
    kernel: [usize; 2],
    dilation: [usize; 2],
    padding: [usize; 2],
    stride: [usize; 2],
    /// How many blocks there are along each dimension; fewer than none where the kernel does not fit.
    steps: [i64; 2],
    count: [usize; 2],
}

/// Refuses a list of another length than two.
fn need_two(name: &str, values: &[i64]) -> Result<()> {
    if values.len() == 2 {
        return Ok(());
    }
    Err(Fault::runtime(format!(
        "It is expected {name} equals to 2, but got size {}",
        values.len()
    )))
}

impl Blocks {
    /// The lists in the order in which they are asked for: their argument, what messages call it and its two values, and the
    /// least of these.
    const LISTS: [(&str, &str, &str, i64); 4] = [
        ("kernel_size", "kernel size", "kernel", 1),
        ("dilation", "dilation", "dilation", 1),
        ("padding", "padding", "pad", 0),
        ("stride", "stride", "stride", 1),
    ];

    fn new(image: [i64; 2], lists: [&[i64]; 4]) -> Result<Blocks> {
        let mut pairs = [[0usize; 2]; 4];
        for ((name, ..), values) in Blocks::LISTS.iter().zip(lists) {
            need_two(name, values)?;
        }
        let given = Blocks::LISTS.iter().zip(lists).zip(&mut pairs);
        for (((_, what, prefix, least), values), pair) in given {
            if values.iter().any(|v| v < least) {
                let limit = match least {
                    1 => "greater than zero",
                    _ => "non-negative",
                };
                return Err(Fault::runtime(format!(
                    "{what} should be {limit}, but got {prefix}_height: {} {prefix}_width: {}",
                    values[0], values[1]
                )));
            }
            *pair = [values[0] as usize, values[1] as usize];
        }
        let [kernel, dilation, padding, stride] = pairs;
        let steps = [0, 1].map(|d| {
            let reach = dilation[d].saturating_mul(kernel[d] - 1).saturating_add(1);
            let padded = image[d].saturating_add((padding[d] as i64).saturating_mul(2));
            let room = padded.saturating_sub(reach as i64);
            room.div_euclid(stride[d] as i64).saturating_add(1)
        });
        Ok(Blocks {
            image: image.map(|size| size.max(0) as usize),
            kernel,
            dilation,
            padding,
            stride,
            steps,
            count: steps.map(|n| n.max(0) as usize),
        })
    }

    /// Fails where there is no block at all.
    fn need_some(&self) -> Result<()> {
        if self.steps.iter().all(|n| *n > 0) {
            return Ok(());
        }
        let pair = |v: [usize; 2]| format!("({}, {})", v[0], v[1]);
        Err(Fault::runtime(format!(
            "Given input with spatial size {}, kernel_size={}, dilation={}, padding={}, calculated shape of the array of sliding blocks as ({}, {}), but its components must be at least one.",
            pair(self.image),
            pair(self.kernel),
            pair(self.dilation),
            pair(self.padding),
            self.steps[0],
            self.steps[1]
        )))
    }

    fn taps(&self) -> usize {
        self.kernel[0] * self.kernel[1]
    }

    fn columns(&self) -> usize {
        self.count[0] * self.count[1]
    }

    /// The blocks of a row whose element at a place lies inside the image: from the first to the one behind the last.
    fn inside(&self, kx: usize) -> std::ops::Range<usize> {
        let (step, left) = (self.stride[1], kx * self.dilation[1]);
        let first = self.padding[1].saturating_sub(left).div_ceil(step);
        let end = (self.image[1] + self.padding[1])
            .saturating_sub(left)
            .div_ceil(step)
            .min(self.count[1]);
        first.min(end)..end
    }

    /// Calls `f(tap, column, place, count)` for every run of elements of neighbouring blocks that lie inside the image: from
    /// one to the next it is a column and a stride.
    fn for_each(&self, f: &mut dyn FnMut(usize, usize, usize, usize)) {
        for tap in 0..self.taps() {
            let (ky, kx) = (tap / self.kernel[1], tap % self.kernel[1]);
            let inside = self.inside(kx);
            if inside.is_empty() {
                continue;
            }
            let x = inside.start * self.stride[1] + kx * self.dilation[1] - self.padding[1];
            for by in 0..self.count[0] {
                watch::poll();
                let y = (by * self.stride[0] + ky * self.dilation[0]).wrapping_sub(self.padding[0]);
                if y >= self.image[0] {
                    continue;
                }
                let column = by * self.count[1] + inside.start;
                f(tap, column, y * self.image[1] + x, inside.len());
            }
        }
    }
}

fn im2col(t: &Tensor, kernel: Ints, dilation: Ints, padding: Ints, stride: Ints) -> Result<Tensor> {
    // Channels and rows are asked for before their number is looked at.
    match t.rank() {
        0 => return Err(no_dimensions(1)),
        rank @ 1..3 => drop(wrap_dim(rank as i64, rank)?),
        _ => {}
    }
    if t.rank() != 3 && t.rank() != 4 || t.sizes()[t.rank() - 3..].contains(&0) {
        return Err(Fault::runtime(format!(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but got: {}",
            list(t.sizes())
        )));
    }
    let r = t.rank();
    let blocks = Blocks::new(
        [t.size(r - 2) as i64, t.size(r - 1) as i64],
        [&kernel, &dilation, &padding, &stride],
    )?;
    blocks.need_some()?;
    if t.dtype().is_integral(false) || t.dtype().is_eight() {
        return Err(Fault::no_kernel("im2col_out_cpu", t.dtype()));
    }
    let (planes, channels) = (t.sizes()[..r - 2].iter().product::<usize>(), t.size(r - 3));
    let (taps, columns) = (blocks.taps(), blocks.columns());
    let plane = blocks.image[0] * blocks.image[1];
    let mut sizes = vec![channels * taps, columns];
    if r == 4 {
        sizes.insert(0, t.size(0));
    }
    rushlight_tensor::layout::checked_numel(&sizes)?;
    let width = t.dtype().size();
    let bytes = t.contiguous().bytes()?;
    let x = bytes.data::<u8>();
    let mut out = Buffer::<u8>::zeroed(memory::times([planes, taps, columns, width]));
    let images = x.chunks_exact(plane * width);
    for (image, result) in images.zip(out.chunks_exact_mut(taps * columns * width)) {
        watch::poll();
        blocks.for_each(&mut |tap, column, place, count| {
            let to = &mut result[(tap * columns + column) * width..][..count * width];
            let from = &image[place * width..];
            match blocks.stride[1] {
                1 => to.copy_from_slice(&from[..count * width]),
                step => by_width!(width, N => stepping::<N>(to, from, step)),
            }
        });
    }
    out.into_elements(t.dtype(), &sizes)
}

/// Elements of `N` bytes that are `step` apart in the source.
fn stepping<const N: usize>(to: &mut [u8], from: &[u8], step: usize) {
    let (to, from) = (to.as_chunks_mut::<N>().0, from.as_chunks::<N>().0);
    for (to, from) in to.iter_mut().zip(from.iter().step_by(step)) {
        *to = *from;
    }
}

fn col2im(
    t: &Tensor,
    output: Ints,
    kernel: Ints,
    dilation: Ints,
    padding: Ints,
    stride: Ints,
) -> Result<Tensor> {
    let fail = |message: String| Err(Fault::runtime(message));
    need_two("output_size", &output)?;
    if t.dtype() == DType::Bool {
        let sums = col2im(
            &t.to_dtype(DType::F64),
            output,
            kernel,
            dilation,
            padding,
            stride,
        )?;
        return Ok(sums.to_dtype(DType::Bool));
    }
    if t.rank() != 2 && t.rank() != 3 || t.sizes()[t.rank() - 2..].contains(&0) {
        return fail(format!(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for input, but got: {}",
            list(t.sizes())
        ));
    }
    let blocks = Blocks::new(
        [output[0], output[1]],
        [&kernel, &dilation, &padding, &stride],
    )?;
    let r = t.rank();
    let (rows, taps, columns) = (t.size(r - 2), blocks.taps(), blocks.columns());
    if !rows.is_multiple_of(taps) {
        return fail(format!(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got input.size(1)={rows} and kernel_size=({}, {}).",
            blocks.kernel[0], blocks.kernel[1]
        ));
    }
    let expected = blocks.steps[0].saturating_mul(blocks.steps[1]);
    if t.size(r - 1) as i64 != expected {
        return fail(format!(
            "Given output_size=({}, {}), kernel_size=({}, {}), dilation=({}, {}), padding=({}, {}), stride=({}, {}), expected size of input's dimension 2 to match the calculated number of sliding blocks {} * {} = {expected}, but got input.size(2)={}.",
            output[0],
            output[1],
            blocks.kernel[0],
            blocks.kernel[1],
            blocks.dilation[0],
            blocks.dilation[1],
            blocks.padding[0],
            blocks.padding[1],
            blocks.stride[0],
            blocks.stride[1],
            blocks.steps[0],
            blocks.steps[1],
            t.size(r - 1)
        ));
    }
    blocks.need_some()?;
    let batch = if r == 3 { t.size(0) } else { 1 };
    let channels = rows / taps;
    let plane = blocks.image[0] * blocks.image[1];
    let mut sizes = vec![channels, blocks.image[0], blocks.image[1]];
    if r == 3 {
        sizes.insert(0, batch);
    }
    rushlight_tensor::layout::checked_numel(&sizes)?;
    let dtype = t.dtype();
    if dtype.is_integral(false) {
        return Err(Fault::no_kernel("col2im_out_cpu", dtype));
    }
    Ok(dispatch!(dtype, NotBool, T => {
        let x = t.data::<T>();
        let mut out = Buffer::<T>::filled(memory::times([batch, channels, plane]), T::ZERO);
        for p in 0..batch * channels {
            watch::poll();
            let from = &x[p * taps * columns..(p + 1) * taps * columns];
            let image = &mut out[p * plane..(p + 1) * plane];
            blocks.for_each(&mut |tap, column, place, count| {
                let to = image[place..].iter_mut().step_by(blocks.stride[1]);
                let from = &from[tap * columns + column..][..count];
                from.iter().zip(to).for_each(|(from, to)| *to = to.add(*from));
            });
        }
        out.into_tensor(&sizes)
    }, else => return Err(Fault::no_kernel("col2im_out_cpu", dtype))))
}

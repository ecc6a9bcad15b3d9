//! Convolutions and transposed convolutions in one, two and three dimensions.
//!
//! Every form is lifted to three spatial dimensions and described by a [`Geometry`]; [`forward`] and [`transposed`]
//! compute it. This file holds the rows, the checks and the lifting.

use rushlight_kernels::nn::conv::dtypes;
mod fused;
mod slow;

use geometry::{Geometry, Spatial};
use rushlight_kernels::linalg::gemm::{product_dtype, product_types};
use rushlight_kernels::nn::conv::forward;
use rushlight_kernels::nn::conv::geometry;
use rushlight_kernels::nn::conv::transposed;
use rushlight_tensor::layout::list;
use rushlight_tensor::memory::Collected;
use rushlight_tensor::{Fault, MemoryFormat, Result, Tensor};
use rushlight_types::{Functional, arguments, op, operators};
use smallvec::SmallVec;

pub use fused::ROWS as FUSED;
pub use slow::ROWS as SLOW;

type Ints = SmallVec<[i64; 6]>;

operators! {
    /// Convolutions.
    pub static ROWS = [
        op!("aten::conv1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], SymInt[1] padding=[0], SymInt[1] dilation=[1], SymInt groups=1) -> Tensor", conv1d).functional(Functional::Convolution { dims: 1 }).joined(&fused::JOINED),
        op!("aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] padding=[0, 0], SymInt[2] dilation=[1, 1], SymInt groups=1) -> Tensor", conv2d).functional(Functional::Convolution { dims: 2 }).joined(&fused::JOINED),
        op!("aten::conv3d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], SymInt[3] padding=[0, 0, 0], SymInt[3] dilation=[1, 1, 1], SymInt groups=1) -> Tensor", conv3d).functional(Functional::Convolution { dims: 3 }).joined(&fused::JOINED),
        op!("aten::conv1d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], str padding=\"valid\", SymInt[1] dilation=[1], SymInt groups=1) -> Tensor", conv1d_padding).functional(Functional::Convolution { dims: 1 }),
        op!("aten::conv2d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], str padding=\"valid\", SymInt[2] dilation=[1, 1], SymInt groups=1) -> Tensor", conv2d_padding).functional(Functional::Convolution { dims: 2 }),
        op!("aten::conv3d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], str padding=\"valid\", SymInt[3] dilation=[1, 1, 1], SymInt groups=1) -> Tensor", conv3d_padding).functional(Functional::Convolution { dims: 3 }),
        op!("aten::_convolution_mode(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, str padding, SymInt[] dilation, SymInt groups) -> Tensor", convolution_mode),
        op!("aten::convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups) -> Tensor", convolution).out("out", rushlight_ops::out::cast),
        op!("aten::_convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups, bool benchmark, bool deterministic, bool cudnn_enabled, bool allow_tf32) -> Tensor", convolution_flags).functional(Functional::AnyConvolution).joined(&fused::JOINED).out("out", rushlight_ops::out::exact),
        op!("aten::_convolution.deprecated(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, int[] output_padding, SymInt groups, bool benchmark, bool deterministic, bool cudnn_enabled) -> Tensor", convolution_flags_deprecated).functional(Functional::AnyConvolution).joined(&fused::JOINED),
        op!("aten::conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], SymInt[1] padding=[0], SymInt[1] output_padding=[0], SymInt groups=1, SymInt[1] dilation=[1]) -> Tensor", conv_transpose1d).functional(Functional::TransposedConvolution { dims: 1 }),
        op!("aten::conv_transpose2d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] padding=[0, 0], SymInt[2] output_padding=[0, 0], SymInt groups=1, SymInt[2] dilation=[1, 1]) -> Tensor", conv_transpose2d).functional(Functional::TransposedConvolution { dims: 2 }),
        op!("aten::conv_transpose3d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], SymInt[3] padding=[0, 0, 0], SymInt[3] output_padding=[0, 0, 0], SymInt groups=1, SymInt[3] dilation=[1, 1, 1]) -> Tensor", conv_transpose3d).functional(Functional::TransposedConvolution { dims: 3 }),
        op!("aten::conv_tbc(Tensor self, Tensor weight, Tensor bias, int pad=0) -> Tensor", conv_tbc).out("out", rushlight_ops::out::cast),
    ];
}

/// The arguments of a convolution besides its tensors.
struct Options<'a> {
    stride: &'a [i64],
    padding: &'a [i64],
    dilation: &'a [i64],
    output_padding: &'a [i64],
    transposed: bool,
    groups: i64,
}

arguments! {
    /// The arguments of a general convolution besides its tensors.
    pub(crate) struct Settings {
        pub(crate) stride: Ints,
        pub(crate) padding: Ints,
        pub(crate) dilation: Ints,
        pub(crate) transposed: bool,
        pub(crate) output_padding: Ints,
        pub(crate) groups: i64,
    }
}

impl Settings {
    fn options(&self) -> Options<'_> {
        Options {
            stride: &self.stride,
            padding: &self.padding,
            dilation: &self.dilation,
            output_padding: &self.output_padding,
            transposed: self.transposed,
            groups: self.groups,
        }
    }
}

arguments! {
    /// The arguments of a transposed convolution besides its tensors.
    struct TransposedSettings {
        stride: Ints,
        padding: Ints,
        output_padding: Ints,
        groups: i64,
        dilation: Ints,
    }
}

impl TransposedSettings {
    fn options(&self) -> Options<'_> {
        Options {
            stride: &self.stride,
            padding: &self.padding,
            dilation: &self.dilation,
            output_padding: &self.output_padding,
            transposed: true,
            groups: self.groups,
        }
    }
}

arguments! {
    /// What other backends are told, which changes no result here.
    struct Hints {
        _benchmark: bool,
        _deterministic: bool,
        _cudnn_enabled: bool,
        _allow_tf32: bool,
    }
}

arguments! {
    /// The arguments of a convolution that is not transposed, besides its tensors.
    pub(crate) struct PlainSettings {
        pub(crate) stride: Ints,
        pub(crate) padding: Ints,
        pub(crate) dilation: Ints,
        pub(crate) groups: i64,
    }
}

arguments! {
    /// As [`PlainSettings`], with padding by name: `valid` or `same`.
    struct NamedPadding<'a> {
        stride: Ints,
        padding: &'a str,
        dilation: Ints,
        groups: i64,
    }
}

/// The options of a convolution that is not transposed.
fn forward_options<'a>(
    stride: &'a [i64],
    padding: &'a [i64],
    dilation: &'a [i64],
    groups: i64,
) -> Options<'a> {
    Options {
        stride,
        padding,
        dilation,
        output_padding: &[0],
        transposed: false,
        groups,
    }
}

macro_rules! convolutions {
    ($($name:ident $mode:ident $dims:literal;)*) => {$(
        fn $name(
            input: &Tensor,
            weight: &Tensor,
            bias: Option<&Tensor>,
            given: PlainSettings,
        ) -> Result<Tensor> {
            let options =
                forward_options(&given.stride, &given.padding, &given.dilation, given.groups);
            with_batch(stringify!($name), $dims, input, bias, |x| run(x, weight, bias, &options))
        }

        fn $mode(
            input: &Tensor,
            weight: &Tensor,
            bias: Option<&Tensor>,
            given: NamedPadding<'_>,
        ) -> Result<Tensor> {
            with_batch(stringify!($name), $dims, input, bias, |x| run_padded(x, weight, bias, &given))
        }
    )*};
}
convolutions! {
    conv1d conv1d_padding 1;
    conv2d conv2d_padding 2;
    conv3d conv3d_padding 3;
}

macro_rules! transposed_convolutions {
    ($($name:ident $dims:literal;)*) => {$(
        fn $name(
            input: &Tensor,
            weight: &Tensor,
            bias: Option<&Tensor>,
            settings: TransposedSettings,
        ) -> Result<Tensor> {
            let options = settings.options();
            with_batch(stringify!($name), $dims, input, None, |x| run(x, weight, bias, &options))
        }
    )*};
}
transposed_convolutions! {
    conv_transpose1d 1;
    conv_transpose2d 2;
    conv_transpose3d 3;
}

/// Gives an unbatched input a batch of one for the call of `f`.
fn with_batch(
    name: &str,
    dims: usize,
    input: &Tensor,
    bias: Option<&Tensor>,
    f: impl Fn(&Tensor) -> Result<Tensor>,
) -> Result<Tensor> {
    if input.rank() == dims + 2 {
        return f(input);
    }
    if input.rank() == dims + 1 {
        let out = f(&input.unsqueeze(0)?)?;
        return out.select(0, 0);
    }
    if dims > 1 {
        dtypes::check_bias(input, bias)?;
    }
    Err(Fault::runtime(format!(
        "Expected {}D (unbatched) or {}D (batched) input to {name}, but got input of size: {}",
        dims + 1,
        dims + 2,
        list(input.sizes())
    )))
}

pub(crate) fn convolution(
    input: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    settings: Settings,
) -> Result<Tensor> {
    let options = settings.options();
    if weight.rank() >= 3 && input.rank() + 1 == weight.rank() {
        return run(&input.unsqueeze(0)?, weight, bias, &options)?.select(0, 0);
    }
    run(input, weight, bias, &options)
}

fn convolution_flags(
    input: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    settings: Settings,
    _hints: Hints,
) -> Result<Tensor> {
    convolution(input, weight, bias, settings)
}

fn convolution_flags_deprecated(
    input: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    settings: Settings,
    _benchmark: bool,
    _deterministic: bool,
    _cudnn_enabled: bool,
) -> Result<Tensor> {
    convolution(input, weight, bias, settings)
}

fn convolution_mode(
    input: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    given: NamedPadding<'_>,
) -> Result<Tensor> {
    run_padded(input, weight, bias, &given)
}

/// Convolution with padding by name.
fn run_padded(
    input: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    given: &NamedPadding<'_>,
) -> Result<Tensor> {
    let padding = given.padding;
    if weight.rank() < 3 {
        return Err(Fault::runtime(
            "weight should have at least three dimensions",
        ));
    }
    if !matches!(padding, "same" | "valid") {
        return Err(Fault::runtime(format!(
            "Invalid padding string: '{padding}'"
        )));
    }
    let same = padding == "same";
    if same && given.stride.iter().any(|s| *s != 1) {
        return Err(Fault::runtime(
            "padding='same' is not supported for strided convolutions",
        ));
    }
    let options = forward_options(&given.stride, &[0], &given.dilation, given.groups);
    let mut geometry = check(input, weight, bias, &options, same)?;
    if same {
        geometry.pad_to_same();
    }
    compute(input, weight, bias, geometry)
}

fn run(
    input: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    options: &Options<'_>,
) -> Result<Tensor> {
    let geometry = check(input, weight, bias, options, false)?;
    compute(input, weight, bias, geometry)
}

/// A value per spatial dimension from a list with one for each, or one for all.
fn per_dim(what: &str, values: &[i64], dims: usize, lead: i64) -> Result<Spatial<i64>> {
    let mut out = [lead; 3];
    if values.len() != 1 && values.len() != dims {
        return Err(Fault::runtime(format!(
            "expected {what} to be a single integer value or a list of {dims} values to match the convolution dimensions, but got {what}={values:?}"
        )));
    }
    for d in 0..dims {
        out[3 - dims + d] = values[if values.len() == 1 { 0 } else { d }];
    }
    Ok(out)
}

fn check(
    input: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    options: &Options<'_>,
    padded_later: bool,
) -> Result<Geometry> {
    let fail = |message: String| Err(Fault::runtime(message));
    let Some(dims) = weight.rank().checked_sub(2).filter(|d| *d > 0) else {
        return fail("weight should have at least three dimensions".to_string());
    };
    if dims > 3 {
        return fail(format!(
            "convolution of {dims} spatial dimensions is not supported"
        ));
    }
    let dilated = options.dilation.iter().any(|d| *d > 1);
    dtypes::check(input, weight, bias, options.transposed, dilated, dims)?;
    let stride = per_dim("stride", options.stride, dims, 1)?;
    let padding = per_dim("padding", options.padding, dims, 0)?;
    let dilation = per_dim("dilation", options.dilation, dims, 1)?;
    let output_padding = per_dim("output_padding", options.output_padding, dims, 0)?;
    // With numbers of 32 bits nothing that is computed from them and from sizes overflows.
    for (what, values) in [
        ("stride", stride),
        ("padding", padding),
        ("dilation", dilation),
        ("output_padding", output_padding),
    ] {
        if values.iter().any(|v| *v > i64::from(i32::MAX)) {
            return fail(format!(
                "{what} of a convolution must be less than 2147483648, but got {:?}",
                &values[3 - dims..]
            ));
        }
    }
    if padding.iter().any(|p| *p < 0) {
        return fail("negative padding is not supported".to_string());
    }
    if output_padding.iter().any(|p| *p < 0) {
        return fail("negative output_padding is not supported".to_string());
    }
    if options.transposed && input.numel() > 0 {
        output_padding_fits(dims, &output_padding, &stride, &dilation)?;
    }
    if stride.iter().any(|s| *s <= 0) {
        return fail("non-positive stride is not supported".to_string());
    }
    if dilation.iter().any(|d| *d < 0) {
        return fail("dilation should be greater than zero".to_string());
    }
    if options.transposed && dims == 2 && dilation.contains(&0) {
        return fail(format!(
            "dilation should be greater than zero, but got dilation_height: {}, dilation_width: {}",
            dilation[1], dilation[2]
        ));
    }
    if dilation.contains(&0) {
        return fail(format!(
            "dilation should be greater than zero, but got {:?}",
            &dilation[3 - dims..]
        ));
    }
    if options.groups <= 0 {
        return fail("non-positive groups is not supported".to_string());
    }
    let groups = options.groups as usize;
    if weight.rank() != input.rank() {
        return fail(format!(
            "Expected {0}-dimensional input for {0}-dimensional weight {1}, but got {2}-dimensional input of size {3} instead",
            weight.rank(),
            list(weight.sizes()),
            input.rank(),
            list(input.sizes())
        ));
    }
    if weight.size(0) < groups {
        return fail(format!(
            "Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of size {} instead",
            list(weight.sizes())
        ));
    }
    if !weight.size(0).is_multiple_of(groups) {
        return fail(format!(
            "Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of size [{}] instead",
            list(weight.sizes())
        ));
    }
    let (in_channels, out_channels) = if options.transposed {
        (weight.size(0), weight.size(1) * groups)
    } else {
        (weight.size(1) * groups, weight.size(0))
    };
    if input.size(1) != in_channels {
        return fail(format!(
            "Given {}, weight of size {}, expected input{} to have {in_channels} channels, but got {} channels instead",
            match options.transposed {
                true => "transposed=1".to_string(),
                false => format!("groups={groups}"),
            },
            list(weight.sizes()),
            list(input.sizes()),
            input.size(1)
        ));
    }
    if let Some(bias) = bias.filter(|b| b.rank() != 1 || b.numel() != out_channels) {
        return fail(format!(
            "Given {}weight of size {}, expected bias to be 1-dimensional with {out_channels} elements, but got bias of size {} instead",
            if options.transposed {
                "transposed=1, "
            } else {
                ""
            },
            list(weight.sizes()),
            list(bias.sizes())
        ));
    }
    let lift = |sizes: &[usize]| -> Spatial<usize> {
        let mut out = [1; 3];
        out[3 - dims..].copy_from_slice(&sizes[2..]);
        out
    };
    check_kernel(dims, lift(weight.sizes()))?;
    let unsigned = |values: Spatial<i64>| values.map(|v| v as usize);
    let geometry = Geometry {
        dims,
        batch: input.size(0),
        groups,
        in_channels,
        out_channels,
        input: lift(input.sizes()),
        kernel: lift(weight.sizes()),
        stride: unsigned(stride),
        before: unsigned(padding),
        after: unsigned(padding),
        dilation: unsigned(dilation),
        output_padding: unsigned(output_padding),
        transposed: options.transposed,
    };
    if !options.transposed && !padded_later {
        geometry.check_kernel_fits()?;
    }
    Ok(geometry)
}

/// Refuses windows of no elements.
#[inline(never)]
fn check_kernel(dims: usize, [t, h, w]: Spatial<usize>) -> Result<()> {
    if t > 0 && h > 0 && w > 0 {
        return Ok(());
    }
    Err(Fault::runtime(match dims {
        3 => format!("kernel size should be greater than zero, but got: {t} x {h} x {w} (TxHxW)"),
        _ => format!(
            "kernel size should be greater than zero, but got kernel_height: {h} kernel_width: {w}"
        ),
    }))
}

/// What a stride larger than one leaves open is all that output padding may fill.
fn output_padding_fits(
    dims: usize,
    padding: &Spatial<i64>,
    stride: &Spatial<i64>,
    dilation: &Spatial<i64>,
) -> Result<()> {
    if (3 - dims..3).all(|d| padding[d] < stride[d] || padding[d] < dilation[d]) {
        return Ok(());
    }
    // One dimension is computed as two, of which the first has no padding.
    let shown = 3 - dims.max(2)..3;
    let names = ["depth", "height", "width"];
    let part = |what: &str, values: &Spatial<i64>| {
        let parts: Vec<String> = shown
            .clone()
            .map(|d| format!("{what}_{}: {}", names[d], values[d]))
            .collected();
        parts.join(" ")
    };
    Err(Fault::runtime(format!(
        "output padding must be smaller than either stride or dilation, but got {} {} {}",
        part("output_padding", padding),
        part("stride", stride),
        part("dilation", dilation)
    )))
}

/// Computes in the dtype that products compute in; the result has the memory format of the input or the weight.
fn compute(
    input: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    geometry: Geometry,
) -> Result<Tensor> {
    let sizes = geometry.output_sizes()?;
    let dtype = product_dtype("slow_conv2d_cpu", input.dtype())?;
    let (x, w) = (input.to_dtype(dtype), weight.to_dtype(dtype));
    let bias = bias.map(|b| b.to_dtype(dtype));
    let out = product_types!(dtype, T => {
        if geometry.transposed {
            transposed::compute::<T>(&geometry, &x, &w, bias.as_ref(), &sizes, input.dtype())
        } else {
            forward::compute::<T>(&geometry, &x, &w, bias.as_ref(), &sizes)
        }
    })?;
    out.to_dtype(input.dtype())
        .contiguous_in(result_format(input, weight))
}

/// Channels-last where the input or the weight lies so.
fn result_format(input: &Tensor, weight: &Tensor) -> MemoryFormat {
    let format = |t: &Tensor| t.layout().suggested_format();
    match (format(input), format(weight)) {
        (MemoryFormat::Contiguous, other) => other,
        (own, _) => own,
    }
}

/// Convolution of time by batch by channels.
fn conv_tbc(input: &Tensor, weight: &Tensor, bias: &Tensor, pad: i64) -> Result<Tensor> {
    for (name, t, rank) in [
        ("Input", input, 3),
        ("Weight", weight, 3),
        ("Bias", bias, 1),
    ] {
        if t.rank() != rank {
            return Err(Fault::runtime(format!(
                "{name} must have {rank} dims, but has {} dims.",
                t.rank()
            )));
        }
    }
    // Time, batch, channel -> batch, channel, time; the weight is time, input, output.
    let x = input.permute(&[1, 2, 0])?;
    let w = weight.permute(&[2, 1, 0])?;
    let padding = [pad];
    let options = forward_options(&[1], &padding, &[1], 1);
    let out = run(&x, &w, Some(bias), &options)?;
    Ok(out.permute(&[2, 0, 1])?.contiguous())
}

#[cfg(test)]
mod tests {
    use super::{forward_options, run};
    use rushlight_tensor::{DType, Tensor};

    fn numbers(sizes: &[usize], seed: usize) -> Tensor {
        let n: usize = sizes.iter().product();
        let values = (0..n).map(|i| ((i * 7 + seed) % 13) as f32 - 6.0).collect();
        Tensor::from_vec(values, sizes).expect("sizes fit")
    }

    /// Every path against the integer one, which is exact: small whole numbers.
    fn check(
        channels: [usize; 2],
        size: [usize; 2],
        kernel: [usize; 2],
        options: [i64; 3],
        groups: i64,
    ) {
        let [input, output] = channels;
        let x = numbers(&[2, input, size[0], size[1]], 1);
        let w = numbers(&[output, input / groups as usize, kernel[0], kernel[1]], 5);
        let b = numbers(&[output], 3);
        let [stride, padding, dilation] = options.map(|option| [option]);
        let options = forward_options(&stride, &padding, &dilation, groups);
        let got = run(&x, &w, Some(&b), &options).expect("a valid convolution");
        let wide = |t: &Tensor| t.to_dtype(DType::I64);
        let want =
            run(&wide(&x), &wide(&w), Some(&wide(&b)), &options).expect("a valid convolution");
        assert_eq!(got.sizes(), want.sizes());
        assert_eq!(got.to_vec::<i64>(), want.to_vec::<i64>());
    }

    #[test]
    fn vector_kernels_agree_with_whole_numbers() {
        check([3, 8], [19, 31], [3, 3], [1, 1, 1], 1);
        check([3, 40], [16, 29], [5, 3], [2, 2, 1], 1);
        check([4, 9], [12, 17], [3, 3], [1, 2, 2], 1);
        check([8, 70], [7, 7], [3, 3], [1, 1, 1], 1);
        check([8, 32], [9, 5], [3, 3], [3, 1, 1], 2);
        check([6, 24], [8, 8], [2, 4], [1, 0, 1], 3);
        check([5, 5], [9, 9], [3, 3], [2, 1, 1], 5);
        check([16, 20], [6, 6], [1, 1], [1, 0, 1], 1);
    }

    #[test]
    fn weights_that_are_kept_packed_make_no_difference_to_the_bits() {
        let fractions = |t: Tensor| {
            let values = t.to_vec::<f32>().into_iter().map(|v| (v + 0.37) / 7.3);
            Tensor::from_vec(values.collect::<Vec<f32>>(), t.sizes()).expect("as many as before")
        };
        for (size, channels, groups) in [(7, 70, 1), (14, 260, 1), (30, 40, 2)] {
            let x = fractions(numbers(&[1, 16, size, size], 1));
            let w = fractions(numbers(&[channels, 16 / groups as usize, 3, 3], 5));
            let b = fractions(numbers(&[channels], 3));
            let options = forward_options(&[1], &[1], &[1], groups);
            let run = || run(&x, &w, Some(&b), &options).expect("a valid convolution");
            let first = run().to_vec::<f32>();
            for _ in 0..3 {
                assert!(
                    first
                        .iter()
                        .zip(run().to_vec::<f32>())
                        .all(|(a, b)| a.to_bits() == b.to_bits())
                );
            }
        }
    }

    #[test]
    fn depthwise_convolutions_agree_with_whole_numbers() {
        for kernel in [[3, 3], [5, 2], [1, 7]] {
            for options in [
                [1, 0, 1],
                [1, 1, 1],
                [2, 1, 1],
                [1, 3, 2],
                [2, 5, 3],
                [3, 2, 1],
            ] {
                for size in [[9, 9], [16, 37], [23, 16], [14, 65]] {
                    check([3, 3], size, kernel, options, 3);
                    check([2, 6], size, kernel, options, 2);
                }
            }
        }
        check([4, 4], [2, 3], [5, 5], [1, 2, 1], 4);
        check([4, 4], [2, 3], [5, 5], [2, 2, 1], 4);
    }
}

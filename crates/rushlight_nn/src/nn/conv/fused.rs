//! Convolutions with what follows them, which they do to their results as they write them.

use super::{Ints, Options, check, forward_options, result_format};
use rushlight_kernels::nn::batch_norm::{Channels, known_scale_and_shift};
use rushlight_kernels::nn::conv::after::{After, Scaled};
use rushlight_kernels::nn::conv::forward;
use rushlight_kernels::pointwise::arithmetic::ADD;
use rushlight_tensor::iter::ResultForm;
use rushlight_tensor::{DType, Fault, Operand, Result, Scalar, Tensor};
use rushlight_types::{Operator, Value, arguments, op, operators};

operators! {
    /// The reference's names for them.
    pub static ROWS = [
        op!("mkldnn::_convolution_pointwise(Tensor X, Tensor W, Tensor? B, int[] padding, int[] stride, int[] dilation, int groups, str attr, Scalar?[] scalars, str? algorithm) -> Tensor Y", pointwise),
        op!("mkldnn::_convolution_pointwise.binary(Tensor X, Tensor other, Tensor W, Tensor? B, int[] padding, int[] stride, int[] dilation, int groups, str binary_attr, Scalar? alpha, str? unary_attr, Scalar?[] unary_scalars, str? unary_algorithm) -> Tensor Y", binary),
    ];
}

/// A convolution with a normalisation whose statistics are known, a sum and an activation behind it: what groups of
/// instructions call. It refuses what it is not made for, to which it does nothing.
pub static JOINED: Operator = op!(
    "rushlight::convolution_layer(Tensor input, Tensor weight, Tensor? bias, int[] padding, int[] stride, int[] dilation, int groups, bool normalises, Tensor? factor, Tensor? shift, Tensor? mean, Tensor? variance, float eps, Tensor? other, str attr, Scalar?[] scalars, str? algorithm) -> Tensor",
    joined
);

arguments! {
    /// How the kernel moves over the input, padding first.
    struct Moves {
        padding: Ints,
        stride: Ints,
        dilation: Ints,
        groups: i64,
    }
}

impl Moves {
    fn options(&self) -> Options<'_> {
        forward_options(&self.stride, &self.padding, &self.dilation, self.groups)
    }
}

arguments! {
    /// A normalisation by known statistics, if there is one.
    struct Norm<'a> {
        is_there: bool,
        weight: Option<&'a Tensor>,
        bias: Option<&'a Tensor>,
        mean: Option<&'a Tensor>,
        variance: Option<&'a Tensor>,
        eps: f64,
    }
}

impl Norm<'_> {
    /// The factor and the shift of each channel.
    fn numbers(&self, count: usize) -> Result<(Vec<f32>, Vec<f32>)> {
        let fits = |t: &Tensor| t.dtype() == DType::F32 && t.sizes() == [count];
        let all = [self.weight, self.bias, self.mean, self.variance];
        if self.mean.is_none() || self.variance.is_none() || !all.into_iter().flatten().all(fits) {
            return Err(unsuited());
        }
        let channels = Channels {
            weight: self.weight,
            bias: self.bias,
            mean: self.mean,
            variance: self.variance,
        };
        Ok(known_scale_and_shift::<f32>(channels, self.eps))
    }
}

arguments! {
    /// How another tensor joins a result.
    struct Joined<'a> {
        /// The operator.
        name: &'a str,
        alpha: Option<Scalar>,
    }
}

arguments! {
    /// The function that results go through.
    #[derive(Clone, Copy)]
    struct Then<'a> {
        /// Nothing is done where there is no name.
        name: Option<&'a str>,
        numbers: &'a Value,
        algorithm: Option<&'a str>,
    }
}

impl<'a> Then<'a> {
    /// The function's numbers.
    fn scalars(&self) -> Result<Vec<Scalar>> {
        let numbers = self.numbers.list_items()?;
        numbers.iter().map(Value::as_scalar).collect()
    }

    /// The function, with its numbers.
    fn after<'n>(&self, numbers: &'n [Scalar]) -> Result<After<'n>> {
        let name = self.name.unwrap_or("none");
        After::of(name, self.algorithm, numbers)
            .ok_or_else(|| Fault::runtime(format!("'{name}': Fusion behavior undefined.")))
    }
}

fn pointwise(
    input: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    moves: Moves,
    name: &str,
    numbers: &Value,
    algorithm: Option<&str>,
) -> Result<Tensor> {
    let then = Then {
        name: Some(name),
        numbers,
        algorithm,
    };
    layer(input, None, weight, bias, &moves.options(), then)
}

/// Of the sums with another tensor the plain one is known.
fn binary(
    input: &Tensor,
    other: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    moves: Moves,
    joined: Joined<'_>,
    then: Then<'_>,
) -> Result<Tensor> {
    let sum = joined.name;
    if sum != "add" || joined.alpha.is_some_and(|alpha| alpha.to_f64() != 1.0) {
        let message = format!("'{sum}': a convolution is fused with add, alpha being 1");
        return Err(Fault::runtime(message));
    }
    layer(input, Some(other), weight, bias, &moves.options(), then)
}

/// What is said where a layer is to be made of its operators.
fn unsuited() -> Fault {
    Fault::runtime("this layer is not done at once")
}

/// A convolution with all that follows it. Whatever it refuses is done by the operators one after the other, which have their
/// own words for what is wrong.
fn joined(
    input: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    moves: Moves,
    norm: Norm<'_>,
    other: Option<&Tensor>,
    then: Then<'_>,
) -> Result<Tensor> {
    let is_float = |t: &Tensor| t.dtype() == DType::F32;
    let options = moves.options();
    if !is_float(input) || !is_float(weight) || input.rank() != weight.rank() || input.rank() < 3 {
        return Err(unsuited());
    }
    let geometry = check(input, weight, bias, &options, false)?;
    let sizes = geometry.output_sizes()?;
    if other.is_some_and(|other| !is_float(other) || other.sizes() != &sizes[..]) {
        return Err(unsuited());
    }
    let numbers = then.scalars()?;
    let after = then.after(&numbers)?;
    let (factors, shifts) = match norm.is_there {
        true => norm.numbers(geometry.out_channels)?,
        false => Default::default(),
    };
    let scaled = norm.is_there.then(|| Scaled {
        factors: &factors,
        shifts: &shifts,
        plane: sizes[2..].iter().product(),
        start: 0,
    });
    let added = other.map(|other| other.data::<f32>());
    let after = After {
        scaled,
        added: added.as_deref(),
        ..after
    };
    let result = forward::compute_and(&geometry, input, weight, bias, &sizes, after)?;
    result.contiguous_in(result_format(input, weight))
}

/// A convolution and what comes after it. With a tensor of another dtype or other sizes it has the sum of `aten::add`.
fn layer(
    input: &Tensor,
    other: Option<&Tensor>,
    weight: &Tensor,
    bias: Option<&Tensor>,
    options: &Options<'_>,
    then: Then<'_>,
) -> Result<Tensor> {
    if (input.dtype(), weight.dtype()) != (DType::F32, DType::F32) {
        return Err(Fault::runtime("fused convolutions take tensors of Float"));
    }
    if weight.rank() >= 3 && input.rank() + 1 == weight.rank() {
        let other = other.map(|other| other.unsqueeze(0)).transpose()?;
        let one = input.unsqueeze(0)?;
        return layer(&one, other.as_ref(), weight, bias, options, then)?.select(0, 0);
    }
    let numbers = then.scalars()?;
    let after = then.after(&numbers)?;
    let geometry = check(input, weight, bias, options, false)?;
    let sizes = geometry.output_sizes()?;
    let compute =
        |after: After<'_>| forward::compute_and(&geometry, input, weight, bias, &sizes, after);
    let result = match other {
        None => compute(after)?,
        Some(other) if other.dtype() == DType::F32 && other.sizes() == &sizes[..] => {
            let added = other.data::<f32>();
            let added = Some(&added[..]);
            compute(After { added, ..after })?
        }
        Some(other) => {
            let result = compute(After::NOTHING)?;
            let operands = [Operand::Tensor(&result), Operand::Tensor(other)];
            let sum = ADD.call_any(DType::F32, ResultForm::Fresh, &operands, &[])?;
            let mut sums = sum.to_dtype(DType::F32).to_vec::<f32>();
            after.apply(&mut sums);
            Tensor::from_vec(sums, sum.sizes())?
        }
    };
    result.contiguous_in(result_format(input, weight))
}

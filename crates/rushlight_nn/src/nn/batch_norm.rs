//! Batch and instance normalisation: per channel, over the batch, with running statistics.

use rushlight_kernels::compute::{compute, finish};
use rushlight_kernels::nn::batch_norm::{
    Channels, Runs, known_scale_and_shift, rounded, scale_and_shift, update_running,
};
use rushlight_ops::op_out;
use rushlight_tensor::layout::list;
use rushlight_tensor::memory::Collected;
use rushlight_tensor::{Buffer, DType, Fault, Layout, MemoryFormat, Result, Tensor};
use rushlight_types::{Functional, arguments, op, operators};

operators! {
    /// Normalisation over the batch.
    pub static ROWS = [
        op!("aten::batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps, bool cudnn_enabled) -> Tensor", batch_norm).functional(Functional::BatchNorm),
        op!("aten::native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)", native_batch_norm),
        op!("aten::_native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)", native_batch_norm),
        op!("aten::_native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? bias, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)", native_batch_norm_no_stats),
        op!("aten::_native_batch_norm_legit_no_training(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor)", native_batch_norm_no_training).out("out", rushlight_ops::out::cast),
        op!("aten::_batch_norm_with_update(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor)", batch_norm_with_update),
        op!("aten::_batch_norm_no_update(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor)", batch_norm_no_update).out("out", rushlight_ops::out::cast),
        op!("aten::_native_batch_norm_legit_functional(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor running_mean_out, Tensor running_var_out)", functional),
        op!("aten::_batch_norm_with_update_functional(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor, Tensor running_mean_out, Tensor running_var_out)", functional_with_update),
        op!("aten::_batch_norm_impl_index(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps, bool cudnn_enabled) -> (Tensor, Tensor, Tensor, Tensor, int)", with_index),
        op_out!("aten::_native_batch_norm_legit.out(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) running_var, bool training, float momentum, float eps, *, Tensor(d!) out, Tensor(e!) save_mean, Tensor(f!) save_invstd) -> (Tensor(d!), Tensor(e!), Tensor(f!))", native_batch_norm),
        op_out!("aten::_batch_norm_with_update.out(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) running_var, float momentum, float eps, *, Tensor(d!) out, Tensor(e!) save_mean, Tensor(f!) save_invstd, Tensor(g!) reserve) -> (Tensor(d!), Tensor(e!), Tensor(f!), Tensor(g!))", batch_norm_with_update),
        op!("aten::instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool use_input_stats, float momentum, float eps, bool cudnn_enabled) -> Tensor", instance_norm),
        op_out!("aten::native_batch_norm.out(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps, *, Tensor(a!) out, Tensor(b!) save_mean, Tensor(c!) save_invstd) -> (Tensor(a!), Tensor(b!), Tensor(c!))", native_batch_norm),
        op_out!("aten::_native_batch_norm_legit.no_stats_out(Tensor input, Tensor? weight, Tensor? bias, bool training, float momentum, float eps, *, Tensor(a!) out, Tensor(b!) save_mean, Tensor(c!) save_invstd) -> (Tensor(a!), Tensor(b!), Tensor(c!))", native_batch_norm_no_stats),
    ];
}

arguments! {
    /// Scale and shift per channel and the running statistics, any of which may be absent.
    struct Given<'a> {
        weight: Option<&'a Tensor>,
        bias: Option<&'a Tensor>,
        mean: Option<&'a Tensor>,
        variance: Option<&'a Tensor>,
    }
}

impl<'a> Given<'a> {
    fn channels(&self) -> Channels<'a> {
        Channels {
            weight: self.weight,
            bias: self.bias,
            mean: self.mean,
            variance: self.variance,
        }
    }
}

arguments! {
    /// As [`Given`], with running statistics that are never absent.
    struct Tracked<'a> {
        weight: Option<&'a Tensor>,
        bias: Option<&'a Tensor>,
        mean: &'a Tensor,
        variance: &'a Tensor,
    }
}

impl<'a> Tracked<'a> {
    fn channels(&self) -> Channels<'a> {
        Channels {
            weight: self.weight,
            bias: self.bias,
            mean: Some(self.mean),
            variance: Some(self.variance),
        }
    }
}

fn batch_norm(
    input: &Tensor,
    given: Given<'_>,
    training: bool,
    momentum: f64,
    eps: f64,
    _cudnn: bool,
) -> Result<Tensor> {
    // The operator of layers asks before the operator that it is made of, by another class of error.
    if let Some(missing) = missing_statistics(given.channels(), training) {
        return Err(Fault::runtime(missing));
    }
    if input.numel() == 0 {
        // Nothing is known of the batch, so the statistics stay as they are.
        return Ok(input.deep_copy());
    }
    let found = native_batch_norm(input, given, training, momentum, eps)?;
    Ok(found.0)
}

/// What is wrong where statistics are needed that are not there.
fn missing_statistics(channels: Channels<'_>, training: bool) -> Option<String> {
    let which = match (channels.mean, channels.variance) {
        _ if training => return None,
        (None, _) => "mean",
        (_, None) => "var",
        _ => return None,
    };
    Some(format!(
        "running_{which} must be defined in evaluation mode"
    ))
}

fn native_batch_norm(
    input: &Tensor,
    given: Given<'_>,
    training: bool,
    momentum: f64,
    eps: f64,
) -> Result<(Tensor, Tensor, Tensor)> {
    normalise(input, given.channels(), training, momentum, eps)
}

fn native_batch_norm_no_stats(
    input: &Tensor,
    weight: Option<&Tensor>,
    bias: Option<&Tensor>,
    training: bool,
    momentum: f64,
    eps: f64,
) -> Result<(Tensor, Tensor, Tensor)> {
    let channels = Channels {
        weight,
        bias,
        ..Channels::default()
    };
    normalise(input, channels, training, momentum, eps)
}

fn native_batch_norm_no_training(
    input: &Tensor,
    tracked: Tracked<'_>,
    momentum: f64,
    eps: f64,
) -> Result<(Tensor, Tensor, Tensor)> {
    normalise(input, tracked.channels(), false, momentum, eps)
}

/// With what a kernel elsewhere would keep for the gradients: nothing.
fn reserving(
    (out, mean, rstd): (Tensor, Tensor, Tensor),
) -> Result<(Tensor, Tensor, Tensor, Tensor)> {
    Ok((out, mean, rstd, Tensor::empty(&[0], DType::U8)?))
}

fn batch_norm_with_update(
    input: &Tensor,
    tracked: Tracked<'_>,
    momentum: f64,
    eps: f64,
) -> Result<(Tensor, Tensor, Tensor, Tensor)> {
    reserving(normalise(input, tracked.channels(), true, momentum, eps)?)
}

fn batch_norm_no_update(
    input: &Tensor,
    given: Given<'_>,
    momentum: f64,
    eps: f64,
) -> Result<(Tensor, Tensor, Tensor, Tensor)> {
    reserving(native_batch_norm(input, given, false, momentum, eps)?)
}

/// Normalises with copies of the running statistics and returns those.
fn functional(
    input: &Tensor,
    tracked: Tracked<'_>,
    training: bool,
    momentum: f64,
    eps: f64,
) -> Result<(Tensor, Tensor, Tensor, Tensor, Tensor)> {
    let (mean, variance) = (tracked.mean.deep_copy(), tracked.variance.deep_copy());
    let kept = Tracked {
        mean: &mean,
        variance: &variance,
        ..tracked
    };
    let (out, batch_mean, rstd) = normalise(input, kept.channels(), training, momentum, eps)?;
    Ok((out, batch_mean, rstd, mean, variance))
}

fn functional_with_update(
    input: &Tensor,
    tracked: Tracked<'_>,
    momentum: f64,
    eps: f64,
) -> Result<(Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)> {
    let (out, batch_mean, rstd, mean, variance) = functional(input, tracked, true, momentum, eps)?;
    let (out, batch_mean, rstd, reserve) = reserving((out, batch_mean, rstd))?;
    Ok((out, batch_mean, rstd, reserve, mean, variance))
}

/// Normalises and says which kernel did: the plain one.
fn with_index(
    input: &Tensor,
    given: Given<'_>,
    training: bool,
    momentum: f64,
    eps: f64,
    _cudnn: bool,
) -> Result<(Tensor, Tensor, Tensor, Tensor, i64)> {
    if let Some(missing) = missing_statistics(given.channels(), training) {
        return Err(Fault::runtime(missing));
    }
    let found = native_batch_norm(input, given, training, momentum, eps)?;
    let (out, mean, rstd, reserve) = reserving(found)?;
    Ok((out, mean, rstd, reserve, 0))
}

/// A tensor whose elements run as [`Runs`] describes: row-major or channels-last.
fn in_runs(t: &Tensor) -> Tensor {
    let last = [MemoryFormat::ChannelsLast, MemoryFormat::ChannelsLast3d];
    let is_in = |format| t.layout().is_contiguous_in(format);
    if t.is_contiguous() || last.into_iter().any(is_in) {
        t.clone()
    } else {
        t.contiguous()
    }
}

/// Refuses one of the running statistics without the other.
fn need_both(channels: Channels<'_>) -> Result<()> {
    match channels.mean.is_some() == channels.variance.is_some() {
        true => Ok(()),
        false => Err(Fault::value(
            "running_mean and running_var must either both be None or neither be None",
        )),
    }
}

fn check_channels(channels: Channels<'_>, count: usize) -> Result<()> {
    let params = [
        ("running_mean", channels.mean),
        ("running_var", channels.variance),
        ("weight", channels.weight),
        ("bias", channels.bias),
    ];
    for (name, param) in params {
        if let Some(p) = param.filter(|p| p.numel() != count) {
            return Err(Fault::runtime(format!(
                "{name} should contain {count} elements not {}",
                p.numel()
            )));
        }
    }
    Ok(())
}

/// Normalises, updating the running statistics when training. Returns the result and the statistics used, which are
/// empty unless they were computed.
fn normalise(
    input: &Tensor,
    channels: Channels<'_>,
    training: bool,
    momentum: f64,
    eps: f64,
) -> Result<(Tensor, Tensor, Tensor)> {
    let x = in_runs(input);
    let runs = Runs::of(&x);
    check_channels(channels, runs.channels)?;
    need_both(channels)?;
    if training && input.numel() == 0 {
        return Err(Fault::runtime(format!(
            "input tensor must have at least one element, but got input_sizes = {}",
            rushlight_tensor::layout::list(input.sizes())
        )));
    }
    if let Some(missing) = missing_statistics(channels, training) {
        return Err(Fault::value(missing));
    }
    if !input.dtype().is_float() {
        return Err(Fault::no_kernel("batch_norm", input.dtype()));
    }
    super::norm::check_parameters(
        input,
        &[
            channels.weight,
            channels.bias,
            channels.mean,
            channels.variance,
        ],
    )?;
    for running in [channels.mean, channels.variance].into_iter().flatten() {
        if running.rank() != 1 {
            return Err(Fault::runtime(format!(
                "TensorAccessor expected 1 dims but tensor has {}",
                running.rank()
            )));
        }
    }
    let stats_dtype = channels
        .weight
        .or(channels.mean)
        .map_or(input.dtype(), Tensor::dtype);
    compute!(input.dtype(), "batch_norm", W => {
        let x = x.to_dtype(<W as rushlight_tensor::Element>::DTYPE);
        let elements = &*x.span::<W>();
        let (scale, shift, kept) = if training {
            let (mean, sums) = runs.moments(elements);
            let count = runs.count() as f64;
            // Means are kept in the dtype of the parameters, sums of squares and variances only in bfloat16.
            let mean = rounded(mean, stats_dtype);
            let sums = match stats_dtype {
                DType::BF16 => rounded(sums, stats_dtype),
                _ => sums,
            };
            let unbiased = sums.iter().map(|s| s / (count - 1.0)).collected();
            update_running(channels, &mean, &rounded(unbiased, stats_dtype), momentum)?;
            let variances = sums.iter().map(|s| s / count).collect();
            let variances = match stats_dtype {
                DType::BF16 => rounded(variances, stats_dtype),
                _ => variances,
            };
            let rstd = variances.iter().map(|v| 1.0 / (v + eps).sqrt()).collect();
            let rstd = rounded(rstd, stats_dtype);
            let (scale, shift) = scale_and_shift::<W>(channels, &mean, &rstd);
            (scale, shift, [mean, rstd])
        } else {
            let (scale, shift) = known_scale_and_shift::<W>(channels, eps);
            (scale, shift, Default::default())
        };
        let mut out = Buffer::<W>::unspecified(elements.len());
        if !elements.is_empty() {
            runs.apply(elements, &mut out, &scale, &shift);
        }
        let layout = Layout::strided(x.sizes(), x.strides(), 0);
        let out = if x.is_contiguous() { out.into_tensor(x.sizes()) } else { out.into_tensor_with(layout) };
        let saved = |values: &[f64]| -> Tensor {
            let saved: Buffer<W> = values.iter().map(|v| *v as W).collect();
            let n = saved.len();
            finish(saved, &[n], stats_dtype)
        };
        Ok((out.to_dtype(input.dtype()), saved(&kept[0]), saved(&kept[1])))
    })
}

fn instance_norm(
    input: &Tensor,
    given: Given<'_>,
    use_input_stats: bool,
    momentum: f64,
    eps: f64,
    _cudnn: bool,
) -> Result<Tensor> {
    let own = given.channels();
    if !use_input_stats && (own.mean.is_none() || own.variance.is_none()) {
        return Err(Fault::runtime(
            "Expected running_mean and running_var to be defined when use_input_stats is false",
        ));
    }
    if input.rank() < 2 {
        return Err(Fault::runtime(format!(
            "instance_norm: expected an input of at least 2 dimensions, but got {}",
            list(input.sizes())
        )));
    }
    let (n, c) = (input.size(0), input.size(1));
    check_channels(own, c)?;
    need_both(own)?;
    if !input.dtype().is_float() {
        return Err(Fault::no_kernel("batch_norm", input.dtype()));
    }
    super::norm::check_parameters(input, &[own.weight, own.bias, own.mean, own.variance])?;
    if input.numel() == 0 {
        // Nothing is known of the samples, so the statistics stay as they are.
        return Ok(input.deep_copy());
    }
    // Every channel of every sample is a channel of one batch; the parameters repeat per sample.
    let mut sizes = rushlight_tensor::Dims::from_slice(input.sizes());
    sizes[0] = 1;
    sizes[1] = n * c;
    let repeat = |t: Option<&Tensor>| -> Result<Option<Tensor>> {
        // Parameters of float32 inputs may be wider, which only this one takes.
        t.map(|t| {
            let t = match input.dtype() {
                DType::F32 => t.to_dtype(DType::F32),
                _ => t.clone(),
            };
            t.expand_to(&[n, c])?.contiguous_copy().reshape_to(&[n * c])
        })
        .transpose()
    };
    let (w, b, m, v) = (
        repeat(own.weight)?,
        repeat(own.bias)?,
        repeat(own.mean)?,
        repeat(own.variance)?,
    );
    let repeated = Channels {
        weight: w.as_ref(),
        bias: b.as_ref(),
        mean: m.as_ref(),
        variance: v.as_ref(),
    };
    let flat = input.contiguous().reshape_to(&sizes)?;
    let out = normalise(&flat, repeated, use_input_stats, momentum, eps)?.0;
    if use_input_stats {
        // Each running statistic becomes the mean over the samples.
        for (running, all) in [(own.mean, &m), (own.variance, &v)] {
            let (Some(running), Some(all)) = (running, all) else {
                continue;
            };
            let values = all.to_vec::<f64>();
            let means: Vec<f64> = (0..c)
                .map(|k| (0..n).map(|i| values[i * c + k]).sum::<f64>() / n as f64)
                .collected();
            running.copy_from(&Tensor::from_vec(means, &[c])?)?;
        }
    }
    out.reshape_to(input.sizes())
}

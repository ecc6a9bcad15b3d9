//! Losses of class scores against class numbers or class probabilities.

use super::{Reduction, need_float, number};
use crate::nn::softmax::log_softmax;
use rushlight_kernels::compute::promoted;
use rushlight_kernels::nn::loss::classes::Scores;
use rushlight_ops::op_out;
use rushlight_tensor::layout::list;
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{DType, Dims, Fault, Result, Tensor, watch};
use rushlight_types::{op, operators};

operators! {
    /// Class losses.
    pub static ROWS = [
        op!("aten::nll_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100) -> Tensor", nll_loss).out("out", rushlight_ops::out::cast),
        op!("aten::nll_loss2d(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100) -> Tensor", nll_loss2d).out("out", rushlight_ops::out::cast),
        op!("aten::nll_loss_nd(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100) -> Tensor", nll_loss_nd),
        op!("aten::nll_loss_forward(Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index) -> (Tensor output, Tensor total_weight)", nll_loss_forward),
        op!("aten::nll_loss2d_forward(Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index) -> (Tensor output, Tensor total_weight)", nll_loss2d_forward),
        op!("aten::cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100, float label_smoothing=0.) -> Tensor", cross_entropy_loss),
        op_out!("aten::nll_loss_forward.output(Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index, *, Tensor(a!) output, Tensor(b!) total_weight) -> (Tensor(a!), Tensor(b!))", nll_loss_forward),
        op_out!("aten::nll_loss2d_forward.output(Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index, *, Tensor(a!) output, Tensor(b!) total_weight) -> (Tensor(a!), Tensor(b!))", nll_loss2d_forward),
    ];
}

/// Class numbers after the checks of dtype and range; `None` for ignored samples.
fn class_numbers(target: &Tensor, classes: usize, ignore: i64) -> Result<Vec<Option<usize>>> {
    if !matches!(target.dtype(), DType::I64 | DType::U8) {
        return Err(Fault::runtime(format!(
            "expected target dtype to be Long or Byte, but got {}",
            target.dtype().class_name()
        )));
    }
    target
        .to_vec::<i64>()
        .into_iter()
        .map(|class| {
            if class == ignore {
                Ok(None)
            } else if class < 0 || class as usize >= classes {
                Err(Fault::index(format!("Target {class} is out of bounds.")))
            } else {
                Ok(Some(class as usize))
            }
        })
        .collect()
}

fn class_weights(weight: Option<&Tensor>, classes: usize) -> Result<Option<Vec<f64>>> {
    if let Some(w) = weight.filter(|w| w.numel() != classes || w.rank() != 1) {
        return Err(Fault::runtime(format!(
            "weight tensor should be defined either for all {classes} classes or no classes but got weight tensor of shape: {}",
            list(w.sizes())
        )));
    }
    Ok(weight.map(|w| w.to_vec::<f64>()))
}

/// Negative log likelihood of any rank; the sizes have been checked. Returns the loss and the total weight.
fn likelihood(
    t: &Tensor,
    target: &Tensor,
    weight: Option<&Tensor>,
    reduction: i64,
    ignore: i64,
) -> Result<(Tensor, Tensor)> {
    need_float("nll_loss_out_frame", t.dtype())?;
    let scores = Scores::of(t);
    let weights = class_weights(weight, scores.classes)?;
    let classes = class_numbers(target, scores.classes, ignore)?;
    let (mut losses, mut total) = (memory::with_capacity(classes.len()), 0.0);
    for (sample, class) in classes.iter().enumerate() {
        let Some(class) = class else {
            losses.push(0.0);
            continue;
        };
        let w = weights.as_ref().map_or(1.0, |w| w[*class]);
        total += w;
        losses.push(-w * scores.at(sample, *class));
    }
    let dtype = t.dtype();
    let loss = match Reduction::of_kernel(reduction) {
        Reduction::None => Tensor::from_vec(losses, target.sizes())?.to_dtype(dtype),
        Reduction::Sum => number(losses.iter().sum(), dtype)?,
        Reduction::Mean => number(losses.iter().sum::<f64>() / total, dtype)?,
    };
    let total = if reduction == 0 { 0.0 } else { total };
    Ok((loss, number(total, dtype)?))
}

fn nll_loss_forward(
    t: &Tensor,
    target: &Tensor,
    weight: Option<&Tensor>,
    reduction: i64,
    ignore: i64,
) -> Result<(Tensor, Tensor)> {
    if t.rank() == 0 || t.rank() > 2 {
        return Err(Fault::runtime("input tensor should be 1D or 2D"));
    }
    if target.rank() > 1 {
        return Err(Fault::runtime(
            "0D or 1D target tensor expected, multi-target not supported",
        ));
    }
    let fits = if t.rank() == 1 {
        target.numel() == 1
    } else {
        target.rank() == 1 && target.size(0) == t.size(0)
    };
    if !fits {
        return Err(Fault::runtime(format!(
            "size mismatch (got input: {}, target: {})",
            list(t.sizes()),
            list(target.sizes())
        )));
    }
    likelihood(t, target, weight, reduction, ignore)
}

fn nll_loss(
    t: &Tensor,
    target: &Tensor,
    weight: Option<&Tensor>,
    reduction: i64,
    ignore: i64,
) -> Result<Tensor> {
    Ok(nll_loss_forward(t, target, weight, reduction, ignore)?.0)
}

fn nll_loss2d_forward(
    t: &Tensor,
    target: &Tensor,
    weight: Option<&Tensor>,
    reduction: i64,
    ignore: i64,
) -> Result<(Tensor, Tensor)> {
    if target.rank() != 3 {
        return Err(Fault::runtime(format!(
            "only batches of spatial targets supported (3D tensors) but got targets of dimension: {}",
            target.rank()
        )));
    }
    if t.rank() != 4 {
        return Err(Fault::runtime(format!(
            "only batches of spatial inputs supported (4D tensors), but got input of dimension: {}",
            t.rank()
        )));
    }
    if t.size(0) != target.size(0) || t.sizes()[2..] != target.sizes()[1..] {
        return Err(Fault::runtime(format!(
            "size mismatch (got input: {} , target: {}",
            list(t.sizes()),
            list(target.sizes())
        )));
    }
    likelihood(t, target, weight, reduction, ignore)
}

fn nll_loss2d(
    t: &Tensor,
    target: &Tensor,
    weight: Option<&Tensor>,
    reduction: i64,
    ignore: i64,
) -> Result<Tensor> {
    Ok(nll_loss2d_forward(t, target, weight, reduction, ignore)?.0)
}

fn nll_loss_nd(
    t: &Tensor,
    target: &Tensor,
    weight: Option<&Tensor>,
    reduction: i64,
    ignore: i64,
) -> Result<Tensor> {
    if t.rank() < 1 {
        return Err(Fault::value(format!(
            "Expected 1 or more dimensions (got {})",
            t.rank()
        )));
    }
    if t.rank() != 1 && (target.rank() == 0 || t.size(0) != target.size(0)) {
        return Err(Fault::value(format!(
            "Expected input batch_size ({}) to match target batch_size ({}).",
            t.size(0),
            target.sizes().first().copied().unwrap_or(0)
        )));
    }
    if t.rank() == 1 && target.rank() == 1 && target.numel() != 1 {
        return Err(Fault::value(format!(
            "For 1D input, 1D target must have size 1, but got target size: {}",
            target.numel()
        )));
    }
    if t.rank() <= 2 {
        return nll_loss(t, target, weight, reduction, ignore);
    }
    if t.rank() == 4 {
        return nll_loss2d(t, target, weight, reduction, ignore);
    }
    let mut expected = Dims::from_slice(&t.sizes()[..1]);
    expected.extend_from_slice(&t.sizes()[2..]);
    if target.sizes() != expected.as_slice() {
        return Err(Fault::runtime(format!(
            "Expected target size {}, got {}",
            list(&expected),
            list(target.sizes())
        )));
    }
    Ok(likelihood(t, target, weight, reduction, ignore)?.0)
}

fn cross_entropy_loss(
    t: &Tensor,
    target: &Tensor,
    weight: Option<&Tensor>,
    reduction: i64,
    ignore: i64,
    smoothing: f64,
) -> Result<Tensor> {
    let class_dim = if t.rank() == 1 { 0 } else { 1 };
    if t.rank() == 0 {
        return Err(Fault::index(
            "Dimension out of range (expected to be in range of [-1, 0], but got 1)",
        ));
    }
    // What is not above zero smooths nothing.
    if smoothing > 1.0 {
        return Err(Fault::runtime(format!(
            "label_smoothing must be between 0.0 and 1.0. Got: {smoothing}"
        )));
    }
    if t.sizes() == target.sizes() || smoothing > 0.0 {
        Reduction::check(reduction, "cross_entropy")?;
    }
    if t.sizes() == target.sizes() {
        return against_probabilities(t, target, weight, reduction, ignore, smoothing);
    }
    let log = log_softmax(t, class_dim, None)?;
    if smoothing > 0.0 {
        return smoothed(&log, target, weight, reduction, ignore, smoothing);
    }
    nll_loss_nd(&log, target, weight, reduction, ignore)
}

/// Targets are probabilities of the same sizes as the scores.
fn against_probabilities(
    t: &Tensor,
    target: &Tensor,
    weight: Option<&Tensor>,
    reduction: i64,
    ignore: i64,
    smoothing: f64,
) -> Result<Tensor> {
    if ignore >= 0 {
        return Err(Fault::runtime(
            "ignore_index is not supported for floating point target",
        ));
    }
    if !target.dtype().is_float() {
        return Err(Fault::runtime(format!(
            "Expected floating point type for target with class probabilities, got {}",
            target.dtype().class_name()
        )));
    }
    let class_dim = if t.rank() == 1 { 0 } else { 1 };
    let log = log_softmax(t, class_dim, None)?;
    let log = Scores::of(&log);
    let probabilities = Scores::of(target);
    let weights = class_weights(weight, log.classes)?;
    let classes = log.classes as f64;
    let losses: Vec<f64> = (0..log.samples())
        .map(|sample| {
            watch::poll();
            if weights.is_none() {
                let share = smoothing.max(0.0);
                let even = match share > 0.0 {
                    true => log.sum(sample) * (share / classes),
                    false => 0.0,
                };
                return -(log.dot(&probabilities, sample) * (1.0 - share) + even);
            }
            (0..log.classes)
                .map(|class| {
                    let p = probabilities.at(sample, class);
                    let p = if smoothing > 0.0 {
                        p * (1.0 - smoothing) + smoothing / classes
                    } else {
                        p
                    };
                    let w = weights.as_ref().map_or(1.0, |w| w[class]);
                    -p * w * log.at(sample, class)
                })
                .sum()
        })
        .collected();
    let mut sizes = Dims::from_slice(t.sizes());
    sizes.remove(class_dim as usize);
    Reduction::from_code(reduction).apply(losses, &sizes, promoted(t, target))
}

/// Class numbers, each sharing a part of its probability with all classes.
fn smoothed(
    log: &Tensor,
    target: &Tensor,
    weight: Option<&Tensor>,
    reduction: i64,
    ignore: i64,
    smoothing: f64,
) -> Result<Tensor> {
    let plain = nll_loss_nd(log, target, weight, reduction, ignore)?;
    let scores = Scores::of(log);
    let weights = class_weights(weight, scores.classes)?;
    let classes = class_numbers(target, scores.classes, ignore)?;
    let (mut spread, mut total) = (memory::with_capacity(classes.len()), 0.0);
    for (sample, class) in classes.iter().enumerate() {
        watch::poll();
        let Some(class) = class else {
            spread.push(0.0);
            continue;
        };
        total += weights.as_ref().map_or(1.0, |w| w[*class]);
        if weights.is_none() {
            spread.push(-scores.sum(sample));
            continue;
        }
        let each = |c: usize| -scores.at(sample, c) * weights.as_ref().map_or(1.0, |w| w[c]);
        spread.push((0..scores.classes).map(each).sum());
    }
    let spread = match Reduction::from_code(reduction) {
        Reduction::None => spread,
        Reduction::Sum => vec![spread.iter().sum()],
        Reduction::Mean => vec![spread.iter().sum::<f64>() / total],
    };
    let share = smoothing / scores.classes as f64;
    let mixed = plain
        .to_vec::<f64>()
        .iter()
        .zip(&spread)
        .map(|(p, s)| p * (1.0 - smoothing) + s * share)
        .collected();
    Ok(Tensor::from_vec(mixed, plain.sizes())?.to_dtype(log.dtype()))
}

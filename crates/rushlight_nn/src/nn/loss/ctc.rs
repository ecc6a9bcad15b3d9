//! Connectionist temporal classification (Graves et al., 2006): the probability of a label sequence under all its
//! alignments with the time steps, by dynamic programming in logarithms.

use super::Reduction;
use rushlight_kernels::nn::loss::ctc::{Sample, forward, posterior};
use rushlight_tensor::memory;
use rushlight_tensor::{DType, Fault, Result, Tensor};
use rushlight_types::{arguments, op, operators};
use smallvec::SmallVec;

type Ints = SmallVec<[i64; 6]>;

operators! {
    /// The CTC loss.
    pub static ROWS = [
        op!("aten::ctc_loss.IntList(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, int reduction=1, bool zero_infinity=False) -> Tensor", ctc_loss),
        op!("aten::ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank=0, int reduction=1, bool zero_infinity=False) -> Tensor", ctc_loss_tensor),
        op!("aten::_ctc_loss(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, bool zero_infinity=False) -> (Tensor, Tensor)", ctc).out("out", rushlight_ops::out::cast),
        op!("aten::_ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank=0, bool zero_infinity=False) -> (Tensor, Tensor)", ctc_tensor).out("Tensor_out", rushlight_ops::out::cast),
        op!("aten::_ctc_loss_backward(Tensor grad, Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, Tensor neg_log_likelihood, Tensor log_alpha, int blank, bool zero_infinity=False) -> Tensor", ctc_backward),
    ];
}

fn lengths(t: &Tensor) -> Result<Ints> {
    if !t.dtype().is_integral(false) {
        return Err(Fault::runtime("input_lengths must be integral"));
    }
    Ok(t.to_vec::<i64>().into())
}

fn ctc_loss(
    log_probs: &Tensor,
    targets: &Tensor,
    input_lengths: Ints,
    target_lengths: Ints,
    blank: i64,
    reduction: i64,
    zero_infinity: bool,
) -> Result<Tensor> {
    // A sequence without a batch has a batch of one.
    let batched = log_probs.rank() == 3;
    let probs = if batched {
        log_probs.clone()
    } else {
        log_probs.unsqueeze(1)?
    };
    let done = run(&probs, targets, &input_lengths, &target_lengths, blank)?;
    let mut losses = done.losses;
    if zero_infinity {
        losses
            .iter_mut()
            .filter(|l| **l == f64::INFINITY)
            .for_each(|l| *l = 0.0);
    }
    let reduction = Reduction::from_code(reduction);
    if reduction == Reduction::Mean {
        for (loss, length) in losses.iter_mut().zip(&target_lengths) {
            *loss /= (*length).max(1) as f64;
        }
    }
    let count = losses.len();
    let sizes: &[usize] = if batched { &[count] } else { &[] };
    reduction.apply(losses, sizes, log_probs.dtype())
}

fn ctc_loss_tensor(
    log_probs: &Tensor,
    targets: &Tensor,
    input_lengths: &Tensor,
    target_lengths: &Tensor,
    blank: i64,
    reduction: i64,
    zero_infinity: bool,
) -> Result<Tensor> {
    let (inputs, labels) = (lengths(input_lengths)?, lengths(target_lengths)?);
    ctc_loss(
        log_probs,
        targets,
        inputs,
        labels,
        blank,
        reduction,
        zero_infinity,
    )
}

fn ctc(
    log_probs: &Tensor,
    targets: &Tensor,
    input_lengths: Ints,
    target_lengths: Ints,
    blank: i64,
    _zero_infinity: bool,
) -> Result<(Tensor, Tensor)> {
    let done = run(log_probs, targets, &input_lengths, &target_lengths, blank)?;
    let dtype = log_probs.dtype();
    let count = done.losses.len();
    let losses = Tensor::from_vec(done.losses, &[count])?.to_dtype(dtype);
    let alpha = Tensor::from_vec(done.alpha, &[count, log_probs.size(0), done.states])?;
    Ok((losses, alpha.to_dtype(dtype)))
}

fn ctc_tensor(
    log_probs: &Tensor,
    targets: &Tensor,
    input_lengths: &Tensor,
    target_lengths: &Tensor,
    blank: i64,
    zero_infinity: bool,
) -> Result<(Tensor, Tensor)> {
    let (inputs, labels) = (lengths(input_lengths)?, lengths(target_lengths)?);
    ctc(log_probs, targets, inputs, labels, blank, zero_infinity)
}

/// Negative log likelihoods, and the forward variables: batch by time by state.
struct Forward {
    losses: Vec<f64>,
    alpha: Vec<f64>,
    states: usize,
}

/// What messages name.
const CHECKING: &str = "while checking arguments for ctc_loss_allocate_outputs";

/// Refuses what does not fit together; the labels of all samples otherwise.
fn check(
    log_probs: &Tensor,
    targets: &Tensor,
    inputs: &[i64],
    labels: &[i64],
    blank: i64,
) -> Result<Vec<i64>> {
    let fail = |message: String| Err(Fault::runtime(message));
    if !matches!(log_probs.dtype(), DType::F32 | DType::F64) {
        return Err(Fault::no_kernel("ctc_loss_cpu", log_probs.dtype()));
    }
    if log_probs.rank() != 3 {
        return fail("log_probs must have two or three dimensions".to_string());
    }
    if !matches!(targets.rank(), 1 | 2) {
        return fail(format!(
            "Expected 1 to 2 dimensions, but got {}-dimensional tensor for argument #2 'targets' ({CHECKING})",
            targets.rank()
        ));
    }
    let (steps, batch, classes) = (log_probs.size(0), log_probs.size(1), log_probs.size(2));
    if blank < 0 || blank as usize >= classes {
        return fail("blank must be in label range".to_string());
    }
    if inputs.len() != batch {
        return fail("input_lengths must be of size batch_size".to_string());
    }
    if labels.len() != batch {
        return fail("target_lengths must be of size batch_size".to_string());
    }
    let least = [("input_lengths", inputs), ("target_lengths", labels)];
    for (name, lengths) in least {
        if let Some(length) = lengths.iter().find(|l| **l < 0) {
            return fail(format!(
                "Expected {name} to have value at least 0, but got value {length} ({CHECKING})"
            ));
        }
    }
    if let Some(length) = inputs.iter().find(|l| **l as usize > steps) {
        return fail(format!(
            "Expected input_lengths to have value at most {steps}, but got value {length} ({CHECKING})"
        ));
    }
    let total = labels.iter().fold(0i64, |sum, l| sum.saturating_add(*l));
    let longest = labels.iter().copied().max().unwrap_or(0);
    let sizes = targets.sizes();
    let (wanted, dim) = match sizes {
        [all] => ((*all as i64 != total).then(|| format!("size {total}")), 0),
        [rows, _] if *rows != batch => (Some(format!("size {batch}")), 0),
        _ => (
            ((sizes[1] as i64) < longest).then(|| format!("size at least {longest}")),
            1,
        ),
    };
    if let Some(wanted) = wanted {
        return fail(format!(
            "Expected tensor to have {wanted} at dimension {dim}, but got size {} for argument #2 'targets' ({CHECKING})",
            sizes[dim]
        ));
    }
    // What pads a row behind its labels may be anything.
    let all = targets.to_vec::<i64>();
    let own = (0..batch).flat_map(|b| &all[own_labels(targets, labels, b)]);
    if own.into_iter().any(|c| *c < 0 || *c as usize >= classes) {
        return fail("targets must be in label range".to_string());
    }
    Ok(all)
}

fn run(
    log_probs: &Tensor,
    targets: &Tensor,
    inputs: &[i64],
    labels: &[i64],
    blank: i64,
) -> Result<Forward> {
    let all = check(log_probs, targets, inputs, labels, blank)?;
    let (steps, batch, classes) = (log_probs.size(0), log_probs.size(1), log_probs.size(2));
    let probs = log_probs.to_vec::<f64>();
    let states = 2 * labels.iter().max().copied().unwrap_or(0) as usize + 1;
    let mut alpha = memory::filled(memory::times([batch, steps, states]), f64::NEG_INFINITY);
    let mut losses = memory::with_capacity(batch);
    for b in 0..batch {
        let rows = &mut alpha[b * steps * states..(b + 1) * steps * states];
        let score = |t: usize, c: i64| probs[(t * batch + b) * classes + c as usize];
        let sample = Sample {
            labels: &all[own_labels(targets, labels, b)],
            steps: inputs[b] as usize,
            blank,
        };
        losses.push(forward(rows, states, sample, score));
    }
    Ok(Forward {
        losses,
        alpha,
        states,
    })
}

/// Where the labels of a sample are among all.
fn own_labels(targets: &Tensor, labels: &[i64], sample: usize) -> std::ops::Range<usize> {
    let start = match targets.rank() {
        2 => sample * targets.size(1),
        _ => labels[..sample].iter().sum::<i64>() as usize,
    };
    start..start + labels[sample] as usize
}

arguments! {
    /// What the loss was of.
    struct Given<'a> {
        log_probs: &'a Tensor,
        targets: &'a Tensor,
        inputs: Ints,
        labels: Ints,
        losses: &'a Tensor,
        alpha: &'a Tensor,
        blank: i64,
        zero_infinity: bool,
    }
}

/// The gradient of the numbers that log_softmax made the log probabilities of, which that hands on as it is.
fn ctc_backward(grad: &Tensor, given: Given<'_>) -> Result<Tensor> {
    let Given {
        log_probs,
        targets,
        inputs,
        labels,
        blank,
        ..
    } = given;
    let all = check(log_probs, targets, &inputs, &labels, blank)?;
    let (steps, batch, classes) = (log_probs.size(0), log_probs.size(1), log_probs.size(2));
    let width = given.alpha.sizes().last().copied().unwrap_or(0);
    let states = 2 * labels.iter().max().copied().unwrap_or(0) as usize + 1;
    let fits = grad.numel() == batch && given.losses.numel() == batch && width >= states;
    if !fits || given.alpha.numel() != memory::times([batch, steps, width]) {
        return Err(Fault::runtime(
            "_ctc_loss_backward: the gradient, the losses and the forward variables are not those of this call",
        ));
    }
    let (grads, losses) = (grad.to_vec::<f64>(), given.losses.to_vec::<f64>());
    let (probs, alpha) = (log_probs.to_vec::<f64>(), given.alpha.to_vec::<f64>());
    let mut out = memory::filled(probs.len(), 0.0);
    for b in 0..batch {
        let (grad, loss, own_steps) = (grads[b], losses[b], inputs[b] as usize);
        if given.zero_infinity && loss == f64::INFINITY {
            continue;
        }
        let row = |t: usize| (t * batch + b) * classes;
        for t in 0..own_steps {
            for i in row(t)..row(t) + classes {
                // Nothing leads to labels that take more steps than there are.
                let share = if loss == f64::INFINITY {
                    f64::NAN
                } else {
                    probs[i].exp()
                };
                out[i] = share * grad;
            }
        }
        let alpha = &alpha[b * steps * width..(b + 1) * steps * width];
        let sample = Sample {
            labels: &all[own_labels(targets, &labels, b)],
            steps: own_steps,
            blank,
        };
        let score = |t: usize, c: i64| probs[row(t) + c as usize];
        posterior(alpha, width, sample, loss, &score, &mut |t, c, share| {
            out[row(t) + c as usize] -= share * grad;
        });
    }
    Ok(Tensor::from_vec(out, log_probs.sizes())?.to_dtype(log_probs.dtype()))
}

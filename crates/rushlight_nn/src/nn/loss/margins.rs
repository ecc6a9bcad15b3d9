//! Losses with a margin: ranking, hinge, cosine, triplet, and over several classes or labels.

use super::{Reduction, number};
use rushlight_kernels::compute::total;
use rushlight_ops::Steps;
use rushlight_ops::op_out;
use rushlight_ops::pairwise_distance;
use rushlight_ops::sum;
use rushlight_tensor::layout::list;
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{DType, Fault, Result, Scalar, Tensor, watch};
use rushlight_types::{Context, OutDtype, arguments, op, operators};

operators! {
    /// Margin losses.
    pub static ROWS = [
        op!("aten::margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0., int reduction=1) -> Tensor", margin_ranking_loss),
        op!("aten::hinge_embedding_loss(Tensor self, Tensor target, float margin=1., int reduction=1) -> Tensor", hinge_embedding_loss),
        op!("aten::cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0., int reduction=1) -> Tensor", cosine_embedding_loss),
        op!("aten::triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1., float p=2., float eps=9.9999999999999995e-07, bool swap=False, int reduction=1) -> Tensor", triplet_margin_loss),
        op!("aten::multi_margin_loss(Tensor self, Tensor target, Scalar p=1, Scalar margin=1, Tensor? weight=None, int reduction=1) -> Tensor", multi_margin_loss).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Same("expected scalar type {result} but found {out}")),
        op!("aten::multilabel_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor", multilabel_margin_loss).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Same("expected scalar type {result} but found {out}")),
        op!("aten::multilabel_margin_loss_forward(Tensor self, Tensor target, int reduction) -> (Tensor output, Tensor is_target)", multilabel_margin_loss_forward),
        op_out!("aten::multilabel_margin_loss_forward.output(Tensor self, Tensor target, int reduction, *, Tensor(a!) output, Tensor(b!) is_target) -> (Tensor(a!), Tensor(b!))", multilabel_margin_loss_forward),
    ];
}

fn margin_ranking_loss(
    cx: &Context,
    a: &Tensor,
    b: &Tensor,
    target: &Tensor,
    margin: f64,
    reduction: i64,
) -> Result<Tensor> {
    let s = Steps(cx);
    let gap = s.mul(&s.neg(target)?, &s.sub(a, b)?)?;
    let losses = s.add(&gap, Scalar::Float(margin))?;
    Reduction::from_code(reduction).of_steps(s.at_least_(&losses, Scalar::Int(0))?)
}

fn hinge_embedding_loss(
    cx: &Context,
    t: &Tensor,
    target: &Tensor,
    margin: f64,
    reduction: i64,
) -> Result<Tensor> {
    let s = Steps(cx);
    let zeros = Tensor::zeros(t.sizes(), t.dtype())?;
    let below = s.at_least(&s.sub(Scalar::Float(margin), t)?, Scalar::Int(0))?;
    let below = below.to_dtype(t.dtype());
    // Both terms are chosen by masks, so that other targets than 1 and -1 count twice.
    let apart = s.choose(&s.ne(target, Scalar::Int(1))?, &below, &zeros)?;
    let together = s.choose(&s.ne(target, Scalar::Int(-1))?, t, &zeros)?;
    Reduction::from_code(reduction).of_steps(s.add(&apart, &together)?)
}

fn cosine_embedding_loss(
    cx: &Context,
    a: &Tensor,
    b: &Tensor,
    target: &Tensor,
    margin: f64,
    reduction: i64,
) -> Result<Tensor> {
    let fail = |message: String| Err(Fault::runtime(message));
    if target.rank() > 1 {
        return fail("0D or 1D target tensor expected, multi-target not supported".to_string());
    }
    let ranks_fit = (target.rank() == 1 && a.rank() == 2 && b.rank() == 2)
        || (target.rank() == 0 && a.rank() == 1 && b.rank() == 1);
    if !ranks_fit {
        return fail(format!(
            "{}D target tensor expects {}D input tensors, but found inputs with sizes {} and {}.",
            target.rank(),
            target.rank() + 1,
            list(a.sizes()),
            list(b.sizes())
        ));
    }
    const EPSILON: Scalar = Scalar::Float(1e-12);
    let s = Steps(cx);
    let dim: i64 = if target.rank() == 0 { 0 } else { 1 };
    let dot =
        |x: &Tensor, y: &Tensor| sum(&s.mul(x, y)?, Some(smallvec::smallvec![dim]), false, None);
    let lengths = s.mul(&s.add(&dot(a, a)?, EPSILON)?, &s.add(&dot(b, b)?, EPSILON)?)?;
    let cosine = s.div(&dot(a, b)?, &s.sqrt(&lengths)?)?;
    let zeros = Tensor::zeros(cosine.sizes(), cosine.dtype())?;
    let near = s.sub(Scalar::Int(1), &cosine)?;
    let far = s.at_least(&s.sub(&cosine, Scalar::Float(margin))?, Scalar::Int(0))?;
    let together = s.choose(&s.eq(target, Scalar::Int(1))?, &near, &zeros)?;
    let apart = s.choose(&s.eq(target, Scalar::Int(-1))?, &far, &zeros)?;
    Reduction::from_code(reduction).of_steps(s.add(&together, &apart)?)
}

arguments! {
    /// An anchor, which is to lie nearer to the positive than to the negative.
    struct Triplet<'a> {
        anchor: &'a Tensor,
        positive: &'a Tensor,
        negative: &'a Tensor,
    }
}

fn triplet_margin_loss(
    cx: &Context,
    triplet: Triplet<'_>,
    margin: f64,
    p: f64,
    eps: f64,
    swap: bool,
    reduction: i64,
) -> Result<Tensor> {
    let Triplet {
        anchor,
        positive,
        negative,
    } = triplet;
    if anchor.rank() != positive.rank() || anchor.rank() != negative.rank() {
        return Err(Fault::runtime(format!(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: anchor {}D, positive {}D, and negative {}D inputs",
            anchor.rank(),
            positive.rank(),
            negative.rank()
        )));
    }
    let s = Steps(cx);
    let distance = |a: &Tensor, b: &Tensor| pairwise_distance(a, b, p, eps, false);
    let near = distance(anchor, positive)?;
    let mut far = distance(anchor, negative)?;
    if swap {
        far = s.minimum(&far, &distance(positive, negative)?)?;
    }
    let gap = s.sub(&s.add(&near, Scalar::Float(margin))?, &far)?;
    Reduction::from_code(reduction).of_steps(s.at_least(&gap, Scalar::Int(0))?)
}

/// Rows of scores: their number, width, and whether there is a batch dimension.
fn score_rows(t: &Tensor) -> Result<(usize, usize, bool)> {
    match t.sizes() {
        [] => Ok((1, 1, false)),
        [n] if *n > 0 => Ok((1, *n, false)),
        [rows, n] if *n > 0 => Ok((*rows, *n, true)),
        _ => Err(Fault::runtime(format!(
            "Expected non-empty vector or matrix with optional 0-dim batch size, but got: {}",
            list(t.sizes())
        ))),
    }
}

/// Refuses what the kernel has no loop for, were there anything to compute.
fn need_wide(kernel: &str, t: &Tensor) -> Result<()> {
    match t.numel() == 0 || matches!(t.dtype(), DType::F32 | DType::F64) {
        true => Ok(()),
        false => Err(Fault::no_kernel(kernel, t.dtype())),
    }
}

fn multi_margin_loss(
    t: &Tensor,
    target: &Tensor,
    p: Scalar,
    margin: Scalar,
    weight: Option<&Tensor>,
    reduction: i64,
) -> Result<Tensor> {
    let fail = |message: String| Err(Fault::runtime(message));
    let (p, margin) = (p.to_f64(), margin.to_f64());
    if p != 1.0 && p != 2.0 {
        return fail("only p == 1 and p == 2 supported".to_string());
    }
    let (rows, n, batched) = score_rows(t)?;
    if target.numel() != rows || target.rank() > 1 {
        return fail(format!(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch size). Expected target size [{rows}], but got {}. Input has shape {}.",
            list(target.sizes()),
            list(t.sizes())
        ));
    }
    if let Some(w) = weight.filter(|w| w.numel() != n) {
        return fail(format!(
            "inconsistent weight size, expected {n} but got {}",
            list(w.sizes())
        ));
    }
    need_wide("multi_margin_loss_cpu_kernel", t)?;
    if target.dtype() != DType::I64 {
        return Err(Fault::other_scalar_type(DType::I64, target.dtype()));
    }
    let (x, classes) = (t.to_vec::<f64>(), target.to_vec::<i64>());
    let weights = weight.map(|w| w.to_vec::<f64>());
    let mut losses = memory::with_capacity(rows);
    for (row, class) in classes.iter().enumerate() {
        watch::poll();
        let Some(class) = usize::try_from(*class).ok().filter(|c| *c < n) else {
            return fail("target out of range".to_string());
        };
        let row = &x[row * n..(row + 1) * n];
        let factor = weights.as_ref().map_or(1.0, |w| w[class]);
        let others = (0..n).filter(|c| *c != class);
        let terms = others
            .map(|c| (margin - row[class] + row[c]).max(0.0))
            .map(|z| factor * if p == 1.0 { z } else { z * z });
        losses.push(total(terms) / n as f64);
    }
    let sizes: &[usize] = if batched { &[rows] } else { target.sizes() };
    let reduction = Reduction::of_kernel(reduction);
    if reduction == Reduction::None && !batched {
        return Tensor::from_vec(losses, target.sizes()).map(|l| l.to_dtype(t.dtype()));
    }
    reduction.apply(losses, sizes, t.dtype())
}

fn multilabel_margin_loss(t: &Tensor, target: &Tensor, reduction: i64) -> Result<Tensor> {
    Ok(multilabel_margin_loss_forward(t, target, reduction)?.0)
}

/// Labels of a row come first in it and end at the first -1.
fn multilabel_margin_loss_forward(
    t: &Tensor,
    target: &Tensor,
    reduction: i64,
) -> Result<(Tensor, Tensor)> {
    let fail = |message: String| Err(Fault::runtime(message));
    need_wide("multilabel_margin_loss_forward_out_frame", t)?;
    let (rows, n, batched) = score_rows(t)?;
    if target.sizes() != t.sizes() && !(target.numel() == t.numel() && t.rank() == 0) {
        return fail(format!(
            "inconsistent target size: {} for input of size: {}",
            list(target.sizes()),
            list(t.sizes())
        ));
    }
    if target.dtype() != DType::I64 {
        return Err(Fault::other_scalar_type(DType::I64, target.dtype()));
    }
    let (x, labels) = (t.to_vec::<f64>(), target.to_vec::<i64>());
    if labels.iter().any(|l| *l < -1 || *l >= n as i64) {
        return fail("target out of range".to_string());
    }
    let mut is_target = memory::filled(memory::times([rows, n]), 0.0);
    let mut losses = memory::with_capacity(rows);
    for row in 0..rows {
        watch::poll();
        let at = row * n..(row + 1) * n;
        let (x, marks) = (&x[at.clone()], &mut is_target[at.clone()]);
        let own: Vec<usize> = labels[at]
            .iter()
            .take_while(|l| **l >= 0)
            .map(|l| *l as usize)
            .collected();
        own.iter().for_each(|l| marks[*l] = 1.0);
        let terms = own.iter().map(|l| {
            let others = (0..n).filter(|c| marks[*c] == 0.0);
            total(others.map(|c| (1.0 - x[*l] + x[c]).max(0.0)))
        });
        losses.push(total(terms) / n as f64);
    }
    let marks = Tensor::from_vec(is_target, target.sizes())?.to_dtype(t.dtype());
    let loss = match Reduction::of_kernel(reduction) {
        Reduction::None if !batched => number(losses[0], t.dtype())?,
        reduction => reduction.apply(losses, &[rows], t.dtype())?,
    };
    Ok((loss, marks))
}

//! Losses with a margin: ranking, hinge, cosine, triplet, and over several classes or labels.

use super::{Reduction, common_sizes, need_float, number, values};
use crate::compute::promoted;
use crate::linalg::pairwise_distance;
use rushlight_tensor::layout::{broadcast_or_fault, list};
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{DType, Dims, Fault, Result, Scalar, Tensor, watch};
use rushlight_types::{op, operators};

operators! {
    /// Margin losses.
    pub static ROWS = [
        op!("aten::margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0., int reduction=1) -> Tensor", margin_ranking_loss),
        op!("aten::hinge_embedding_loss(Tensor self, Tensor target, float margin=1., int reduction=1) -> Tensor", hinge_embedding_loss),
        op!("aten::cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0., int reduction=1) -> Tensor", cosine_embedding_loss),
        op!("aten::triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1., float p=2., float eps=9.9999999999999995e-07, bool swap=False, int reduction=1) -> Tensor", triplet_margin_loss),
        op!("aten::multi_margin_loss(Tensor self, Tensor target, Scalar p=1, Scalar margin=1, Tensor? weight=None, int reduction=1) -> Tensor", multi_margin_loss),
        op!("aten::multilabel_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor", multilabel_margin_loss),
        op!("aten::multilabel_margin_loss_forward(Tensor self, Tensor target, int reduction) -> (Tensor output, Tensor is_target)", multilabel_margin_loss_forward),
        op_out!("aten::multi_margin_loss.out(Tensor self, Tensor target, Scalar p=1, Scalar margin=1, Tensor? weight=None, int reduction=1, *, Tensor(a!) out) -> Tensor(a!)", multi_margin_loss),
        op_out!("aten::multilabel_margin_loss.out(Tensor self, Tensor target, int reduction=1, *, Tensor(a!) out) -> Tensor(a!)", multilabel_margin_loss),
        op_out!("aten::multilabel_margin_loss_forward.output(Tensor self, Tensor target, int reduction, *, Tensor(a!) output, Tensor(b!) is_target) -> (Tensor(a!), Tensor(b!))", multilabel_margin_loss_forward),
    ];
}

fn margin_ranking_loss(
    a: &Tensor,
    b: &Tensor,
    target: &Tensor,
    margin: f64,
    reduction: i64,
) -> Result<Tensor> {
    if a.rank() != b.rank() || a.rank() != target.rank() {
        return Err(Fault::runtime(format!(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: {}, input2: {}, target: {} ",
            list(a.sizes()),
            list(b.sizes()),
            list(target.sizes())
        )));
    }
    let sizes = broadcast_or_fault(&common_sizes(a, b)?, target.sizes())?;
    let dtype = mean_dtype(promoted(a, b), promoted(a, target), reduction)?;
    let (x, y, t) = (
        values(a, &sizes)?,
        values(b, &sizes)?,
        values(target, &sizes)?,
    );
    let losses = (0..x.len())
        .map(|i| (-t[i] * (x[i] - y[i]) + margin).max(0.0))
        .collected();
    Reduction::from_code(reduction).apply(losses, &sizes, dtype)
}

/// The dtype of a loss made of two promoted dtypes and a float.
fn mean_dtype(a: DType, b: DType, _reduction: i64) -> Result<DType> {
    let dtype = rushlight_tensor::promote::promote_types(a, b);
    if dtype.is_complex() {
        return Err(Fault::not_implemented(
            "clamp is not supported for complex types",
        ));
    }
    Ok(if dtype.is_integral(true) {
        DType::F32
    } else {
        dtype
    })
}

fn hinge_embedding_loss(
    t: &Tensor,
    target: &Tensor,
    margin: f64,
    reduction: i64,
) -> Result<Tensor> {
    let sizes = common_sizes(t, target)?;
    let dtype = mean_dtype(t.dtype(), t.dtype(), reduction)?;
    let (x, y) = (values(t, &sizes)?, values(target, &sizes)?);
    let losses = x
        .iter()
        .zip(&y)
        .map(|(x, y)| {
            // Both terms are sums over masks, so that other targets than 1 and -1 count twice.
            let apart = if *y != 1.0 {
                (margin - x).max(0.0)
            } else {
                0.0
            };
            let together = if *y != -1.0 { *x } else { 0.0 };
            apart + together
        })
        .collected();
    Reduction::from_code(reduction).apply(losses, &sizes, dtype)
}

fn cosine_embedding_loss(
    a: &Tensor,
    b: &Tensor,
    target: &Tensor,
    margin: f64,
    reduction: i64,
) -> Result<Tensor> {
    let fail = |message: String| Err(Fault::runtime(message));
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
    const EPSILON: f64 = 1e-12;
    let sizes = common_sizes(a, b)?;
    let (x, y) = (values(a, &sizes)?, values(b, &sizes)?);
    let width = sizes.last().copied().unwrap_or(1);
    let rows: Dims = Dims::from_slice(&sizes[..sizes.len() - 1]);
    let result = broadcast_or_fault(target.sizes(), &rows)?;
    let count: usize = rows.iter().product();
    let cosines: Vec<f64> = (0..count)
        .map(|i| {
            let (x, y) = (
                &x[i * width..(i + 1) * width],
                &y[i * width..(i + 1) * width],
            );
            let dot = |p: &[f64], q: &[f64]| p.iter().zip(q).map(|(p, q)| p * q).sum::<f64>();
            dot(x, y) / ((dot(x, x) + EPSILON) * (dot(y, y) + EPSILON)).sqrt()
        })
        .collected();
    let cosines = values(&Tensor::from_vec(cosines, &rows)?, &result)?;
    let t = values(target, &result)?;
    let losses = cosines
        .iter()
        .zip(&t)
        .map(|(c, t)| match *t {
            1.0 => 1.0 - c,
            -1.0 => (c - margin).max(0.0),
            _ => 0.0,
        })
        .collected();
    let dtype = mean_dtype(promoted(a, b), a.dtype(), reduction)?;
    Reduction::from_code(reduction).apply(losses, &result, dtype)
}

#[expect(clippy::too_many_arguments, reason = "the schema's")]
fn triplet_margin_loss(
    anchor: &Tensor,
    positive: &Tensor,
    negative: &Tensor,
    margin: f64,
    p: f64,
    eps: f64,
    swap: bool,
    reduction: i64,
) -> Result<Tensor> {
    if anchor.rank() != positive.rank() || anchor.rank() != negative.rank() {
        return Err(Fault::runtime(format!(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: anchor {}D, positive {}D, and negative {}D inputs",
            anchor.rank(),
            positive.rank(),
            negative.rank()
        )));
    }
    if margin <= 0.0 {
        return Err(Fault::value(format!(
            "margin must be greater than 0, got {margin:?}"
        )));
    }
    let distance = |a: &Tensor, b: &Tensor| pairwise_distance(a, b, p, eps, false);
    let near = distance(anchor, positive)?;
    let far = distance(anchor, negative)?;
    let sizes = common_sizes(&near, &far)?;
    let mut away = values(&far, &sizes)?;
    if swap {
        let other = distance(positive, negative)?;
        for (a, b) in away.iter_mut().zip(values(&other, &sizes)?) {
            *a = a.min(b);
        }
    }
    let losses = values(&near, &sizes)?
        .iter()
        .zip(&away)
        .map(|(n, f)| (margin + n - f).max(0.0))
        .collected();
    Reduction::from_code(reduction).apply(losses, &sizes, near.dtype())
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

fn multi_margin_loss(
    t: &Tensor,
    target: &Tensor,
    p: Scalar,
    margin: Scalar,
    weight: Option<&Tensor>,
    reduction: i64,
) -> Result<Tensor> {
    let fail = |message: String| Err(Fault::runtime(message));
    need_float("multi_margin_loss", t.dtype())?;
    let (p, margin) = (p.to_f64(), margin.to_f64());
    if p != 1.0 && p != 2.0 {
        return fail("only p == 1 and p == 2 supported".to_string());
    }
    let (rows, n, batched) = score_rows(t)?;
    if target.numel() != rows || target.rank() > 1 {
        return fail(format!(
            "inconsistent target size, expected {rows} but got {}",
            list(target.sizes())
        ));
    }
    if let Some(w) = weight.filter(|w| w.numel() != n) {
        return fail(format!(
            "inconsistent weight size, expected {n} but got {}",
            list(w.sizes())
        ));
    }
    if target.dtype() != DType::I64 {
        return fail(format!(
            "expected scalar type Long but found {}",
            target.dtype().class_name()
        ));
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
        let sum: f64 = (0..n)
            .filter(|c| *c != class)
            .map(|c| (margin - row[class] + row[c]).max(0.0))
            .map(|z| factor * if p == 1.0 { z } else { z * z })
            .sum();
        losses.push(sum / n as f64);
    }
    let sizes: &[usize] = if batched { &[rows] } else { target.sizes() };
    let reduction = Reduction::from_code(reduction);
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
    need_float("multilabel_margin_loss_forward_out_frame", t.dtype())?;
    let (rows, n, batched) = score_rows(t)?;
    if target.sizes() != t.sizes() && !(target.numel() == t.numel() && t.rank() == 0) {
        return fail(format!(
            "inconsistent target size: {} for input of size: {}",
            list(target.sizes()),
            list(t.sizes())
        ));
    }
    if target.dtype() != DType::I64 {
        return fail(format!(
            "expected scalar type Long but found {}",
            target.dtype().class_name()
        ));
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
        let sum: f64 = own
            .iter()
            .map(|l| {
                let others = (0..n).filter(|c| marks[*c] == 0.0);
                others.map(|c| (1.0 - x[*l] + x[c]).max(0.0)).sum::<f64>()
            })
            .sum();
        losses.push(sum / n as f64);
    }
    let marks = Tensor::from_vec(is_target, target.sizes())?.to_dtype(t.dtype());
    let loss = match Reduction::from_code(reduction) {
        Reduction::None if !batched => number(losses[0], t.dtype())?,
        reduction => reduction.apply(losses, &[rows], t.dtype())?,
    };
    Ok((loss, marks))
}

"""Losses. ``size_average`` and ``reduce`` are the older way to say ``reduction``.

Most losses are one operator; what they check and how they reduce stands in the functions at the top.
"""

import math
import warnings
from typing import List, Optional, Union

import rushlight as torch

from ..._library import publish
from ..._rushlight import Tensor
from .. import _reduction as _Reduction


def _chosen(reduction: str, size_average: Optional[bool], reduce: Optional[bool]) -> str:
    """The reduction in effect: the older flags, where one is given, win over the word."""
    if size_average is None and reduce is None:
        return reduction
    return _Reduction.legacy_get_string(size_average, reduce)


def _number(reduction: str, size_average: Optional[bool], reduce: Optional[bool]) -> int:
    """The reduction in effect, as operators take it."""
    return _Reduction.get_enum(_chosen(reduction, size_average, reduce))


def _is_reduction(word: str) -> bool:
    return word in ("none", "mean", "sum")


def _reduced(loss: Tensor, reduction: str) -> Tensor:
    """A loss for each element, reduced by a word that has been checked."""
    if reduction == "none":
        return loss
    return loss.mean() if reduction == "mean" else loss.sum()


def _mismatch(input: Tensor, target: Tensor) -> str:
    """What is said of sizes that differ; each loss says it itself, since scripts say it once for each place."""
    return (
        f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). "
        "This will likely lead to incorrect results due to broadcasting. "
        "Please ensure they have the same size."
    )


def _check_weighted(weight: Tensor, input: Tensor, reduction: str) -> None:
    """Refuses weights that are not one for each element, and unknown reductions of weighted losses."""
    if weight.size() != input.size():
        raise ValueError("Weights and input must have the same size.")
    if not _is_reduction(reduction):
        raise ValueError(f"Invalid reduction mode: {reduction}. Expected one of 'none', 'mean', 'sum'.")


def _weighted(loss: Tensor, weight: Tensor, reduction: str) -> Tensor:
    """A loss for each element, weighted and reduced; the mean is that of the weights."""
    loss = loss * weight
    return loss.sum() / weight.sum() if reduction == "mean" else _reduced(loss, reduction)


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor,
    target_lengths: Tensor,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Minus the log probability of target sequences under all their alignments to the input."""
    return torch.ctc_loss(
        log_probs, targets, input_lengths, target_lengths, blank, _Reduction.get_enum(reduction), zero_infinity
    )


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Optional[Tensor] = None,
    size_average: Optional[bool] = None,
    ignore_index: int = -100,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
) -> Tensor:
    """Minus the log probabilities of the target classes."""
    return torch._C._nn.nll_loss_nd(input, target, weight, _number(reduction, size_average, reduce), ignore_index)


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Optional[Tensor] = None,
    size_average: Optional[bool] = None,
    ignore_index: int = -100,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """``nll_loss`` of ``log_softmax``; targets may be classes or probabilities."""
    return torch._C._nn.cross_entropy_loss(
        input, target, weight, _number(reduction, size_average, reduce), ignore_index, label_smoothing
    )


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: Optional[bool] = None,
    eps: float = 1e-8,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
) -> Tensor:
    """Minus the log likelihood of counts under Poisson rates."""
    reduction = _chosen(reduction, size_average, reduce)
    if not _is_reduction(reduction):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return torch.poisson_nll_loss(input, target, log_input, full, eps, _Reduction.get_enum(reduction))


def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Union[Tensor, float],
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """Minus the log likelihood of targets under normal distributions."""
    var = _variances(var, input)
    if not _is_reduction(reduction):
        raise ValueError(f"{reduction} is not valid")
    var = var.clone()
    with torch.no_grad():
        var.clamp_(min=eps)
    loss = 0.5 * (var.log() + (input - target) ** 2 / var)
    if full:
        loss += 0.5 * math.log(2 * math.pi)
    return _reduced(loss, reduction)


def _variances(var: Union[Tensor, float], input: Tensor) -> Tensor:
    """Variances that go with the input: one for all elements, one for each, or one for each but along one dimension.

    It does not compile, for its ``if`` in a list: the loss is for Python alone.
    """
    if isinstance(var, float):
        var = torch.full_like(input, var)
    if torch.any(var < 0):
        raise ValueError("var has negative entry/entries")
    if var.size() == input.size():
        return var
    if var.size() == input.size()[:-1]:
        return var.unsqueeze(-1)
    other = [theirs for ours, theirs in zip(input.size(), var.size()) if ours != theirs]
    if var.dim() != input.dim() or sum(other) != 1:
        raise ValueError("var is of incorrect size")
    return var


def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: Optional[bool] = None,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """The Kullback-Leibler divergence of log probabilities from target probabilities."""
    if reduction == "mean" and size_average is None and reduce is None:
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size."
            "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
            "'mean' will be changed to behave the same as 'batchmean' in the next major release.",
            stacklevel=2,
        )
    by_batch = reduction == "batchmean"
    number = _number("sum" if by_batch else reduction, size_average, reduce)
    reduced = torch.kl_div(input, target, number, log_target=log_target)
    return reduced / input.size(0) if by_batch and input.dim() != 0 else reduced


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Optional[Tensor] = None,
    size_average: Optional[bool] = None,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
) -> Tensor:
    """Cross entropy of probabilities and target probabilities of two classes."""
    number = _number(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is deprecated. "
            "Please ensure they have the same size."
        )
    if weight is not None:
        weight = weight.expand(torch.broadcast_shapes(target.size(), weight.size()))
    return torch._C._nn.binary_cross_entropy(input, target, weight, number)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Optional[Tensor] = None,
    size_average: Optional[bool] = None,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
    pos_weight: Optional[Tensor] = None,
) -> Tensor:
    """``binary_cross_entropy`` of the sigmoid of the input."""
    number = _number(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    return torch.binary_cross_entropy_with_logits(input, target, weight, pos_weight, number)


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: Optional[bool] = None,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
    weight: Optional[Tensor] = None,
) -> Tensor:
    """The mean absolute difference."""
    if target.size() != input.size():
        warnings.warn(_mismatch(input, target), stacklevel=2)
    both = torch.broadcast_tensors([input, target])
    reduction = _chosen(reduction, size_average, reduce)
    if weight is None:
        return torch._C._nn.l1_loss(both[0], both[1], _Reduction.get_enum(reduction))
    _check_weighted(weight, input, reduction)
    return _weighted((both[0] - both[1]).abs(), weight, reduction)


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: Optional[bool] = None,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
    weight: Optional[Tensor] = None,
) -> Tensor:
    """The mean squared difference."""
    if target.size() != input.size():
        warnings.warn(_mismatch(input, target), stacklevel=2)
    both = torch.broadcast_tensors([input, target])
    reduction = _chosen(reduction, size_average, reduce)
    if weight is None:
        return torch._C._nn.mse_loss(both[0], both[1], _Reduction.get_enum(reduction))
    _check_weighted(weight, input, reduction)
    return _weighted((both[0] - both[1]).pow(2), weight, reduction)


def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: Optional[bool] = None,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """Squared below ``beta``, absolute above it."""
    if target.size() != input.size():
        warnings.warn(_mismatch(input, target), stacklevel=2)
    both = torch.broadcast_tensors([input, target])
    number = _number(reduction, size_average, reduce)
    if beta == 0.0:
        return torch._C._nn.l1_loss(both[0], both[1], number)
    return torch._C._nn.smooth_l1_loss(both[0], both[1], number, beta)


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Optional[Tensor] = None
) -> Tensor:
    """Squared below ``delta``, ``delta`` times absolute above it."""
    if target.size() != input.size():
        warnings.warn(_mismatch(input, target), stacklevel=2)
    both = torch.broadcast_tensors([input, target])
    if weight is None:
        return torch._C._nn.huber_loss(both[0], both[1], _Reduction.get_enum(reduction), delta)
    _check_weighted(weight, input, reduction)
    each = torch._C._nn.huber_loss(both[0], both[1], _Reduction.get_enum("none"), delta)
    return _reduced(each * weight, reduction)


def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: Optional[bool] = None,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
) -> Tensor:
    """How far pairs are from being ordered as the target's sign says."""
    number = _number(reduction, size_average, reduce)
    if not input1.dim() == input2.dim() == target.dim():
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    return torch.margin_ranking_loss(input1, input2, target, margin, number)


def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: Optional[bool] = None,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
) -> Tensor:
    """The input where the target is 1, what it lacks to the margin where it is -1."""
    return torch.hinge_embedding_loss(input, target, margin, _number(reduction, size_average, reduce))


def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: Optional[bool] = None,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
) -> Tensor:
    """Margins between the classes of each target row and all others."""
    return torch._C._nn.multilabel_margin_loss(input, target, _number(reduction, size_average, reduce))


def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: Optional[bool] = None,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
) -> Tensor:
    """``log(1 + exp(-target input))``."""
    return torch._C._nn.soft_margin_loss(input, target, _number(reduction, size_average, reduce))


def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Optional[Tensor] = None,
    size_average: Optional[bool] = None,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
) -> Tensor:
    """Cross entropy of each class on its own, averaged over classes."""
    reduction = _chosen(reduction, size_average, reduce)
    loss = -(target * torch._C._nn.log_sigmoid(input) + (1 - target) * torch._C._nn.log_sigmoid(-input))
    if weight is not None:
        loss = loss * weight
    class_dim = input.dim() - 1
    C = input.size(class_dim)
    loss = loss.sum(dim=class_dim) / C
    if not _is_reduction(reduction):
        raise ValueError(f"{reduction} is not valid")
    return _reduced(loss, reduction)


def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: Optional[bool] = None,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
) -> Tensor:
    """How far the cosines of pairs are from 1, or above the margin where the target is -1."""
    return torch.cosine_embedding_loss(input1, input2, target, margin, _number(reduction, size_average, reduce))


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Optional[Tensor] = None,
    size_average: Optional[bool] = None,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
) -> Tensor:
    """Margins between the target class and all others."""
    number = _number(reduction, size_average, reduce)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    return torch._C._nn.multi_margin_loss(input, target, p, margin, weight, number)


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: Optional[bool] = None,
    reduce: Optional[bool] = None,
    reduction: str = "mean",
) -> Tensor:
    """How much nearer the positive is to the anchor than the negative, up to the margin."""
    number = _number(reduction, size_average, reduce)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    return torch.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, number)


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function=None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """``triplet_margin_loss`` with a distance of the caller's own."""
    if not _is_reduction(reduction):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if not anchor.dim() == positive.dim() == negative.dim():
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, "
            f"but got: anchor {anchor.dim()}D, positive {positive.dim()}D, and negative {negative.dim()}D inputs"
        )
    distance = distance_function or torch.pairwise_distance
    dist_pos, dist_neg = distance(anchor, positive), distance(anchor, negative)
    if swap:
        dist_neg = torch.minimum(dist_neg, distance(positive, negative))
    return _reduced(torch.clamp_min(margin + dist_pos - dist_neg, 0), reduction)


publish(globals(), "torch.nn.functional")

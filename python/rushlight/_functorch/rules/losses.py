"""Losses: of every element, then added up for each sample."""

import rushlight as _torch

from ._common import MISSING, Tensor, Unfit, all_front, batched_at, bind, rule, wrap
from .pointwise import aligned

# What follows input and target, up to and with the reduction.
_PARAMETERS = {
    "mse_loss": "input target reduction", "l1_loss": "input target reduction", "smooth_l1_loss": "input target reduction beta",
    "huber_loss": "input target reduction delta", "binary_cross_entropy": "input target weight reduction",
    "binary_cross_entropy_with_logits": "input target weight pos_weight reduction", "kl_div": "input target reduction",
    "soft_margin_loss": "input target reduction", "hinge_embedding_loss": "input target margin reduction",
    "poisson_nll_loss": "input target log_input full eps reduction",
}


def _reduce(values, reduction, level):
    """Losses of all elements, the samples first, as the reduction says (0: none, 1: mean, 2: sum)."""
    if reduction == 0:
        return wrap(values, level)
    flat = values.reshape(values.shape[0], -1)
    return wrap(flat.mean(1) if reduction == 1 else flat.sum(1), level)


def _elementwise(name, parameters):
    parameters = parameters.split()
    place = parameters.index("reduction")

    def loss(level, call, args, kwargs):
        found = bind(" ".join(parameters), args, {("input" if k == "self" else k): v for k, v in kwargs.items() if k != "log_target"})
        more = {"log_target": kwargs["log_target"]} if "log_target" in kwargs else {}
        reduction = 1 if found[place] is MISSING else found[place]
        if isinstance(reduction, str):
            raise Unfit
        found[place] = 0
        named = {n: v for n, v in zip(parameters[2:], found[2:]) if v is not MISSING}
        keys = [k for k, v in named.items() if isinstance(v, Tensor)]
        values = aligned(level, [found[0], found[1], *(named[k] for k in keys)])
        named.update(zip(keys, values[2:]))
        if found[0].shape == found[1].shape:
            # What is the same for all samples gets the sizes of the rest: not every loss broadcasts.
            values[:2] = _torch.broadcast_tensors(values[0], values[1])
        positional = [named.get(n) for n in parameters[2 : place + 1]]
        if all(n in named for n in parameters[2 : place + 1]):
            after = {n: named[n] for n in parameters[place + 1 :] if n in named}
            result = call(values[0], values[1], *positional, **after, **more)
        else:
            result = call(values[0], values[1], **named, **more)
        return _reduce(result, reduction, level)

    rule(name)(loss)


for _name, _text in _PARAMETERS.items():
    _elementwise(_name, _text)


@rule("pairwise_distance")
def pairwise_distance(level, call, args, kwargs):
    """Distances of lines."""
    one, two, p, eps, keepdim = bind("x1 x2 p eps keepdim", args, kwargs, p=2.0, eps=1e-6, keepdim=False)
    return _torch.linalg.vector_norm(one - two + eps, p, -1, keepdim)


@rule("margin_ranking_loss")
def margin_ranking(level, call, args, kwargs):
    """Whether one number is greater than another by a margin."""
    one, two, target, margin, reduction = bind("x1 x2 target margin reduction", args, kwargs, margin=0.0, reduction=1)
    return _whole((-target * (one - two) + margin).clamp(min=0), reduction)


@rule("triplet_margin_loss")
def triplet_margin(level, call, args, kwargs):
    """Whether one distance is greater than another by a margin."""
    anchor, near, far, margin, p, eps, swap, reduction = bind(
        "anchor positive negative margin p eps swap reduction", args, kwargs, margin=1.0, p=2.0, eps=1e-6, swap=False, reduction=1
    )

    def distance(one, two):
        return _torch.linalg.vector_norm(one - two + eps, p, -1)

    away = distance(anchor, far)
    if swap:
        away = _torch.minimum(away, distance(near, far))
    return _whole((distance(anchor, near) - away + margin).clamp(min=0), reduction)


def _whole(values, reduction):
    return values.mean() if reduction == 1 else values.sum() if reduction == 2 else values


@rule("nll_loss", "nll_loss_nd", "nll_loss2d", "cross_entropy_loss")
def classes(level, call, args, kwargs):
    """Losses of classes: means count the weights of the targets."""
    names = "self target weight reduction ignore_index label_smoothing"
    given, target, weight, reduction, ignored, smoothing = bind(
        names, args, kwargs, weight=None, reduction=1, ignore_index=-100, label_smoothing=0.0
    )
    if batched_at(weight, level) or isinstance(reduction, str):
        raise Unfit
    value, wanted = all_front(given, level), all_front(target, level)
    count = value.shape[0]
    if given.dim() > 1:
        value, wanted = value.flatten(0, 1), wanted.flatten(0, 1)
    is_class = not wanted.is_floating_point()
    name = getattr(call, "__name__", "")
    more = [smoothing] if name == "cross_entropy_loss" else []
    losses = call(value, wanted, weight, 0, ignored, *more)
    losses = losses.reshape(count, *given.shape[:1] * (given.dim() > 1), *losses.shape[1:])
    if reduction == 0:
        return wrap(losses, level)
    total = losses.reshape(count, -1).sum(1)
    if reduction == 2:
        return wrap(total, level)
    if not is_class:
        return wrap(total / max(1, losses.numel() // max(count, 1)), level)
    kept = wanted != ignored
    if weight is None:
        number = kept.reshape(count, -1).sum(1).to(total.dtype)
    else:
        number = (weight[_torch.where(kept, wanted, 0)] * kept).reshape(count, -1).sum(1)
    return wrap(total / number, level)

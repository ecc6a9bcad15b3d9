"""Adam and its relatives: optimisers that follow moments of the gradient."""

import rushlight as torch

from ._base import (
    Optimizer, back_by_ratio, check_betas, check_decay, check_rate, counted, kept, per_parameter, plus, rate_of, refuse_fused, zeros,
)  # fmt: skip


def _check(lr, betas, eps, weight_decay):
    check_rate(lr)
    if not 0.0 <= eps:
        raise ValueError(f"Invalid epsilon value: {eps}")
    check_betas(betas)
    check_decay(weight_decay)


def _decayed(p, gradient, group, lr):
    """The gradient with the weight decay in it, or the parameter shrunk where the decay is decoupled."""
    decay = group["weight_decay"]
    if decay == 0:
        return gradient
    if group.get("decoupled_weight_decay"):
        p.mul_(1 - lr * decay)
        return gradient
    return gradient.add(p, alpha=decay)


@per_parameter("exp_avg", "exp_avg_sq", "max_exp_avg_sq", "step")
class Adam(Optimizer):
    """Steps by the mean of the gradient over the root of the mean of its square.

    Args:
        params: parameters or groups of them.
        lr: the learning rate.
        betas: how much of the two means is kept at each step.
        eps: added to the root.
        weight_decay: how much of the parameter is added to its gradient.
        amsgrad: use the largest mean of squares so far.
        maximize: climb instead.
        decoupled_weight_decay: shrink the parameter instead of changing its gradient.
    """

    def __init__(
        self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False, *, foreach=None,
        maximize=False, capturable=False, differentiable=False, fused=None, decoupled_weight_decay=False,
    ):  # fmt: skip
        _check(lr, betas, eps, weight_decay)
        if isinstance(lr, torch.Tensor) and foreach and not capturable:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)
        refuse_fused(defaults)

    def _first(self, p, gradient, group):
        return zeros(p, "exp_avg", "exp_avg_sq", *(["max_exp_avg_sq"] if group["amsgrad"] else []))

    @staticmethod
    def _update(p, gradient, state, group):
        beta1, beta2 = group["betas"]
        lr = rate_of(group)
        step = counted(state)
        gradient = _decayed(p, gradient, group, lr)
        mean, squares = state["exp_avg"], state["exp_avg_sq"]
        mean.lerp_(gradient, 1 - beta1)
        squares.mul_(beta2).addcmul_(gradient, gradient.conj(), value=1 - beta2)
        if group["amsgrad"]:
            squares = torch.maximum(state["max_exp_avg_sq"], squares)
            state["max_exp_avg_sq"].copy_(squares)
        root = (squares.sqrt() / (1 - beta2**step) ** 0.5).add_(group["eps"])
        back_by_ratio(p, mean, root, lr / (1 - beta1**step))


class AdamW(Adam):
    """Adam with a weight decay that does not enter the moments; options as of :class:`Adam`."""

    def __init__(
        self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False, *, maximize=False,
        foreach=None, capturable=False, differentiable=False, fused=None,
    ):  # fmt: skip
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize, capturable=capturable,
            differentiable=differentiable, fused=fused, decoupled_weight_decay=True,
        )  # fmt: skip


@per_parameter("exp_avg", "exp_inf", "step")
class Adamax(Optimizer):
    """Adam with the largest gradient so far instead of the mean of squares; options as of :class:`Adam`."""

    def __init__(
        self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, foreach=None, *, maximize=False,
        differentiable=False, capturable=False,
    ):  # fmt: skip
        _check(lr, betas, eps, weight_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _first(self, p, gradient, group):
        return zeros(p, "exp_avg", "exp_inf")

    @staticmethod
    def _update(p, gradient, state, group):
        beta1, beta2 = group["betas"]
        step = counted(state)
        gradient = _decayed(p, gradient, group, rate_of(group))
        state["exp_avg"].lerp_(gradient, 1 - beta1)
        largest = torch.maximum(kept(state["exp_inf"].mul_(beta2)), gradient.abs().add_(group["eps"]))
        state["exp_inf"].copy_(largest)
        back_by_ratio(p, state["exp_avg"], largest, rate_of(group) / (1 - beta1**step))


@per_parameter("exp_avg", "exp_avg_sq", "mu_product", "step", capturable="params, mu_products and state_steps")
class NAdam(Optimizer):
    """Adam with Nesterov's momentum; options as of :class:`Adam`, and ``momentum_decay``."""

    def __init__(
        self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, momentum_decay=4e-3,
        decoupled_weight_decay=False, *, foreach=None, maximize=False, capturable=False, differentiable=False,
    ):  # fmt: skip
        _check(lr, betas, eps, weight_decay)
        if not 0.0 <= momentum_decay:
            raise ValueError(f"Invalid momentum_decay value: {momentum_decay}")
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _first(self, p, gradient, group):
        return {**zeros(p), "mu_product": torch.tensor(1.0), **zeros(p, "exp_avg", "exp_avg_sq")}

    @staticmethod
    def _update(p, gradient, state, group):
        beta1, beta2 = group["betas"]
        lr = rate_of(group)
        step = counted(state)
        gradient = _decayed(p, gradient, group, lr)
        mu = beta1 * (1.0 - 0.5 * 0.96 ** (step * group["momentum_decay"]))
        following = beta1 * (1.0 - 0.5 * 0.96 ** ((step + 1) * group["momentum_decay"]))
        state["mu_product"] *= mu
        product = state["mu_product"].item()
        state["exp_avg"].lerp_(gradient, 1 - beta1)
        state["exp_avg_sq"].mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        root = plus(state["exp_avg_sq"].div(1 - beta2**step).sqrt(), group["eps"])
        back_by_ratio(p, gradient, root, lr * (1.0 - mu) / (1.0 - product))
        back_by_ratio(p, state["exp_avg"], root, lr * following / (1.0 - product * following))


@per_parameter("exp_avg", "exp_avg_sq", "step")
class RAdam(Optimizer):
    """Adam whose first steps do without the second moment; options as of :class:`Adam`."""

    def __init__(
        self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, decoupled_weight_decay=False, *,
        foreach=None, maximize=False, capturable=False, differentiable=False,
    ):  # fmt: skip
        _check(lr, betas, eps, weight_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _first(self, p, gradient, group):
        return zeros(p, "exp_avg", "exp_avg_sq")

    @staticmethod
    def _update(p, gradient, state, group):
        beta1, beta2 = group["betas"]
        lr = rate_of(group)
        step = counted(state)
        gradient = _decayed(p, gradient, group, lr)
        state["exp_avg"].lerp_(gradient, 1 - beta1)
        state["exp_avg_sq"].mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        mean = state["exp_avg"] / (1 - beta1**step)
        limit = 2 / (1 - beta2) - 1
        length = limit - 2 * step * beta2**step / (1 - beta2**step)
        if length > 5.0:
            root = plus(state["exp_avg_sq"].sqrt(), group["eps"])
            factor = (
                (length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length)
            ) ** 0.5
            mean = mean * lr * ((1 - beta2**step) ** 0.5 / root) * factor
            p.add_(mean, alpha=-1.0)
        else:
            p.add_(mean * lr, alpha=-1.0)

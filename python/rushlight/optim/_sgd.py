"""Stochastic gradient descent."""

import rushlight as torch

from ._base import Optimizer, back, check_single, per_parameter, rate_of, refuse_fused


@per_parameter("momentum_buffer", takes_sparse=True, as_reals=False, lists_are_full=False, tells_of=0)
class SGD(Optimizer):
    """Stochastic gradient descent, with momentum where asked for.

    Args:
        params: parameters or groups of them.
        lr: the learning rate.
        momentum: how much of the last change is kept.
        dampening: how much of the gradient is left out of the momentum.
        weight_decay: how much of the parameter is added to its gradient.
        nesterov: look ahead along the momentum.
        maximize: climb instead.
    """

    def __init__(
        self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, *,
        maximize=False, foreach=None, differentiable=False, fused=None,
    ):  # fmt: skip
        check_single(lr)
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if momentum < 0.0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
        refuse_fused(defaults)

    def _first(self, p, gradient, group):
        return {"momentum_buffer": None} if group["momentum"] != 0 else {}

    @staticmethod
    def _update(p, gradient, state, group):
        momentum, decay = group["momentum"], group["weight_decay"]
        if decay != 0:
            gradient = gradient.add(p, alpha=decay)
        if momentum != 0:
            buffer = state.get("momentum_buffer")
            if buffer is None:
                buffer = state["momentum_buffer"] = torch.clone(gradient).detach()
            else:
                buffer.mul_(momentum).add_(gradient, alpha=1 - group["dampening"])
            gradient = gradient.add(buffer, alpha=momentum) if group["nesterov"] else buffer
        back(p, gradient, rate_of(group))

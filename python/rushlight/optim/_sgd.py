"""Stochastic gradient descent."""

import rushlight as torch

from ._base import PerParameter, check_decay, check_rate, rate_of


class SGD(PerParameter):
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

    _takes_sparse = True

    def __init__(
        self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, *,
        maximize=False, foreach=None, differentiable=False, fused=None,
    ):  # fmt: skip
        check_rate(lr)
        if momentum < 0.0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        check_decay(weight_decay)
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

    def _update(self, p, gradient, group):
        momentum, decay = group["momentum"], group["weight_decay"]
        if decay != 0:
            gradient = gradient.add(p, alpha=decay)
        if momentum != 0:
            state = self.state[p]
            buffer = state.get("momentum_buffer")
            if buffer is None:
                buffer = state["momentum_buffer"] = torch.clone(gradient).detach()
            else:
                buffer.mul_(momentum).add_(gradient, alpha=1 - group["dampening"])
            gradient = gradient.add(buffer, alpha=momentum) if group["nesterov"] else buffer
        p.add_(gradient, alpha=-rate_of(group))

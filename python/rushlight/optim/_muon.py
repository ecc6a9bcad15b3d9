"""Muon (Jordan and others, 2024): momentum whose matrix is made nearly orthogonal by a Newton-Schulz iteration."""

import rushlight as torch

from ._base import Optimizer, per_parameter, rate_of


def _check_options(lr, weight_decay, momentum, adjust_lr_fn):
    if isinstance(lr, torch.Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    if not 0.0 <= lr:
        raise ValueError(f"Learning rate should be >= 0 but is: {lr}")
    if not 0.0 <= momentum:
        raise ValueError(f"momentum should be >= 0 but is: {momentum}")
    if not 0.0 <= weight_decay:
        raise ValueError(f"weight decay should be >= 0 but is: {weight_decay}")
    if adjust_lr_fn is not None and adjust_lr_fn not in _RATES:
        raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")


# By how much the rate of a matrix with so many rows and columns is changed.
_RATES = {
    "original": lambda rows, columns: max(1, rows / columns) ** 0.5,
    "match_rms_adamw": lambda rows, columns: 0.2 * max(rows, columns) ** 0.5,
}


def _orthogonal(matrix, coefficients, steps, eps):
    """A matrix with nearly the same singular vectors, whose singular values are near one."""
    if steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    linear, cubic, quintic = coefficients
    x = matrix.bfloat16()
    tall = x.size(0) > x.size(1)
    if tall:
        x = x.T
    x = x / x.norm().clamp(min=eps)
    for _ in range(steps):
        square = x @ x.T
        x = torch.addmm(x, torch.addmm(square, square, square, beta=cubic, alpha=quintic), x, beta=linear)
    return x.T if tall else x


@per_parameter("momentum_buffer", as_reals=False)
class Muon(Optimizer):
    """Steps along momentum that is made nearly orthogonal; for the matrices inside a network.

    Args:
        params: matrices or groups of them.
        lr: the learning rate.
        weight_decay: how much of the parameter is taken off, times the rate.
        momentum: how much of the momentum is kept at each step.
        nesterov: look ahead along the momentum.
        ns_coefficients: the coefficients of the iteration's polynomial.
        eps: the least norm that a matrix is divided by.
        ns_steps: the number of iterations.
        adjust_lr_fn: how the rate depends on the shape, ``"original"`` or ``"match_rms_adamw"``.
    """

    def __init__(
        self, params, lr=1e-3, weight_decay=0.1, momentum=0.95, nesterov=True,
        ns_coefficients=(3.4445, -4.775, 2.0315), eps=1e-7, ns_steps=5, adjust_lr_fn=None,
    ):  # fmt: skip
        _check_options(lr, weight_decay, momentum, adjust_lr_fn)
        defaults = {
            "lr": lr,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "nesterov": nesterov,
            "ns_coefficients": ns_coefficients,
            "eps": eps,
            "ns_steps": ns_steps,
            "adjust_lr_fn": adjust_lr_fn,
        }
        super().__init__(params, defaults)
        for group in self.param_groups:
            for p in group["params"]:
                if p.dim() != 2:
                    raise ValueError(f"Muon only supports 2D parameters whereas we found a parameter with size: {p.size()}")

    def _first(self, p, gradient, group):
        if p.is_complex():
            raise RuntimeError("Muon does not support complex parameters")
        return {"momentum_buffer": torch.zeros_like(gradient)}

    @staticmethod
    def _update(p, gradient, state, group):
        momentum, rate = group["momentum"], rate_of(group)
        buffer = state["momentum_buffer"]
        buffer.lerp_(gradient, 1 - momentum)
        update = gradient.lerp(buffer, momentum) if group["nesterov"] else buffer
        update = _orthogonal(update, group["ns_coefficients"], group["ns_steps"], group["eps"])
        p.mul_(1 - rate * group["weight_decay"])
        p.add_(update, alpha=-rate * _RATES[group["adjust_lr_fn"] or "original"](*p.shape))

"""Adafactor (Shazeer and Stern, 2018): second moments of matrices kept as the means of their rows and columns."""

import rushlight as torch

from ._base import Optimizer, counted, per_parameter, rate_of, zeros


def _check_options(lr, beta2_decay, eps, d, weight_decay):
    if isinstance(lr, torch.Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    if not 0.0 <= lr:
        raise ValueError(f"Learning rate should be >= 0 but is: {lr}")
    if not 0.0 >= beta2_decay:
        raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
    if eps[0] is not None and not 0.0 <= eps[0]:
        raise ValueError(f"epsilon1 should be >= 0 but is: {eps[0]}")
    if not 0.0 <= eps[1]:
        raise ValueError(f"epsilon2 should be >= 0 but is: {eps[1]}")
    if not 1.0 <= d:
        raise ValueError(f"Clipping threshold d should be >= 1 but is: {d}")
    if not 0.0 <= weight_decay:
        raise ValueError(f"weight_decay should be >= 0 but is: {weight_decay}")


def _root_mean_square(tensor):
    return tensor.norm(2).item() / tensor.numel() ** 0.5


@per_parameter("row_var", "col_var", "variance", "step", as_reals=False, lists_are_full=True)
class Adafactor(Optimizer):
    """Steps relative to the size of the parameter, with second moments that take little memory.

    Args:
        params: parameters or groups of them.
        lr: the most that a step may be, relative to the parameter.
        beta2_decay: the exponent by which the decay of second moments grows with steps.
        eps: the least second moment, and the least size that a parameter counts with.
        d: the root mean square beyond which an update is scaled down.
        weight_decay: how much of the parameter is taken off, times the rate.
        maximize: climb instead.
    """

    def __init__(
        self, params, lr=1e-2, beta2_decay=-0.8, eps=(None, 1e-3), d=1.0, weight_decay=0.0, *, foreach=None,
        maximize=False,
    ):  # fmt: skip
        _check_options(lr, beta2_decay, eps, d, weight_decay)
        defaults = {
            "lr": lr,
            "beta2_decay": beta2_decay,
            "eps": eps,
            "d": d,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def _first(self, p, gradient, group):
        if p.is_complex():
            raise RuntimeError("Adafactor does not support complex parameters")
        if gradient.dim() < 2:
            return {**zeros(p), "variance": torch.zeros_like(gradient)}
        rows, columns = (*gradient.shape[:-1], 1), (*gradient.shape[:-2], 1, gradient.shape[-1])
        return {**zeros(p), "row_var": gradient.new_zeros(rows), "col_var": gradient.new_zeros(columns)}

    @staticmethod
    def _update(p, gradient, state, group):
        least, least_size = group["eps"]
        if least is None:
            least = torch.finfo(p.dtype).eps
        rate, step = rate_of(group), counted(state)
        fresh = step ** group["beta2_decay"]
        alpha = max(least_size, _root_mean_square(p)) * min(rate, 1 / step**0.5)
        if group["weight_decay"] != 0:
            p.mul_(1 - rate * group["weight_decay"])
        if gradient.dim() > 1:
            rows, columns = state["row_var"], state["col_var"]
            rows.lerp_(gradient.square().mean(-1, keepdim=True), fresh)
            columns.lerp_(gradient.square().mean(-2, keepdim=True), fresh)
            moment = rows @ columns
            moment.div_(rows.mean(-2, keepdim=True).clamp_(min=least))
        else:
            state["variance"].lerp_(gradient.square(), fresh)
            moment = state["variance"].clone()
        update = moment.clamp_(min=least * least).rsqrt_().mul_(gradient)
        p.add_(update, alpha=-alpha / max(1.0, _root_mean_square(update) / group["d"]))

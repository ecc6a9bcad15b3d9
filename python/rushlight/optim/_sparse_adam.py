"""Adam for sparse gradients."""

import rushlight as torch

from ._base import Optimizer, check_betas, per_parameter, rate_of


@per_parameter("exp_avg", "exp_avg_sq", "step", takes_sparse=True, as_reals=False)
class SparseAdam(Optimizer):
    """Adam for parameters of which a step sees some rows: only those rows and their moments change.

    Args:
        params: parameters or groups of them.
        lr: the learning rate.
        betas: how much of the two means is kept at each step.
        eps: added to the root.
        maximize: climb instead.
    """

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, maximize=False):
        if not 0.0 < lr:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not 0.0 < eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        check_betas(betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})
        found = [
            [number, place]
            for number, group in enumerate(self.param_groups)
            for place, p in enumerate(group["params"])
            if p.layout != torch.strided
        ]
        if found:
            raise ValueError(f"Sparse params at indices {found}: SparseAdam requires dense parameter tensors")

    def _first(self, p, gradient, group):
        if not gradient.is_sparse:
            raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")
        return {"step": 0, "exp_avg": torch.zeros_like(p), "exp_avg_sq": torch.zeros_like(p)}

    @staticmethod
    def _update(p, gradient, state, group):
        if not gradient.is_sparse:
            raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")
        state["step"] += 1
        gradient = gradient.coalesce()
        rows, values = gradient.indices(), gradient.values()
        if values.numel() == 0:
            return
        places = tuple(rows)
        moments = []
        for name, seen, kept in zip(("exp_avg", "exp_avg_sq"), (values, values * values), group["betas"]):
            before = state[name][places]
            moments.append(before + (seen - before) * (1 - kept))
            state[name].index_put_(places, moments[-1])
        beta1, beta2 = (1 - beta ** state["step"] for beta in group["betas"])
        size = rate_of(group) * beta2**0.5 / beta1
        p.index_put_(places, moments[0] / (moments[1].sqrt() + group["eps"]) * -size, accumulate=True)

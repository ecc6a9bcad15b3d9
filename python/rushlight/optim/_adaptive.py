"""Optimisers with a rate for every number: by the history of its gradients, or of their signs."""

import rushlight as torch

from ._base import (
    Optimizer, back, back_by_ratio, check_decay, check_rate, counted, kept, per_parameter, plus, rate_of, refuse_fused, zeros,
)  # fmt: skip


def _check_eps(eps):
    if not 0.0 <= eps:
        raise ValueError(f"Invalid epsilon value: {eps}")


def _decayed(p, gradient, group):
    return gradient.add(p, alpha=group["weight_decay"]) if group["weight_decay"] != 0 else gradient


@per_parameter("square_avg", "momentum_buffer", "grad_avg", "step")
class RMSprop(Optimizer):
    """Steps by the gradient over the root of the mean of its square.

    Args:
        params: parameters or groups of them.
        lr: the learning rate.
        alpha: how much of the mean is kept at each step.
        eps: added to the root.
        weight_decay: how much of the parameter is added to its gradient.
        momentum: how much of the last change is kept.
        centered: subtract the square of the mean of the gradient.
        maximize: climb instead.
    """

    def __init__(
        self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False, capturable=False,
        foreach=None, maximize=False, differentiable=False,
    ):  # fmt: skip
        check_rate(lr)
        _check_eps(eps)
        if not 0.0 <= momentum:
            raise ValueError(f"Invalid momentum value: {momentum}")
        check_decay(weight_decay)
        if not 0.0 <= alpha:
            raise ValueError(f"Invalid alpha value: {alpha}")
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _first(self, p, gradient, group):
        names = ["momentum_buffer"] if group["momentum"] > 0 else []
        return zeros(p, "square_avg", *names, *(["grad_avg"] if group["centered"] else []))

    @staticmethod
    def _update(p, gradient, state, group):
        counted(state)
        alpha = group["alpha"]
        gradient = _decayed(p, gradient, group)
        squares = state["square_avg"]
        squares.mul_(alpha).addcmul_(gradient, gradient, value=1 - alpha)
        if group["centered"]:
            mean = state["grad_avg"]
            mean.lerp_(gradient, 1 - alpha)
            root = squares.addcmul(kept(mean), kept(mean), value=-1).sqrt_()
        else:
            root = squares.sqrt()
        root = plus(root, group["eps"])
        if group["momentum"] > 0:
            buffer = state["momentum_buffer"]
            buffer.mul_(group["momentum"]).addcdiv_(gradient, root)
            back(p, buffer, rate_of(group))
        else:
            back_by_ratio(p, gradient, root, rate_of(group))


@per_parameter("sum", "step", takes_sparse=True, tells_of=None)
class Adagrad(Optimizer):
    """Steps by the gradient over the root of the sum of all squares.

    Args:
        params: parameters or groups of them.
        lr: the learning rate.
        lr_decay: how much the rate shrinks at each step.
        weight_decay: how much of the parameter is added to its gradient.
        initial_accumulator_value: where the sums begin.
        eps: added to the root.
    """

    def __init__(
        self, params, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10, foreach=None, *,
        maximize=False, differentiable=False, fused=None,
    ):  # fmt: skip
        check_rate(lr)
        if not 0.0 <= lr_decay:
            raise ValueError(f"Invalid lr_decay value: {lr_decay}")
        check_decay(weight_decay)
        if not 0.0 <= initial_accumulator_value:
            raise ValueError(f"Invalid initial_accumulator_value value: {initial_accumulator_value}")
        _check_eps(eps)
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "eps": eps,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
        refuse_fused(defaults)
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p] = self._first(p, None, group)

    def share_memory(self):
        """Moves the state to memory that other processes can have too."""
        for state in self.state.values():
            for value in state.values():
                value.share_memory_()

    def _first(self, p, gradient, group):
        start = group["initial_accumulator_value"]
        return {**zeros(p), "sum": torch.full_like(p.detach(), complex(start, start) if p.is_complex() else start)}

    @staticmethod
    def _update(p, gradient, state, group):
        step = counted(state)
        gradient = _decayed(p, gradient, group)
        rate = rate_of(group) / (1 + (step - 1) * group["lr_decay"])
        if gradient.is_sparse:
            # Only the rows that the gradient has.
            gradient = gradient.coalesce()
            places, values = tuple(gradient.indices()), gradient.values()
            state["sum"].index_put_(places, values * values, accumulate=True)
            root = state["sum"][places].sqrt() + group["eps"]
            p.index_put_(places, values / root * -rate, accumulate=True)
            return
        state["sum"].addcmul_(gradient, gradient, value=1)
        back_by_ratio(p, gradient, plus(state["sum"].sqrt(), group["eps"]), rate)


@per_parameter("square_avg", "acc_delta", "step", places="")
class Adadelta(Optimizer):
    """Steps by the gradient times the ratio of the roots of the mean squares of steps and gradients.

    Args:
        params: parameters or groups of them.
        lr: a factor of the steps.
        rho: how much of the means is kept at each step.
        eps: added to both means.
        weight_decay: how much of the parameter is added to its gradient.
    """

    def __init__(
        self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0, foreach=None, *, capturable=False, maximize=False,
        differentiable=False,
    ):  # fmt: skip
        check_rate(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        _check_eps(eps)
        check_decay(weight_decay)
        defaults = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "capturable": capturable,
            "foreach": foreach,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _first(self, p, gradient, group):
        return zeros(p, "square_avg", "acc_delta")

    @staticmethod
    def _update(p, gradient, state, group):
        counted(state)
        rho, eps = group["rho"], group["eps"]
        gradient = _decayed(p, gradient, group)
        state["square_avg"].mul_(rho).addcmul_(gradient, gradient, value=1 - rho)
        root = state["square_avg"].add(eps).sqrt_()
        delta = state["acc_delta"].add(eps).sqrt_()
        delta = (delta.div(root) if torch.is_grad_enabled() else delta.div_(root)).mul_(gradient)
        state["acc_delta"].mul_(rho).addcmul_(delta, delta, value=1 - rho)
        back(p, delta, rate_of(group))


@per_parameter("prev", "step_size", "step")
class Rprop(Optimizer):
    """Steps by the sign of the gradient; a number's step grows while its sign stays.

    Args:
        params: parameters or groups of them.
        lr: the first size of the steps.
        etas: the factors where the sign changes and where it stays.
        step_sizes: the smallest and the largest step.
    """

    def __init__(
        self, params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), *, capturable=False, foreach=None,
        maximize=False, differentiable=False,
    ):  # fmt: skip
        check_rate(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        defaults = {
            "lr": lr,
            "etas": etas,
            "step_sizes": step_sizes,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _first(self, p, gradient, group):
        lr = group["lr"].item() if isinstance(group["lr"], torch.Tensor) else group["lr"]
        size = torch.full_like(gradient, complex(lr, lr) if p.is_complex() else lr)
        return {**zeros(p, "prev"), "step_size": size}

    @staticmethod
    def _update(p, gradient, state, group):
        counted(state)
        less, more = group["etas"]
        low, high = group["step_sizes"]
        sign = gradient.mul(kept(state["prev"])).sign()
        factor = torch.where(sign > 0, more, torch.where(sign < 0, less, 1.0)).to(p.dtype)
        state["step_size"].mul_(factor).clamp_(low, high)
        gradient = torch.where(sign < 0, torch.zeros_like(gradient), gradient)
        p.addcmul_(gradient.sign(), kept(state["step_size"]), value=-1)
        state["prev"].copy_(gradient)


@per_parameter("mu", "ax", "eta", "step", capturable="params, mus, etas, and state_steps")
class ASGD(Optimizer):
    """Stochastic gradient descent that keeps a mean of the parameters in ``state[p]["ax"]``.

    Args:
        params: parameters or groups of them.
        lr: the learning rate.
        lambd: how fast parameters and rate shrink.
        alpha: the power by which the rate shrinks.
        t0: the step at which the mean begins.
        weight_decay: how much of the parameter is added to its gradient.
    """

    def __init__(
        self, params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0, foreach=None, maximize=False,
        differentiable=False, capturable=False,
    ):  # fmt: skip
        check_rate(lr)
        check_decay(weight_decay)
        defaults = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _first(self, p, gradient, group):
        lr = group["lr"]
        eta = lr.detach().clone() if isinstance(lr, torch.Tensor) else torch.tensor(float(lr))
        return {**zeros(p), "eta": eta, "mu": torch.tensor(1.0), "ax": torch.zeros_like(p)}

    @staticmethod
    def _update(p, gradient, state, group):
        lr = group["lr"].item() if isinstance(group["lr"], torch.Tensor) else group["lr"]
        step = counted(state)
        gradient = _decayed(p, gradient, group)
        eta, mu = state["eta"].item(), state["mu"].item()
        p.mul_(1 - group["lambd"] * eta)
        p.add_(gradient, alpha=-eta)
        if mu != 1:
            state["ax"].add_(p.sub(state["ax"]).mul_(mu))
        else:
            state["ax"].copy_(p)
        state["eta"].fill_(lr / (1 + group["lambd"] * lr * step) ** group["alpha"])
        state["mu"].fill_(1 / max(1, step - group["t0"]))

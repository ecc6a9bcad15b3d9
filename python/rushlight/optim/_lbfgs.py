"""L-BFGS: steps along an estimate of the inverse of the second derivative."""

import rushlight as torch

from ._base import Optimizer, check_rate


def _real(tensor):
    return torch.view_as_real(tensor) if tensor.is_complex() else tensor


class LBFGS(Optimizer):
    """Steps by the last differences of parameters and gradients; ``step`` needs a closure.

    Args:
        params: parameters, one group of them.
        lr: the learning rate.
        max_iter: how many steps a call of ``step`` takes.
        max_eval: how often it may evaluate the model; 1.25 times ``max_iter`` unless given.
        tolerance_grad: the gradient that is small enough to stop.
        tolerance_change: the change that is small enough to stop.
        history_size: how many differences are kept.
        line_search_fn: None or ``strong_wolfe``.
    """

    def __init__(
        self, params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-7, tolerance_change=1e-9, history_size=100,
        line_search_fn=None, *, maximize=False,
    ):  # fmt: skip
        check_rate(lr)
        defaults = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
            "maximize": maximize,
        }
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]

    def _gradient(self):
        parts = [torch.zeros_like(_real(p)).view(-1) if p.grad is None else _real(p.grad).reshape(-1) for p in self._params]
        flat = torch.cat(parts)
        return -flat if self.param_groups[0]["maximize"] else flat

    def _move(self, size, direction):
        start = 0
        for p in map(_real, self._params):
            count = p.numel()
            p.add_(direction[start : start + count].view_as(p), alpha=float(size))
            start += count

    def _loss(self, closure):
        with torch.enable_grad():
            loss = closure()
        value = float(loss)
        return loss, -value if self.param_groups[0]["maximize"] else value

    def _direction(self, state, gradient, previous, direction, size):
        """The next direction, by the two loops over the kept differences."""
        y = gradient.sub(previous)
        s = direction.mul(size)
        product = y.dot(s)
        if product > 1e-10:
            if len(state["old_dirs"]) == self.param_groups[0]["history_size"]:
                for name in ("old_dirs", "old_stps", "ro"):
                    state[name].pop(0)
            state["old_dirs"].append(y)
            state["old_stps"].append(s)
            state["ro"].append(1.0 / product)
            state["H_diag"] = product / y.dot(y)
        count = len(state["old_dirs"])
        al = state["al"] = [None] * self.param_groups[0]["history_size"]
        q = gradient.neg()
        for i in range(count - 1, -1, -1):
            al[i] = state["old_stps"][i].dot(q) * state["ro"][i]
            q.add_(state["old_dirs"][i], alpha=-al[i].item())
        r = torch.mul(q, state["H_diag"])
        for i in range(count):
            be = state["old_dirs"][i].dot(r) * state["ro"][i]
            r.add_(state["old_stps"][i], alpha=(al[i] - be).item())
        return r

    def step(self, closure):
        """Takes up to ``max_iter`` steps; ``closure`` evaluates the model again and returns the loss."""
        with torch.no_grad():
            return self._run(closure)

    def _run(self, closure):
        group = self.param_groups[0]
        lr, tolerance = group["lr"], group["tolerance_change"]
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first, loss = self._loss(closure)
        evaluations = 1
        state["func_evals"] += 1
        gradient = self._gradient()
        if gradient.abs().max() <= group["tolerance_grad"]:
            return first
        direction, size = state.get("d"), state.get("t")
        previous, last_loss = state.get("prev_flat_grad"), state.get("prev_loss")
        taken = 0
        while taken < group["max_iter"]:
            taken += 1
            state["n_iter"] += 1
            if state["n_iter"] == 1:
                direction = gradient.neg()
                state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1)
            else:
                direction = self._direction(state, gradient, previous, direction, size)
            previous, last_loss = gradient.clone(), loss
            size = min(1.0, 1.0 / gradient.abs().sum()) * lr if state["n_iter"] == 1 else lr
            slope = gradient.dot(direction)
            if slope > -tolerance:
                break
            used = 0
            if group["line_search_fn"] is not None:
                if group["line_search_fn"] != "strong_wolfe":
                    raise RuntimeError("only 'strong_wolfe' is supported")
                left = min(25, group["max_eval"] - evaluations)
                loss, gradient, size, used = self._search(closure, size, direction, loss, gradient, slope, left)
                self._move(size, direction)
            else:
                self._move(size, direction)
                if taken != group["max_iter"]:
                    loss = self._loss(closure)[1]
                    gradient = self._gradient()
                    used = 1
            evaluations += used
            state["func_evals"] += used
            if taken == group["max_iter"] or evaluations >= group["max_eval"]:
                break
            if gradient.abs().max() <= group["tolerance_grad"]:
                break
            if direction.mul(size).abs().max() <= tolerance or abs(loss - last_loss) < tolerance:
                break
        # At the first step, so that the entries have the order of PyTorch's.
        history = {name: state.pop(name) for name in ("old_dirs", "old_stps", "ro", "H_diag")} if "d" not in state else {}
        state.update(d=direction, t=size, **history, prev_flat_grad=previous, prev_loss=last_loss)
        return first

    def _search(self, closure, size, direction, loss, gradient, slope, most):
        """A step that fulfils the strong Wolfe conditions (Nocedal and Wright, Numerical Optimization, chapter 3.5), or the
        best one that ``most`` tries after the first have found."""
        before = [p.clone() for p in self._params]

        def at(t):
            self._move(t, direction)
            value = self._loss(closure)[1]
            found = self._gradient()
            for p, old in zip(self._params, before):
                p.copy_(old)
            return value, found

        tolerance = self.param_groups[0]["tolerance_change"]
        return strong_wolfe(at, size, direction, loss, gradient, slope, tolerance, most=most)


def _cubic_interpolate(x1, f1, g1, x2, f2, g2, bounds=None):
    """The lowest place of the cubic with two values and slopes, within bounds."""
    low, high = bounds if bounds is not None else (min(x1, x2), max(x1, x2))
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    square = d1**2 - g1 * g2
    if not square >= 0:
        return (low + high) / 2.0
    d2 = square.sqrt() if isinstance(square, torch.Tensor) else square**0.5
    if x1 <= x2:
        place = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
    else:
        place = x1 - (x1 - x2) * ((g1 + d2 - d1) / (g1 - g2 + 2 * d2))
    return min(max(place, low), high)


def strong_wolfe(at, t, direction, f, g, slope, tolerance, c1=1e-4, c2=0.9, most=25):
    """Returns loss, gradient, step and number of evaluations; ``at(t)`` gives loss and gradient after a step."""
    largest = direction.abs().max().item()
    value, found = at(t)
    count, tries = 1, 0
    new = found.dot(direction)
    t0, f0, g0, s0 = 0, f, g, slope
    done = False
    ends = None
    while tries < most:
        if value > f + c1 * t * slope or (tries > 1 and value >= f0):
            ends = [[t0, f0, g0.clone(), s0], [t, value, found.clone(), new]]
            break
        if abs(new) <= -c2 * slope:
            ends = [[t, value, found, new]]
            done = True
            break
        if new >= 0:
            ends = [[t0, f0, g0.clone(), s0], [t, value, found.clone(), new]]
            break
        low, high = t + 0.01 * (t - t0), t * 10
        step = _cubic_interpolate(t0, f0, s0, t, value, new, (low, high))
        t0, f0, g0, s0 = t, value, found.clone(), new
        t = step
        value, found = at(t)
        count += 1
        new = found.dot(direction)
        tries += 1
    if tries == most:
        ends = [[0, f, g, slope], [t, value, found, new]]
    slow = False
    if len(ends) == 1:
        low, high = 0, 0
    else:
        low, high = (0, 1) if ends[0][1] <= ends[1][1] else (1, 0)
    while not done and tries < most:
        if abs(ends[1][0] - ends[0][0]) * largest < tolerance:
            break
        t = _cubic_interpolate(ends[0][0], ends[0][1], ends[0][3], ends[1][0], ends[1][1], ends[1][3])
        left, right = min(ends[0][0], ends[1][0]), max(ends[0][0], ends[1][0])
        margin = 0.1 * (right - left)
        if min(right - t, t - left) < margin:
            if slow or t >= right or t <= left:
                t = right - margin if abs(t - right) < abs(t - left) else left + margin
                slow = False
            else:
                slow = True
        else:
            slow = False
        value, found = at(t)
        count += 1
        new = found.dot(direction)
        tries += 1
        if value > f + c1 * t * slope or value >= ends[low][1]:
            ends[high] = [t, value, found.clone(), new]
            low, high = (0, 1) if ends[0][1] <= ends[1][1] else (1, 0)
        else:
            if abs(new) <= -c2 * slope:
                done = True
            elif new * (ends[high][0] - ends[low][0]) >= 0:
                ends[high] = ends[low]
            ends[low] = [t, value, found.clone(), new]
    best = ends[low]
    return best[1], best[2], best[0], count

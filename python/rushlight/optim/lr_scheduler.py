"""``torch.optim.lr_scheduler``: learning rates that change from epoch to epoch."""

import math
import types
from bisect import bisect_right
from collections import Counter

from ._base import Optimizer
from ._schedule import EPOCH_DEPRECATION_WARNING, LRScheduler, _enable_get_lr_call, warn_of_epochs  # noqa: F401


class _LRScheduler(LRScheduler):
    """What the base of schedules was called once."""


def _functions(optimizer, given, name):
    if not isinstance(given, (list, tuple)):
        return [given] * len(optimizer.param_groups)
    if len(given) != len(optimizer.param_groups):
        raise ValueError(f"Expected {len(optimizer.param_groups)} lr_lambdas, but got {len(given)}")
    return list(given)


class LambdaLR(LRScheduler):
    """The first rate times ``lr_lambda(epoch)``."""

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        self.lr_lambdas = _functions(optimizer, lr_lambda, "lr_lambda")
        super().__init__(optimizer, last_epoch)

    def state_dict(self):
        """Everything but the optimiser; of functions, only the attributes of callable objects."""
        state = {k: v for k, v in self.__dict__.items() if k not in ("optimizer", "lr_lambdas")}
        state["lr_lambdas"] = [
            None if isinstance(f, types.FunctionType) else f.__dict__.copy() for f in self.lr_lambdas
        ]
        return state

    def load_state_dict(self, state_dict):
        """Takes over what ``state_dict`` gave."""
        state = dict(state_dict)
        attributes = state.pop("lr_lambdas", [])
        self.__dict__.update(state)
        for function, own in zip(self.lr_lambdas, attributes):
            if own is not None:
                function.__dict__.update(own)

    def get_lr(self):
        """The rates of this epoch."""
        self._warn_outside_of_step()
        return [base * f(self.last_epoch) for f, base in zip(self.lr_lambdas, self.base_lrs)]


class MultiplicativeLR(LRScheduler):
    """The last rate times ``lr_lambda(epoch)``."""

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        self.lr_lambdas = _functions(optimizer, lr_lambda, "lr_lambda")
        for function in self.lr_lambdas:
            if not callable(function):
                raise TypeError(f"lr_lambda should be a function, but got {type(function).__name__}")
        super().__init__(optimizer, last_epoch)

    state_dict = LambdaLR.state_dict
    load_state_dict = LambdaLR.load_state_dict

    def get_lr(self):
        """The rates of this epoch."""
        self._warn_outside_of_step()
        if self._is_initial:
            return self._rates()
        return [lr * f(self.last_epoch) for f, lr in zip(self.lr_lambdas, self._rates())]


class StepLR(LRScheduler):
    """The rate times ``gamma`` every ``step_size`` epochs."""

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The rates of this epoch."""
        self._warn_outside_of_step()
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return self._rates()
        return [lr * self.gamma for lr in self._rates()]

    def _get_closed_form_lr(self):
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self.base_lrs]


class MultiStepLR(LRScheduler):
    """The rate times ``gamma`` at each of the milestones."""

    def __init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1):
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The rates of this epoch."""
        self._warn_outside_of_step()
        if self.last_epoch not in self.milestones:
            return self._rates()
        return [lr * self.gamma ** self.milestones[self.last_epoch] for lr in self._rates()]

    def _get_closed_form_lr(self):
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [base * self.gamma**passed for base in self.base_lrs]


class ConstantLR(LRScheduler):
    """The rate times ``factor`` for the first ``total_iters`` epochs."""

    def __init__(self, optimizer, factor=1.0 / 3, total_iters=5, last_epoch=-1):
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The rates of this epoch."""
        self._warn_outside_of_step()
        if self.last_epoch == 0:
            return [lr * self.factor for lr in self._rates()]
        if self.last_epoch != self.total_iters:
            return self._rates()
        return [lr * (1.0 / self.factor) for lr in self._rates()]

    def _get_closed_form_lr(self):
        early = self.last_epoch < self.total_iters
        return [base * (self.factor if early else 1.0) for base in self.base_lrs]


class LinearLR(LRScheduler):
    """The rate times a factor that goes from ``start_factor`` to ``end_factor`` in ``total_iters`` epochs."""

    def __init__(self, optimizer, start_factor=1.0 / 3, end_factor=1.0, total_iters=5, last_epoch=-1):
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError(
                "Starting multiplicative factor expected to be greater than 0 and less or equal to 1."
            )
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The rates of this epoch."""
        self._warn_outside_of_step()
        span = self.end_factor - self.start_factor
        if self.last_epoch == 0:
            return [lr * self.start_factor for lr in self._rates()]
        if self.last_epoch > self.total_iters:
            return self._rates()
        before = self.total_iters * self.start_factor + (self.last_epoch - 1) * span
        return [lr * (1.0 + span / before) for lr in self._rates()]

    def _get_closed_form_lr(self):
        part = min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * (self.start_factor + (self.end_factor - self.start_factor) * part) for base in self.base_lrs]


class ExponentialLR(LRScheduler):
    """The rate times ``gamma`` every epoch."""

    def __init__(self, optimizer, gamma, last_epoch=-1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The rates of this epoch."""
        self._warn_outside_of_step()
        if self._is_initial:
            return self._rates()
        return [lr * self.gamma for lr in self._rates()]

    def _get_closed_form_lr(self):
        return [base * self.gamma**self.last_epoch for base in self.base_lrs]


class PolynomialLR(LRScheduler):
    """The rate down to zero in ``total_iters`` epochs, by a power of what is left."""

    def __init__(self, optimizer, total_iters=5, power=1.0, last_epoch=-1):
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The rates of this epoch."""
        self._warn_outside_of_step()
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._rates()
        now, before = 1.0 - self.last_epoch / self.total_iters, 1.0 - (self.last_epoch - 1) / self.total_iters
        return [lr * (now / before) ** self.power for lr in self._rates()]

    def _get_closed_form_lr(self):
        left = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * left**self.power for base in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """The rate along a cosine between its first value and ``eta_min``, with half a period of ``T_max``."""

    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The rates of this epoch."""
        self._warn_outside_of_step()
        if self._is_initial:
            return self._rates()
        low, groups = self.eta_min, self.optimizer.param_groups
        if self._step_count == 1 and self.last_epoch > 0:
            return self._get_closed_form_lr()
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            turn = (1 - math.cos(math.pi / self.T_max)) / 2
            return [group["lr"] + (base - low) * turn for base, group in zip(self.base_lrs, groups)]
        now = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        before = 1 + math.cos(math.pi * (self.last_epoch - 1) / self.T_max)
        return [now / before * (group["lr"] - low) + low for group in groups]

    def _get_closed_form_lr(self):
        part = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
        return [self.eta_min + (base - self.eta_min) * part for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """The rate down a cosine again and again, in ``T_0`` epochs at first and ``T_mult`` times as many each time."""

    def __init__(self, optimizer, T_0, T_mult=1, eta_min=0.0, last_epoch=-1):
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0, self.T_i, self.T_mult, self.eta_min = T_0, T_0, T_mult, eta_min
        self.T_cur = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The rates of this epoch."""
        self._warn_outside_of_step()
        part = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * part for base in self.base_lrs]

    def step(self, epoch=None):
        """Goes on by one epoch, or to a given one, which may be a part of one."""
        self._advance(epoch)

    def _advance(self, epoch):
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur -= self.T_i
                self.T_i *= self.T_mult
        else:
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            self.T_i, self.T_cur = self.T_0, epoch
            while self.T_cur >= self.T_i:
                self.T_cur -= self.T_i
                self.T_i *= self.T_mult
        self.last_epoch = math.floor(epoch)
        self._set(self._rates_within_step())


def _cosine(start, end, part):
    return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)


def _line(start, end, part):
    return (end - start) * part + start


def _per_group(optimizer, name, value):
    if not isinstance(value, (list, tuple)):
        return [value] * len(optimizer.param_groups)
    if len(value) != len(optimizer.param_groups):
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, "
            f"param_groups has {len(optimizer.param_groups)}."
        )
    return list(value)


class OneCycleLR(LRScheduler):
    """The rate up to ``max_lr`` and then down below its first value, the momentum the other way round.

    Args:
        optimizer: whose rates change.
        max_lr: the highest rate, for all groups or each.
        total_steps: how many steps there are, or ``epochs`` times ``steps_per_epoch``.
        pct_start: which part of them goes up.
        anneal_strategy: ``cos`` or ``linear``.
        cycle_momentum: whether the momentum changes too, between ``base_momentum`` and ``max_momentum``.
        div_factor: ``max_lr`` over the first rate.
        final_div_factor: the first rate over the last.
        three_phase: down as steep as up, then further down.
    """

    def __init__(
        self, optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None, pct_start=0.3,
        anneal_strategy="cos", cycle_momentum=True, base_momentum=0.85, max_momentum=0.95, div_factor=25.0,
        final_div_factor=1e4, three_phase=False, last_epoch=-1,
    ):  # fmt: skip
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        self.total_steps = _total(total_steps, epochs, steps_per_epoch)
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._schedule_phases = _phases(self.total_steps, pct_start, three_phase)
        self._anneal_func_type = anneal_strategy
        self.cycle_momentum = cycle_momentum
        groups = optimizer.param_groups
        if last_epoch == -1:
            for group, high in zip(groups, _per_group(optimizer, "max_lr", max_lr)):
                group["initial_lr"] = high / div_factor
                group["max_lr"] = high
                group["min_lr"] = group["initial_lr"] / final_div_factor
        if cycle_momentum:
            defaults = optimizer.defaults
            if "momentum" not in defaults and "betas" not in defaults:
                raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
            self.use_beta1 = "betas" in defaults
            if last_epoch == -1:
                highs = _per_group(optimizer, "max_momentum", max_momentum)
                lows = _per_group(optimizer, "base_momentum", base_momentum)
                for group, high, low in zip(groups, highs, lows):
                    _set_momentum(group, high, self.use_beta1)
                    group["max_momentum"], group["base_momentum"] = high, low
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The rates of this step; sets the momenta."""
        self._warn_outside_of_step()
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(
                f"Tried to step {step} times. The specified number of total steps is {self.total_steps}"
            )
        anneal = _cosine if self._anneal_func_type == "cos" else _line
        rates = []
        for group in self.optimizer.param_groups:
            start = 0.0
            for i, phase in enumerate(self._schedule_phases):
                end = phase["end_step"]
                if step <= end or i == len(self._schedule_phases) - 1:
                    part = (step - start) / (end - start)
                    rates.append(anneal(group[phase["start_lr"]], group[phase["end_lr"]], part))
                    if self.cycle_momentum:
                        value = anneal(group[phase["start_momentum"]], group[phase["end_momentum"]], part)
                        _set_momentum(group, value, self.use_beta1)
                    break
                start = end
        return rates


def _total(total_steps, epochs, steps_per_epoch):
    if total_steps is not None:
        if total_steps <= 0 or not isinstance(total_steps, int):
            raise ValueError(f"Expected positive integer total_steps, but got {total_steps}")
        return total_steps
    if epochs is None or steps_per_epoch is None:
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    for name, value in (("epochs", epochs), ("steps_per_epoch", steps_per_epoch)):
        if not isinstance(value, int) or value <= 0:
            raise ValueError(f"Expected positive integer {name}, but got {value}")
    return epochs * steps_per_epoch


def _phases(total, part, three):
    def phase(end, lr, momentum):
        return {
            "end_step": end,
            "start_lr": lr[0],
            "end_lr": lr[1],
            "start_momentum": momentum[0],
            "end_momentum": momentum[1],
        }

    up = phase(float(part * total) - 1, ("initial_lr", "max_lr"), ("max_momentum", "base_momentum"))
    if three:
        return [
            up,
            phase(float(2 * part * total) - 2, ("max_lr", "initial_lr"), ("base_momentum", "max_momentum")),
            phase(total - 1, ("initial_lr", "min_lr"), ("max_momentum", "max_momentum")),
        ]
    return [up, phase(total - 1, ("max_lr", "min_lr"), ("base_momentum", "max_momentum"))]


def _set_momentum(group, value, use_beta1):
    if use_beta1:
        group["betas"] = (value, *group["betas"][1:])
    else:
        group["momentum"] = value


class CyclicLR(LRScheduler):
    """The rate up and down between ``base_lr`` and ``max_lr``, the momentum the other way round.

    Args:
        optimizer: whose rates change.
        base_lr: the lowest rate, for all groups or each.
        max_lr: the highest.
        step_size_up: how many steps go up.
        step_size_down: how many go down; as many unless given.
        mode: ``triangular``, ``triangular2`` (half as high each time) or ``exp_range`` (by ``gamma``).
        scale_fn: a scale of one's own, of the cycle or of the step, by ``scale_mode``.
        cycle_momentum: whether the momentum changes too.
    """

    def __init__(
        self, optimizer, base_lr, max_lr, step_size_up=2000, step_size_down=None, mode="triangular", gamma=1.0,
        scale_fn=None, scale_mode="cycle", cycle_momentum=True, base_momentum=0.8, max_momentum=0.9, last_epoch=-1,
    ):  # fmt: skip
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        bases = _per_group(optimizer, "base_lr", base_lr)
        if last_epoch == -1:
            for lr, group in zip(bases, optimizer.param_groups):
                group["lr"] = lr
        self.max_lrs = _per_group(optimizer, "max_lr", max_lr)
        up = float(step_size_up)
        down = up if step_size_down is None else float(step_size_down)
        self.total_size, self.step_ratio = up + down, up / (up + down)
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode, self.gamma = mode, gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode if scale_fn is not None else ("iterations" if mode == "exp_range" else "cycle")
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
                raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
            self.use_beta1 = "betas" in optimizer.defaults
            self.base_momentums = _per_group(optimizer, "base_momentum", base_momentum)
            self.max_momentums = _per_group(optimizer, "max_momentum", max_momentum)
            if last_epoch == -1:
                for high, low, group in zip(self.max_momentums, self.base_momentums, optimizer.param_groups):
                    _set_momentum(group, high, self.use_beta1)
                    group["max_momentum"], group["base_momentum"] = high, low
        super().__init__(optimizer, last_epoch)
        self.base_lrs = bases

    def scale_fn(self, x):
        """How high a cycle goes."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "triangular":
            return 1.0
        return 1 / (2.0 ** (x - 1)) if self.mode == "triangular2" else self.gamma**x

    def state_dict(self):
        """Everything but the optimiser; of a scale of one's own, what the object has in it."""
        state = super().state_dict()
        scale = state.pop("_scale_fn_custom")
        own = scale is not None and not isinstance(scale, types.FunctionType)
        state["_scale_fn_custom"] = dict(scale.__dict__) if own else None
        return state

    def load_state_dict(self, state_dict):
        """Takes over what ``state_dict`` gave, and takes the scale out of it."""
        own = state_dict.pop("_scale_fn_custom")
        super().load_state_dict(state_dict)
        if own is not None:
            self._scale_fn_custom.__dict__.update(own)

    def get_lr(self):
        """The rates of this step; sets the momenta."""
        self._warn_outside_of_step()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        rates = [base + (high - base) * height * scale for base, high in zip(self.base_lrs, self.max_lrs)]
        if self.cycle_momentum:
            pairs = zip(self.optimizer.param_groups, self.base_momentums, self.max_momentums)
            for group, low, high in pairs:
                _set_momentum(group, high - (high - low) * height * scale, self.use_beta1)
        return rates


def _check_same_optimizer(chained, schedulers, optimizer):
    for i, scheduler in enumerate(schedulers):
        if optimizer is not scheduler.optimizer:
            raise ValueError(
                f"{type(chained).__name__} expects all schedulers to belong to the same optimizer, but got scheduler "
                f"{type(scheduler).__name__} at index {i} has {scheduler.optimizer}, which is different from {type(optimizer).__name__}."
            )


class SequentialLR(LRScheduler):
    """One schedule after another, changed at the milestones."""

    def __init__(self, optimizer, schedulers, milestones, last_epoch=-1):
        if len(schedulers) < 1:
            raise ValueError(f"{type(self).__name__} expects at least one scheduler, but got no scheduler.")
        _check_same_optimizer(self, schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of milestone "
                f"points, but got number of schedulers {len(schedulers)} and the number of milestones to be equal to {len(milestones)}"
            )
        self._schedulers, self._milestones = list(schedulers), list(milestones)
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        for scheduler in self._schedulers:
            scheduler.last_epoch -= 1
        self._schedulers[0]._begin()
        self._last_lr = self._schedulers[0].get_last_lr()

    def step(self):
        """Goes to the next epoch."""
        self.last_epoch += 1
        i = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[i]
        if i > 0 and self._milestones[i - 1] == self.last_epoch:
            scheduler._go_to(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()

    def state_dict(self):
        """Everything but the optimiser; schedules by their own state."""
        state = {k: v for k, v in self.__dict__.items() if k not in ("optimizer", "_schedulers")}
        state["_schedulers"] = [s.state_dict() for s in self._schedulers]
        return state

    def load_state_dict(self, state_dict):
        """Takes over what ``state_dict`` gave."""
        state = dict(state_dict)
        parts = state.pop("_schedulers")
        self.__dict__.update(state)
        for scheduler, own in zip(self._schedulers, parts):
            scheduler.load_state_dict(own)


class ChainedScheduler(LRScheduler):
    """Several schedules at once."""

    def __init__(self, schedulers, optimizer=None):
        if len(schedulers) < 1:
            raise ValueError(f"{type(self).__name__} expects at least one scheduler to be chained, but got no scheduler.")
        self._schedulers = list(schedulers)
        self.optimizer = optimizer or self._schedulers[0].optimizer
        _check_same_optimizer(self, self._schedulers, self.optimizer)
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def step(self):
        """Goes to the next epoch."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    state_dict = SequentialLR.state_dict
    load_state_dict = SequentialLR.load_state_dict


class ReduceLROnPlateau(LRScheduler):
    """The rate times ``factor`` when a number has not become better for ``patience`` epochs.

    Args:
        optimizer: whose rates change.
        mode: ``min`` or ``max``: which way is better.
        factor: the factor.
        patience: how many epochs are waited.
        threshold: how much better counts, relative (``rel``) or absolute (``abs``) by ``threshold_mode``.
        cooldown: how many epochs are left alone after a change.
        min_lr: the lowest rate, for all groups or each.
        eps: changes smaller than this are left out.
    """

    def __init__(
        self, optimizer, mode="min", factor=0.1, patience=10, threshold=1e-4, threshold_mode="rel", cooldown=0,
        min_lr=0, eps=1e-8,
    ):  # fmt: skip
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        self.factor = factor
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        if isinstance(min_lr, (list, tuple)):
            if len(min_lr) != len(optimizer.param_groups):
                raise ValueError(f"expected {len(optimizer.param_groups)} min_lrs, got {len(min_lr)}")
            self.default_min_lr, self.min_lrs = None, list(min_lr)
        else:
            self.default_min_lr, self.min_lrs = min_lr, [min_lr] * len(optimizer.param_groups)
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown!")
        self.patience, self.cooldown, self.eps = patience, cooldown, eps
        self.last_epoch = 0
        self._last_lr = [group["lr"] for group in optimizer.param_groups]
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode
        self._reset()

    def _reset(self):
        self.best, self.cooldown_counter, self.num_bad_epochs = self.mode_worse, 0, 0

    def step(self, metrics, epoch=None):
        """Looks at the number of an epoch."""
        if epoch is not None:
            warn_of_epochs(3)
        current = float(metrics)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self._is_better(current, self.best):
            self.best, self.num_bad_epochs = current, 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            for group, low in zip(self.optimizer.param_groups, self.min_lrs):
                old = float(group["lr"])
                new = max(old * self.factor, low)
                if old - new > self.eps:
                    group["lr"] = new
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    @property
    def in_cooldown(self):
        """Whether epochs are left alone now."""
        return self.cooldown_counter > 0

    def _is_better(self, a, best):
        if self.threshold_mode == "rel":
            return a < best * (1.0 - self.threshold) if self.mode == "min" else a > best * (self.threshold + 1.0)
        return a < best - self.threshold if self.mode == "min" else a > best + self.threshold

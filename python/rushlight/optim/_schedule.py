"""The base of schedules, which are in ``lr_scheduler``."""

import warnings

from ._base import Optimizer


EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed form is used "
    "instead of the new chainable form, where available. Please open an issue if you are unable to replicate your use case: "
    "https://github.com/pytorch/pytorch/issues/new/choose."
)


def warn_of_epochs(depth):
    """Says of a step to a given epoch that it is old."""
    warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=depth)


class _enable_get_lr_call:
    """Within it a schedule's ``get_lr`` does not warn."""

    def __init__(self, o):
        self.o = o

    def __enter__(self):
        self.o._get_lr_called_within_step = True
        return self

    def __exit__(self, *_):
        self.o._get_lr_called_within_step = False


class LRScheduler:
    """Base of schedules: ``step`` sets the rates that ``get_lr`` returns, one per group.

    Args:
        optimizer: whose rates change.
        last_epoch: the epoch before the first; -1 to begin anew.
    """

    __module__ = "torch.optim.lr_scheduler"

    def __init__(self, optimizer, last_epoch=-1):
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{i}] when resuming scheduler with last_epoch >= 0.\n"
                    "This typically happens when:\n"
                    "1. You're trying to resume training from a checkpoint but haven't properly loaded the optimizer state\n"
                    "2. You're using last_epoch >= 0 for a fresh training run (not recommended)"
                )
        # Whether the optimiser steps between the steps of schedules counts from the first schedule on.
        if "_step_of_schedules" not in vars(optimizer):
            optimizer._opt_called, optimizer._step_of_schedules = False, vars(optimizer).get("step")
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._get_lr_called_within_step = False
        self._begin()

    def _begin(self):
        """The first step, which leaves the rates as they are where a schedule begins with them."""
        self._step_count = 0
        self._is_initial = True
        self._advance(None)
        self._is_initial = False

    def state_dict(self):
        """Everything but the optimiser."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict):
        """Takes over what ``state_dict`` gave."""
        self.__dict__.update(state_dict)

    def get_last_lr(self):
        """The rates that were set last."""
        return list(self._last_lr)

    def get_lr(self):
        """The rates of this epoch."""
        raise NotImplementedError

    def step(self, epoch=None):
        """Goes to the next epoch, or to a given one."""
        self._warn_of_order(3)
        if epoch is not None:
            warn_of_epochs(3)
        self._advance(epoch)

    def _warn_of_order(self, depth):
        """Says of the first step of a schedule that none of the optimiser came before."""
        if self._step_count == 1 and self._step_is_replaced():
            warnings.warn(
                "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. Please, make sure "
                "to call `optimizer.step()` before `lr_scheduler.step()`. See more details at "
                "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate",
                UserWarning,
                stacklevel=depth,
            )
        elif self._step_count == 1 and not getattr(self.optimizer, "_opt_called", False):
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should "
                "call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will "
                "result in PyTorch skipping the first value of the learning rate schedule. See more details at "
                "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate",
                UserWarning,
                stacklevel=depth,
            )

    def _step_is_replaced(self):
        """Whether a program gave the optimiser another ``step`` since the first schedule."""
        own = vars(self.optimizer)
        return "_step_of_schedules" in own and own.get("step") is not own["_step_of_schedules"]

    def _warn_outside_of_step(self):
        """Says of a call of ``get_lr`` that a program makes itself what it should call."""
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.", UserWarning, stacklevel=3
            )

    def _rates_within_step(self):
        self._get_lr_called_within_step = True
        try:
            return self.get_lr()
        finally:
            self._get_lr_called_within_step = False

    def _advance(self, epoch):
        self._step_count += 1
        self._go_to(epoch)

    def _go_to(self, epoch):
        """Sets the rates of the next epoch or of a given one; no step of a program's."""
        if epoch is None:
            self.last_epoch += 1
            values = self._rates_within_step()
        else:
            self.last_epoch = epoch
            values = self._closed() if hasattr(self, "_get_closed_form_lr") else self._rates_within_step()
        self._set(values)

    def _closed(self):
        return self._get_closed_form_lr()

    def _set(self, values):
        for group, lr in zip(self.optimizer.param_groups, values):
            group["lr"] = lr
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def _rates(self):
        return [group["lr"] for group in self.optimizer.param_groups]

"""What all schedules of sparsity do: change the levels of a sparsifier's groups step by step."""

import functools
import warnings
import weakref
from typing import Any

from ...._library import publish
from ..sparsifier.base_sparsifier import BaseSparsifier

__all__ = ["BaseScheduler"]


class BaseScheduler:
    """Changes the levels of sparsity of a sparsifier; subclasses say how by :meth:`get_sl`.

    Args:
        sparsifier: the sparsifier; its model has been prepared.
        last_epoch: the steps that have been.
        verbose: prints every change.

    Attributes:
        base_sl: the levels in the beginning.
    """

    def __init__(self, sparsifier, last_epoch=-1, verbose=False):
        if not isinstance(sparsifier, BaseSparsifier):
            raise TypeError(
                f"{type(sparsifier).__name__} is not an instance of torch.ao.pruning.BaseSparsifier"
            ) if hasattr(sparsifier, "groups") else AttributeError(
                f"'{type(sparsifier).__name__}' object has no attribute 'groups'"
            )
        self.sparsifier = sparsifier
        self.base_sl = [group["sparsity_level"] for group in sparsifier.groups]
        self.last_epoch = last_epoch
        # Steps of the sparsifier are counted, to tell who calls steps in the wrong order.
        self.sparsifier.step = _counted(self.sparsifier.step)
        self.sparsifier._step_count = 0
        self._step_count = 0
        self.verbose = verbose
        self._get_sl_called_within_step = False
        self.step()

    def state_dict(self) -> dict[str, Any]:
        """Everything but the sparsifier."""
        return {key: value for key, value in self.__dict__.items() if key != "sparsifier"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes up what :meth:`state_dict` gave."""
        self.__dict__.update(state_dict)

    def get_last_sl(self):
        """The levels that the last step set."""
        return self._last_sl

    def get_sl(self):
        """The levels of this step."""
        if not self._get_sl_called_within_step:
            warnings.warn(
                "To get the last sparsity level computed by the scheduler, please use `get_last_sl()`.", stacklevel=2
            )
        raise NotImplementedError

    def print_sl(self, is_verbose, group, sl, epoch=None):
        """Prints a level."""
        if is_verbose:
            when = "" if epoch is None else f"Epoch {epoch:5d}: "
            what = "Adjusting" if epoch is None else "adjusting"
            print(f"{when}{what} sparsity level of group {group} to {sl:.4e}.")

    def __repr__(self) -> str:
        return f"{type(self).__name__} (\nSparsifier {self.sparsifier}\n    base_sl: {self.base_sl}\n)"

    def step(self, epoch=None) -> None:
        """Goes on by a step, after the sparsifier has."""
        if self._step_count == 1:
            if not hasattr(self.sparsifier.step, "_with_counter"):
                warnings.warn(
                    "Seems like `sparsifier.step()` has been overridden after sparsity scheduler initialization. Please, make "
                    "sure to call `sparsifier.step()` before `scheduler.step()`.",
                    stacklevel=2,
                )
            elif self.sparsifier._step_count < 1:
                warnings.warn(
                    "Detected call of `scheduler.step()` before `sparsifier.step()`. You have to make sure you run the "
                    "sparsifier.step() BEFORE any calls to the scheduler.step().",
                    stacklevel=2,
                )
        self._step_count += 1
        self._get_sl_called_within_step = True
        try:
            self.last_epoch += 1
            levels = self.get_sl()
        finally:
            self._get_sl_called_within_step = False
        for index, (group, level) in enumerate(zip(self.sparsifier.groups, levels)):
            group["sparsity_level"] = level
            self.print_sl(self.verbose, index, level, epoch)
        self._last_sl = [group["sparsity_level"] for group in self.sparsifier.groups]
        self.sparsifier.enable_mask_update = True

    def _make_sure_a_list(self, var):
        """A value for every group: a list of as many, or one that is for all.

        Raises:
            ValueError: there are more or fewer.
        """
        count = len(self.sparsifier.groups)
        if not isinstance(var, (list, tuple)):
            return [var] * count
        if len(var) != count:
            raise ValueError(f"Expected variable of length {count}, but got {len(var)}")
        return list(var)


def _counted(method):
    """A method that counts its calls in its object."""
    if hasattr(method, "_with_counter"):
        return method
    held, function, cls = weakref.ref(method.__self__), method.__func__, type(method.__self__)

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        instance = held()
        instance._step_count += 1
        return function.__get__(instance, cls)(*args, **kwargs)

    wrapper._with_counter = True
    return wrapper


publish(globals())

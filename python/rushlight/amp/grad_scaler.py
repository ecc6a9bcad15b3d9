"""Gradients that are scaled so that low precision does not lose the small ones."""

import warnings
from collections import abc
from enum import Enum

from .. import Tensor, float32, full, int32, no_grad

__all__ = ["GradScaler", "OptState"]


class OptState(Enum):
    """How far a step of an optimiser has come."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


class GradScaler:
    """Scales losses, takes the scale out of gradients, and leaves out steps whose gradients are not finite.

    Args:
        device: the kind of devices; without one that is there nothing is scaled.
        init_scale: the first scale.
        growth_factor: by which the scale grows after `growth_interval` steps without a gradient that is not finite.
        backoff_factor: by which it shrinks after one.
        growth_interval: how many steps.
        enabled: whether anything is scaled.
    """

    def __init__(
        self, device="cuda", init_scale=65536.0, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000, enabled=True
    ):
        self._device, self._enabled = device, enabled
        if enabled and device == "cuda":
            warnings.warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.", stacklevel=2)
            self._enabled = False
        if not self._enabled:
            return
        assert growth_factor > 1.0, "The growth factor must be > 1.0."
        assert backoff_factor < 1.0, "The backoff factor must be < 1.0."
        self._init_scale, self._growth_factor, self._backoff_factor = init_scale, growth_factor, backoff_factor
        self._growth_interval, self._init_growth_tracker = growth_interval, 0
        # Made with the first loss.
        self._scale = self._growth_tracker = None
        # By optimiser: how far its step is, and whether its gradients were finite.
        self._states = {}

    def _begin(self):
        self._scale = full((), self._init_scale, dtype=float32)
        self._growth_tracker = full((), self._init_growth_tracker, dtype=int32)

    def _require(self, what):
        fix = "This may indicate your script did not use scaler.scale(loss or outputs) earlier in the iteration."
        assert self._scale is not None, f"Attempted {what} but _scale is None.  {fix}"
        assert self._growth_tracker is not None, f"Attempted {what} but _growth_tracker is None.  {fix}"

    def _state(self, optimizer):
        return self._states.setdefault(id(optimizer), {"stage": OptState.READY, "found_inf": None})

    def scale(self, outputs):
        """A loss, or losses in containers, times the scale."""
        if not self._enabled:
            return outputs
        if self._scale is None:
            self._begin()
        if isinstance(outputs, Tensor):
            return outputs * self._scale.to(outputs.device)
        if isinstance(outputs, abc.Iterable):
            scaled = map(self.scale, outputs)
            return type(outputs)(scaled) if isinstance(outputs, (list, tuple)) else scaled
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    @no_grad()
    def _take_scale_out(self, optimizer):
        """Divides all gradients by the scale; whether one of them is not finite."""
        inverse = self._scale.double().reciprocal().float()
        found = False
        for group in optimizer.param_groups:
            for param in group["params"]:
                if param.grad is None:
                    continue
                found = found or not bool(param.grad.isfinite().all())
                param.grad.mul_(inverse)
        return found

    def unscale_(self, optimizer):
        """Divides the gradients of an optimiser by the scale, once before each step."""
        if not self._enabled:
            return
        self._require("unscale_")
        state = self._state(optimizer)
        if state["stage"] is OptState.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        state["found_inf"] = self._take_scale_out(optimizer)
        state["stage"] = OptState.UNSCALED

    def step(self, optimizer, *args, **kwargs):
        """The step of an optimiser with its own gradients, or none where they are not finite."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._require("step")
        state = self._state(optimizer)
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if state["stage"] is OptState.READY:
            self.unscale_(optimizer)
        assert state["found_inf"] is not None, "No inf checks were recorded for this optimizer."
        result = None if state["found_inf"] else optimizer.step(*args, **kwargs)
        state["stage"] = OptState.STEPPED
        return result

    def update(self, new_scale=None):
        """Grows or shrinks the scale after the steps of all optimisers, or sets it."""
        if not self._enabled:
            return
        self._require("update")
        if new_scale is not None:
            self._scale.fill_(new_scale)
        else:
            found = [state["found_inf"] for state in self._states.values() if state["found_inf"] is not None]
            assert found, "No inf checks were recorded prior to update."
            if any(found):
                self._scale *= self._backoff_factor
                self._growth_tracker.zero_()
            else:
                self._growth_tracker += 1
                if self._growth_tracker == self._growth_interval:
                    grown = self._scale * self._growth_factor
                    if grown.isfinite():
                        self._scale = grown
                    self._growth_tracker.zero_()
        self._states.clear()

    def get_scale(self):
        """The scale as a number; 1 where nothing is scaled."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale.item()

    def get_growth_factor(self):
        """By which the scale grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor):
        """Sets by which the scale grows."""
        self._growth_factor = new_factor

    def get_backoff_factor(self):
        """By which the scale shrinks."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor):
        """Sets by which the scale shrinks."""
        self._backoff_factor = new_factor

    def get_growth_interval(self):
        """After how many good steps the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval):
        """Sets after how many good steps the scale grows."""
        self._growth_interval = new_interval

    def _get_growth_tracker(self):
        if not self._enabled:
            return 0
        return self._init_growth_tracker if self._growth_tracker is None else self._growth_tracker.item()

    def is_enabled(self):
        """Whether anything is scaled."""
        return self._enabled

    def state_dict(self):
        """The scale and how it changes; nothing where nothing is scaled."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(), "growth_factor": self._growth_factor, "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval, "_growth_tracker": self._get_growth_tracker(),
        }

    def load_state_dict(self, state_dict):
        """Takes over what ``state_dict`` gave."""
        if not self._enabled:
            return
        if len(state_dict) == 0:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._init_scale, self._growth_factor = state_dict["scale"], state_dict["growth_factor"]
        self._backoff_factor, self._growth_interval = state_dict["backoff_factor"], state_dict["growth_interval"]
        self._init_growth_tracker = state_dict["_growth_tracker"]
        if self._scale is not None:
            self._scale.fill_(self._init_scale)
            self._growth_tracker.fill_(self._init_growth_tracker)

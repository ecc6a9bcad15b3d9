"""``torch.autograd.forward_ad``: tensors with directions.

A dual tensor is recorded as depending on a seed of its own. When a tensor is unpacked, the record between it and the seeds is run
backwards twice, which is the derivative in the direction of all seeds together; so every operator that has a derivative, views,
writes in place and scripts take part, and nothing else does. ``docs/transforms.md`` says what differs from carrying
directions along.
"""

import threading
from collections import namedtuple

from .. import _rushlight
from .function import Function

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]

UnpackedDualTensor = namedtuple("UnpackedDualTensor", "primal tangent")
UnpackedDualTensor.__doc__ = "A tensor and its direction, which is None where it has none."

_Tensor = _rushlight.Tensor


class _State(threading.local):
    """What is on in a thread."""

    def __init__(self):
        # Each dual tensor that was made in the level that is on: its seed and its direction.
        self.level, self.seeds, self.tangents = -1, [], []


_state = _State()


class _Joined(Function):
    """A tensor that depends on a seed too."""

    @staticmethod
    def forward(ctx, primal, seed):
        return primal.clone()

    @staticmethod
    def backward(ctx, gradient):
        return gradient, gradient


def enter_dual_level():
    """Begins a level, in which dual tensors can be made; its number."""
    if _state.level >= 0:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    _state.level = 0
    return 0


def exit_dual_level(*, level=None):
    """Ends the level; dual tensors of it have no direction any more."""
    level = _state.level if level is None else level
    if level < 0:
        raise RuntimeError("Dual level must be a positive number.")
    if level != _state.level:
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is not supported."
        )
    _state.level = -1
    _state.seeds.clear()
    _state.tangents.clear()


class dual_level:
    """A ``with`` statement in which dual tensors can be made."""

    def __enter__(self):
        return enter_dual_level()

    def __exit__(self, *exception):
        exit_dual_level()


def make_dual(tensor, tangent, *, level=None):
    """A tensor with the values of another and a direction."""
    level = _state.level if level is None else level
    if level < 0:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
        )
    for name, value in (("primal", tensor), ("tangent", tangent)):
        if not (value.is_floating_point() or value.is_complex()):
            raise ValueError(f"Expected {name} to be floating point or complex, but got: {value.dtype}")
    if tensor.shape != tangent.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not supported. "
            f"Tensor is of size {list(tensor.shape)} while the given forward gradient is of size {list(tangent.shape)}."
        )
    if direction(tensor) is not None:
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level 0 is not supported."
        )
    before = _rushlight.set_grad_enabled(True)
    try:
        seed = tensor.detach().new_zeros(tensor.shape).requires_grad_()
        dual = _Joined.apply(tensor, seed)
    finally:
        _rushlight.set_grad_enabled(before)
    _state.seeds.append(seed)
    _state.tangents.append(tangent)
    return dual


def unpack_dual(tensor, *, level=None):
    """A tensor without its direction, and the direction."""
    if (_state.level if level is None else level) < 0:
        return UnpackedDualTensor(tensor, None)
    if not isinstance(tensor, _Tensor):
        raise TypeError(f"_unpack_dual(): argument 'dual' (position 1) must be Tensor, not {type(tensor).__name__}")
    found = direction(tensor)
    return UnpackedDualTensor(tensor, None) if found is None else UnpackedDualTensor(*found)


def is_on():
    """Whether there may be dual tensors."""
    return bool(_state.seeds)


def direction(tensor):
    """A dual tensor as it is without the seeds, and its direction; None for other tensors."""
    if not _state.seeds or not tensor.requires_grad:
        return None
    from .._functorch.eager_transforms import Recorded

    recorded = Recorded(_state.seeds, tensor)
    if not recorded.depends:
        return None
    (tangent,) = recorded.forward.run(_state.tangents)
    return (tensor if recorded.connected else tensor.detach()), tangent


def __getattr__(name):
    # Others ask by this whether a level is on; the reference keeps it here.
    if name == "_current_level":
        return _state.level
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

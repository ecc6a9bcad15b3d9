"""``torch.utils._python_dispatch``: modes that see every operator. Not part of this version: entering one raises."""

import contextlib


class TorchDispatchMode:
    """Sees every operator. Not part of this version: entering one raises ``NotImplementedError``."""

    def __init__(self, _dispatch_key=None):
        pass

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        raise NotImplementedError

    def __enter__(self):
        raise NotImplementedError(f"{type(self).__name__}: operators cannot be intercepted by modes in Rushlight")

    def __exit__(self, *_):
        return None


class BaseTorchDispatchMode(TorchDispatchMode):
    """A mode that lets every operator through."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


def _get_current_dispatch_mode():
    """The mode at work: none."""
    return None


def _get_current_dispatch_mode_stack():
    """The modes at work: none."""
    return []


def _disable_current_modes():
    """Within, nothing is different."""
    return contextlib.nullcontext([])


def is_traceable_wrapper_subclass(t):
    """Whether a tensor is made of others: none is."""
    return False


def is_traceable_wrapper_subclass_type(t):
    """Whether tensors of a class are made of others: none are."""
    return False


def return_and_correct_aliasing(func, args, kwargs, out):
    """The result, as it is: memory is shared by the operators themselves."""
    return out

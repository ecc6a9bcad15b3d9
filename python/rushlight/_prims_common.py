"""``torch._prims_common``: questions that programs ask about tensors by the names of the reference's operators in Python."""

import warnings

import rushlight as torch


def is_contiguous_or_false(a):
    """Whether the elements of a tensor lie in the order of its dimensions."""
    return a.is_contiguous()


def alert_not_deterministic(caller):
    """What an operator without a way to be the same every time says where that is asked for: an error, or a warning.

    Raises:
        RuntimeError: where ``torch.use_deterministic_algorithms(True)`` is on.
    """
    if not torch.are_deterministic_algorithms_enabled():
        return
    text = f"{caller} does not have a deterministic implementation, but you set 'torch.use_deterministic_algorithms(True"
    if torch.is_deterministic_algorithms_warn_only_enabled():
        warnings.warn(f"{text}, warn_only=True)'.", stacklevel=2)
        return
    raise RuntimeError(
        f"{text})'. You can turn off determinism just for this operation, or you can use the 'warn_only=True' option, if that's acceptable "
        "for your application."
    )

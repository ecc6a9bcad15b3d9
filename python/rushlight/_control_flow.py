"""Branches and loops as functions: ``torch.cond`` and ``torch.while_loop``. Outside of compilers they run like any program."""

from ._rushlight import Tensor


def _truth(value, name):
    if isinstance(value, Tensor):
        if value.numel() != 1:
            raise RuntimeError(f"Expected {name} to be bool or single-element tensor, but got {value}.")
        return bool(value.item())
    if not isinstance(value, (bool, int, float)):
        raise RuntimeError(f"Expected {name} to be bool or tensor, but got {value}.")
    return bool(value)


def cond(pred, true_fn, false_fn, operands=()):
    """Calls one of two functions on the operands, as a bool or a tensor of one element says.

    Args:
        pred: which: the first where it is true.
        true_fn: the first function.
        false_fn: the second.
        operands: what the function is given.
    """
    chosen = true_fn if _truth(pred, "pred") else false_fn
    if not callable(chosen):
        raise RuntimeError("Expect both branches to be callable.")
    return chosen(*operands)


def while_loop(cond_fn, body_fn, carried_inputs):
    """Calls a function on what it gave last for as long as another says.

    Args:
        cond_fn: whether to go on, given what is carried.
        body_fn: what is carried next, as many values as before.
        carried_inputs: what the first call is given.
    """
    if not callable(cond_fn) or not callable(body_fn):
        raise RuntimeError("Expect cond_fn and body_fn to be callable.")
    if not isinstance(carried_inputs, (tuple, list)):
        raise RuntimeError(f"Expect carried_inputs to be a tuple or list, but got {type(carried_inputs)}.")
    carried = result = carried_inputs
    while _truth(cond_fn(*carried), "what cond_fn gives"):
        given = body_fn(*carried)
        values = given if isinstance(given, (tuple, list)) else (given,)
        if len(values) != len(carried_inputs):
            raise RuntimeError(f"body_fn must give as many values as are carried: {len(carried_inputs)}, but gave {len(values)}.")
        for before, value in zip(carried, values):
            if isinstance(before, Tensor) and (not isinstance(value, Tensor) or before.dtype != value.dtype or before.shape != value.shape):
                kind = f"{value.dtype} of {tuple(value.shape)}" if isinstance(value, Tensor) else type(value).__name__
                raise RuntimeError(f"body_fn must give tensors like those that are carried: {before.dtype} of {tuple(before.shape)}, not {kind}.")
        carried, result = values, given
    return result

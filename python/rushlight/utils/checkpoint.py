"""Recomputing instead of keeping: without gradients there is nothing to keep, so functions are just called."""

__all__ = ["checkpoint", "checkpoint_sequential"]


def checkpoint(
    function, *args, use_reentrant=None, context_fn=None, determinism_check="default", debug=False, early_stop=True,
    preserve_rng_state=True, **kwargs,
):
    """Calls the function."""
    return function(*args, **kwargs)


def checkpoint_sequential(functions, segments, input, use_reentrant=None, **kwargs):
    """Calls the functions one after the other."""
    for function in functions.children() if hasattr(functions, "children") else functions:
        input = function(input)
    return input

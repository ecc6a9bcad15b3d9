"""What gradients have to be whatever a function is: nothing where nothing, or no gradient at all, comes from behind."""

import rushlight as torch

from . import grad
from .function import Function

_NOTES = 'Please look at "Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'


class _Undefined(Function):
    """A tensor as it is; no gradient comes through."""

    @staticmethod
    def forward(ctx, x):
        """The same numbers."""
        return x.view_as(x)

    @staticmethod
    def backward(ctx, gradient):
        """None."""
        return None


def check_rules(error, func, inputs, places, undefined):
    """Checks the gradients of a function for nothing, and where it is asked for, for gradients that are not there."""
    results = func(*inputs)
    results = results if isinstance(results, (tuple, list)) else (results,)
    results = [each for each in results if isinstance(each, torch.Tensor) and each.requires_grad and each.layout == torch.strided]
    targets = [inputs[place] for place in places]
    if not results or any(target.layout != torch.strided for target in targets):
        return
    if not _all_nothing(_gradients(results, targets)):
        raise error("backward not multiplied by grad_output")
    if undefined:
        _check_undefined(error, results, targets)


def _gradients(results, targets):
    nothing = [torch.zeros_like(each) for each in results]
    return grad(results, targets, nothing, retain_graph=True, allow_unused=True)


def _all_nothing(gradients):
    return all(each is None or bool((each == 0).all()) for each in gradients)


def _check_undefined(error, results, targets):
    which = [set(range(len(results)))]
    if len(results) > 1:
        which += [{i} for i in range(len(results))]
    for without in which:
        given = [_Undefined.apply(each) if i in without else each for i, each in enumerate(results)]
        try:
            found = _gradients(given, targets)
        except RuntimeError as failure:
            raise error(f"Expected backward function to handle undefined output grads. {_NOTES}") from failure
        if not _all_nothing(found):
            raise error(f"Expected all input grads to be undefined or zero when all output grads are undefined or zero. {_NOTES}")

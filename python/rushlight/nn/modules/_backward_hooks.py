"""Hooks of modules that see gradients: marks before and after ``forward`` tell when those are known."""

from ...autograd import Function
from ..._rushlight import Tensor
from . import _hooks


class BackwardHookFunction(Function):
    """Passes tensors on; its ``backward`` tells a mark."""

    @staticmethod
    def forward(ctx, tell, *tensors):
        """The same tensors as other variables."""
        ctx.tell = tell
        return tuple(t.view_as(t) for t in tensors)

    @staticmethod
    def backward(ctx, *gradients):
        """What the mark makes of the gradients."""
        return (None, *ctx.tell(gradients))


def _marked(values, tell):
    """The values with tensors that require gradients passed through a mark."""
    single = isinstance(values, Tensor)
    items = [values] if single else list(values)
    places = [i for i, v in enumerate(items) if isinstance(v, Tensor) and v.requires_grad]
    if not places:
        return values, False
    passed = BackwardHookFunction.apply(lambda g: tell(_spread(g, places, len(items)), places), *(items[i] for i in places))
    for i, tensor in zip(places, passed if isinstance(passed, tuple) else (passed,)):
        items[i] = tensor
    return (items[0] if single else type(values)(items) if type(values) in (tuple, list) else tuple(items)), True


def _spread(gradients, places, count):
    out = [None] * count
    for place, gradient in zip(places, gradients):
        out[place] = gradient
    return tuple(out)


def _tuple(value):
    return value if isinstance(value, tuple) else (value,)


class Watch:
    """One call of a module with hooks."""

    def __init__(self, module):
        self.module = module
        self.hooks = [*_hooks._global_backward_hooks.values(), *module._backward_hooks.values()]
        self.pre_hooks = [*_hooks._global_backward_pre_hooks.values(), *module._backward_pre_hooks.values()]
        self.of_results = None
        self.sees_arguments = False
        self.count = 0

    def arguments(self, args):
        """The arguments, marked."""
        if not self.hooks:
            return args
        self.count = len(args)
        args, self.sees_arguments = _marked(args, self._arguments_known)
        return args

    def results(self, result):
        """The result, marked."""
        if not isinstance(result, (Tensor, tuple, list)):
            return result
        return _marked(result, self._results_known)[0]

    def _results_known(self, gradients, places):
        for hook in self.pre_hooks:
            changed = hook(self.module, gradients)
            if changed is not None:
                gradients = _tuple(changed)
        self.of_results = gradients
        if not self.sees_arguments:
            for hook in self.hooks:
                hook(self.module, (None,) * self.count, gradients)
        return [gradients[i] for i in places]

    def _arguments_known(self, gradients, places):
        for hook in self.hooks:
            changed = hook(self.module, gradients, self.of_results)
            if changed is not None:
                gradients = _tuple(changed)
        return [gradients[i] for i in places]

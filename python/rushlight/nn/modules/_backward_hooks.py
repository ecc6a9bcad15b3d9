"""Hooks of modules that see gradients: marks before and after ``forward`` tell when those are known."""

import functools
import warnings

from ..._once import outside
from ...autograd import Function
from ...autograd._tensor import check_answer
from ..._rushlight import Tensor
from . import _hooks

_NO_INPUTS = (
    "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs require gradients. See "
    "https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.register_full_backward_hook for more details."
)
_AND_GOES = "is deprecated and will be removed in future versions. This hook will be missing some"
_USE_FULL = "Please use register_full_backward_hook to get the documented behavior."


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


def _changed(gradients, returned, which, what):
    """The gradients that a hook returned in the place of others."""
    if len(returned) != len(gradients):
        raise RuntimeError(f"Backward {which} returned an invalid number of {what}, got {len(returned)}, but expected {len(gradients)}")
    for answer, gradient in zip(returned, gradients):
        if answer is not None:
            check_answer(answer, gradient, "hook")
    return returned if isinstance(returned, (list, tuple)) else tuple(returned)


class Watch:
    """One call of a module with hooks."""

    def __init__(self, module):
        self.module = module
        self.hooks, self.node_hooks = [], []
        tables = (_hooks._global_backward_hooks, _hooks._global_is_full_backward_hook), (module._backward_hooks, module._is_full_backward_hook)
        for table, is_full in tables:
            (self.node_hooks if is_full is False else self.hooks).extend(table.values())
        self.pre_hooks = [*_hooks._global_backward_pre_hooks.values(), *module._backward_pre_hooks.values()]
        self.of_results = None
        self.sees_arguments = False
        self.count = 0

    def arguments(self, args):
        """The arguments, marked."""
        if not self.hooks and not self.pre_hooks:
            return args
        self.count = len(args)
        args, self.sees_arguments = _marked(args, self._arguments_known)
        return args

    def results(self, result, args):
        """The result, marked."""
        if self.hooks or self.pre_hooks:
            result = self._mark_results(result)
        if self.node_hooks:
            hook_node(self.module, self.node_hooks, result, args)
        return result

    def _mark_results(self, result):
        if isinstance(result, (Tensor, tuple)):
            return _marked(result, self._results_known)[0]
        warnings.warn(
            f"For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received {type(result)}",
            stacklevel=3,
        )
        return result

    def _results_known(self, gradients, places):
        for hook in self.pre_hooks:
            changed = hook(self.module, gradients)
            if changed is not None:
                gradients = _changed(gradients, changed, "pre hook", "grad_output")
        self.of_results = gradients
        if not self.sees_arguments and self.hooks:
            self._without_arguments(gradients)
        return [gradients[i] for i in places]

    def _without_arguments(self, gradients):
        warnings.warn(_NO_INPUTS, stacklevel=outside())
        for hook in self.hooks:
            changed = hook(self.module, (None,) * self.count, gradients)
            if changed is not None and not (isinstance(changed, tuple) and all(each is None for each in changed)):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always return None or None for all gradients."
                )

    def _arguments_known(self, gradients, places):
        if self.of_results is None:
            return [gradients[i] for i in places]
        for hook in self.hooks:
            changed = hook(self.module, gradients, self.of_results)
            if changed is not None:
                gradients = _changed(gradients, changed, "hook", "grad_input")
        return [gradients[i] for i in places]


def hook_node(module, hooks, result, args):
    """Gives hooks of the older kind to the node that made the first result: they see what that node sees."""
    first = result
    while not isinstance(first, Tensor):
        first = next(iter(first.values())) if isinstance(first, dict) else first[0]
    node = first.grad_fn
    if node is None:
        return
    text = _what_is_missed(result, args, node)
    if text is not None:
        warnings.warn(f"{text} {_USE_FULL}", FutureWarning, stacklevel=3)
    for hook in hooks:
        node.register_hook(functools.update_wrapper(functools.partial(hook, module), hook))


def _what_is_missed(result, args, node):
    """What a hook of the older kind does not see, in the words of the warning; None where it sees all."""
    results = result if isinstance(result, tuple) else (result,)
    old = "Using non-full backward hooks on a Module that does not"
    if not all(isinstance(each, Tensor) for each in results):
        return f"{old} return a single Tensor or a tuple of Tensors {_AND_GOES} of the grad_output."
    if not all(isinstance(each, Tensor) for each in args):
        return f"{old} take as input a single Tensor or a tuple of Tensors {_AND_GOES} of the grad_input."
    if len({each.grad_fn for each in results if each.grad_fn is not None}) > 1:
        return f"Using a non-full backward hook when outputs are generated by different autograd Nodes {_AND_GOES} grad_output."
    given = {each.grad_fn for each in args if each.grad_fn is not None}
    if {before for before, _ in node.next_functions} != given:
        return f"Using a non-full backward hook when the forward contains multiple autograd Nodes {_AND_GOES} grad_input."
    return None

"""``torch.utils.checkpoint``: functions whose intermediate values are computed again for gradients instead of kept.

With ``use_reentrant=False`` the function is called and what it records is looked at for the tensors that its results come
from; it is given up then, and one node takes its place. A run backwards calls the function again and runs that part.
"""

import contextlib
import warnings

import rushlight as torch

from .. import _rushlight
from ..autograd import Function, _engine, backward, grad
from ..autograd._tensor import muted as _muted
from ._selective import (
    SAC_IGNORED_OPS, CheckpointPolicy, GraphExecGroup, SelectiveCheckpointContext, create_selective_checkpoint_contexts,
)

__all__ = [
    "CheckpointError", "CheckpointFunction", "CheckpointPolicy", "DefaultDeviceType", "GraphExecGroup", "SAC_IGNORED_OPS",
    "SelectiveCheckpointContext", "check_backward_validity", "checkpoint", "checkpoint_sequential",
    "create_selective_checkpoint_contexts", "detach_variable", "get_device_states", "noop_context_fn",
    "set_checkpoint_debug_enabled", "set_checkpoint_early_stop", "set_device_states",
]

Tensor = torch.Tensor


class CheckpointError(RuntimeError):
    """A function has done something else when it was called again."""


class DefaultDeviceType:
    """The device whose random numbers are kept besides those of the CPU; there is none."""

    _kind = "cuda"

    @staticmethod
    def set_device_type(device="cuda"):
        """Sets the device."""
        DefaultDeviceType._kind = device

    @staticmethod
    def get_device_type():
        """The device."""
        return DefaultDeviceType._kind


def detach_variable(inputs):
    """Arguments without what recorded them.

    Raises:
        RuntimeError: unless they are a tuple.
    """
    if not isinstance(inputs, tuple):
        raise RuntimeError(f"Only tuple of tensors is supported. Got Unsupported input type: {type(inputs).__name__}")
    out = []
    for value in inputs:
        if isinstance(value, Tensor):
            plain = value.detach()
            plain.requires_grad = value.requires_grad
            value = plain
        out.append(value)
    return tuple(out)


def check_backward_validity(inputs):
    """Warns where no argument requires gradients."""
    if not any(value.requires_grad for value in inputs if isinstance(value, Tensor)):
        warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2)


def get_device_states(*args):
    """The states of random numbers of other devices: there are none."""
    return [], []


def set_device_states(devices, states, *, device_type=None):
    """Sets what :func:`get_device_states` gave."""


def noop_context_fn():
    """Contexts that do nothing, for the first and for later calls."""
    return contextlib.nullcontext(), contextlib.nullcontext()


@contextlib.contextmanager
def _setting(value):
    yield value


def set_checkpoint_early_stop(enable):
    """A context; functions are always called to their end here."""
    return _setting(enable)


def set_checkpoint_debug_enabled(enabled):
    """A context; errors say all that is known anyway."""
    return _setting(enabled)


class _Surroundings:
    """Random numbers and automatic types as they were, for the call that is made again."""

    def __init__(self, keep_random):
        self.random = torch.get_rng_state() if keep_random else None
        self.cast = torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")

    @contextlib.contextmanager
    def again(self):
        """Puts them in force until the end of the ``with``."""
        before = None
        if self.random is not None:
            before = torch.get_rng_state()
            torch.set_rng_state(self.random)
        enabled, dtype = self.cast
        try:
            with torch.autocast("cpu", enabled=enabled, dtype=dtype):
                yield
        finally:
            if before is not None:
                torch.set_rng_state(before)


class CheckpointFunction(Function):
    """The call of a function whose intermediate values are not kept; its backward runs a graph of its own."""

    @staticmethod
    def forward(ctx, run_function, preserve_rng_state, *args):
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.surroundings = _Surroundings(preserve_rng_state)
        ctx.arguments = [None if isinstance(value, Tensor) else value for value in args]
        ctx.places = [i for i, value in enumerate(args) if isinstance(value, Tensor)]
        ctx.save_for_backward(*(args[i] for i in ctx.places))
        with torch.no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx, *grads):
        run = _engine.current()
        if run is not None and run.selects:
            raise RuntimeError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` parameter to "
                ".backward(). To resolve this error, you can either set use_reentrant=False, or call .backward() without passing "
                "the `inputs` argument."
            )
        arguments = list(ctx.arguments)
        for i, tensor in zip(ctx.places, ctx.saved_tensors):
            arguments[i] = tensor
        arguments = detach_variable(tuple(arguments))
        with ctx.surroundings.again(), torch.enable_grad():
            outputs = ctx.run_function(*arguments)
        if isinstance(outputs, Tensor):
            outputs = (outputs,)
        pairs = [(output, g) for output, g in zip(outputs, grads) if isinstance(output, Tensor) and output.requires_grad]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        for i, (output, g) in enumerate(pairs):
            if g is not None and g.shape != output.shape:
                raise RuntimeError(
                    f"Mismatch in shape: grad_output[{i}] has a shape of {g.shape} and output[{i}] has a shape of {output.shape}."
                )
        backward([output for output, _ in pairs], [g for _, g in pairs])
        return None, None, *(value.grad if isinstance(value, Tensor) else None for value in arguments)


CheckpointFunction.__module__ = "torch.utils.checkpoint"


def _tensors(value, found=None):
    """The tensors in lists, tuples and dictionaries."""
    found = [] if found is None else found
    if isinstance(value, Tensor):
        found.append(value)
    elif isinstance(value, (list, tuple)):
        for part in value:
            _tensors(part, found)
    elif isinstance(value, dict):
        for part in value.values():
            _tensors(part, found)
    return found


def _replaced(value, replace):
    """A value with other tensors in its lists, tuples and dictionaries; itself where nothing is replaced."""
    if isinstance(value, Tensor):
        return replace(value)
    if isinstance(value, (list, tuple)):
        parts = [_replaced(part, replace) for part in value]
        if all(new is old for new, old in zip(parts, value)):
            return value
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if isinstance(value, dict):
        parts = {key: _replaced(part, replace) for key, part in value.items()}
        return value if all(parts[key] is part for key, part in value.items()) else type(value)(parts)
    return value


def _enclosed(function):
    """The tensors that a function takes from around it."""
    found = []
    while hasattr(function, "func") and hasattr(function, "keywords"):
        found += _tensors([list(function.args), dict(function.keywords)])
        function = function.func
    for cell in getattr(function, "__closure__", None) or ():
        try:
            found += _tensors(cell.cell_contents)
        except ValueError:
            # Not assigned yet.
            continue
    return found


def _walk(outputs, stops):
    """The leaves that tensors come from besides `stops`, and the names of the calls on the way."""
    stops = {_engine.node_of(tensor) for tensor in stops}
    seen, leaves, names = set(), [], []
    waiting = [tensor.grad_fn for tensor in reversed(outputs)]
    while waiting:
        node = waiting.pop()
        if node in seen or node in stops:
            continue
        seen.add(node)
        leaf = getattr(node, "variable", None)
        if leaf is not None:
            leaves.append(leaf)
            continue
        names.append(node.name())
        waiting.extend(following for following, _ in reversed(node.next_functions) if following is not None)
    return leaves, names


_TIP = """

Tip: To see a more detailed error message, either pass `debug=True` to
`torch.utils.checkpoint.checkpoint(...)` or wrap the code block
with `with torch.utils.checkpoint.set_checkpoint_debug_enabled(True):` to
enable checkpoint‑debug mode globally.
"""


def _described(tensor):
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}


class _Call:
    """A call that is made again when its gradients are asked for."""

    def __init__(self, function, args, kwargs, surroundings, context, check):
        self.function, self.args, self.kwargs = function, args, kwargs
        self.surroundings, self.context, self.check = surroundings, context, check
        self.freed = False

    def record(self, result):
        """The result of the call, come from one node instead of what the call has recorded."""
        given = _tensors([list(self.args), dict(self.kwargs)])
        known = {id(tensor) for tensor in given}
        outputs = [t for t in _tensors(result) if t.requires_grad and t.grad_fn is not None and id(t) not in known]
        if not outputs:
            return result
        self.own = [t for t in {id(t): t for t in given}.values() if t.requires_grad]
        around = {id(t): t for t in _enclosed(self.function) if t.requires_grad and id(t) not in known}
        stops = [*self.own, *around.values()]
        leaves, self.names = _walk(outputs, stops)
        self.others = [*around.values(), *leaves]
        self.expected = [_described(t) for t in outputs]
        self.places = [i for i, t in enumerate(_tensors(result)) if any(t is o for o in outputs)]
        names = {id(t): t.grad_fn.name() for t in outputs}
        plain = {id(t): t.detach() for t in outputs}
        inputs = [*self.own, *self.others]
        unique = list(plain.values())
        _rushlight.record_custom(next(iter(names.values())), inputs, unique, self.run)
        self.order = [next(i for i, t in enumerate(outputs) if id(t) == key) for key in plain]
        return _replaced(result, lambda tensor: plain.get(id(tensor), tensor))

    def run(self, gradients):
        """The gradients of arguments and of what the function has used besides them."""
        if self.freed:
            raise RuntimeError(_engine.FREED)
        run, further = _engine.current(), torch.is_grad_enabled()
        twins = {}
        if not further:
            # Nothing goes on from here to what the arguments come from.
            twins = {id(t): t.detach().requires_grad_() for t in self.own}
        args = _replaced(self.args, lambda t: twins.get(id(t), t))
        kwargs = _replaced(self.kwargs, lambda t: twins.get(id(t), t))
        with self.surroundings.again(), self.context, torch.enable_grad():
            result = self.function(*args, **kwargs)
        inputs = [*(twins.get(id(t), t) for t in self.own), *self.others]
        outputs = self._outputs(result, inputs)
        pairs = [(outputs[i], g) for i, g in zip(self.order, gradients) if g is not None and outputs[i].requires_grad]
        if not pairs:
            return [None] * len(inputs)
        nodes = [_engine.node_of(tensor) for tensor in inputs]
        for node in nodes:
            _muted[node] += 1
        try:
            found = grad(
                [output for output, _ in pairs], inputs, [g for _, g in pairs], retain_graph=True, create_graph=further,
                allow_unused=True,
            )
        finally:
            for node in nodes:
                _muted[node] -= 1
                if not _muted[node]:
                    del _muted[node]
        if run is not None and not run.retains:
            self.freed = True
            self.args = self.kwargs = self.own = self.others = self.function = None
        return list(found)

    def _outputs(self, result, inputs):
        """The tensors of the second call that those of the first stand for."""
        everything = _tensors(result)
        found = [everything[i] for i in self.places if i < len(everything)]
        if not self.check:
            return found
        if len(found) == len(self.places):
            differing = [
                f"tensor at position {i}:\nsaved metadata: {before}\nrecomputed metadata: {_described(now)}\n"
                for i, (before, now) in enumerate(zip(self.expected, found))
                if before != _described(now)
            ]
            if differing:
                raise CheckpointError(
                    "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than during the "
                    f"forward pass.\n{''.join(differing)}.{_TIP}"
                )
            with_graph = [t for t in found if t.grad_fn is not None]
            _, names = _walk(with_graph, inputs)
            if len(names) == len(self.names):
                return found
            counts = len(self.names), len(names)
        else:
            counts = len(self.places), len(found)
        raise CheckpointError(
            "torch.utils.checkpoint: A different number of tensors was saved during the original forward and recomputation.\n"
            f"Number of calls recorded during forward: {counts[0]}\nNumber of calls recorded during recomputation: {counts[1]}."
            f"{_TIP}"
        )


def checkpoint(
    function=None, *args, use_reentrant=None, preserve_rng_state=True, context_fn=noop_context_fn,
    determinism_check="default", debug=False, early_stop=True, respect_saved_tensors_hooks=None, **kwargs,
):
    """Calls a function without keeping its intermediate values: it is called again when gradients are asked for.

    Args:
        function: the function; it must do the same when it is called again.
        use_reentrant: True for a run of its own inside the run backwards, which needs an argument that requires gradients and
            takes no keywords; False for the other way, which is the better one. True with a warning unless given.
        preserve_rng_state: whether random numbers are the same in the second call.
        context_fn: gives the contexts of the first call and of the second; not with ``use_reentrant=True``.
        determinism_check: ``"default"`` compares what the two calls have recorded, ``"none"`` does not.

    Raises:
        ValueError: for options that do not go together.
        CheckpointError: in the run backwards, when the second call records something else.
    """
    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. In a future release, calling "
            "checkpoint without use_reentrant will raise an exception. use_reentrant=False is recommended, but if you need to "
            "preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more details on the "
            "differences between the two variants.",
            stacklevel=2,
        )
        use_reentrant = True
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        if context_fn is not noop_context_fn or debug or respect_saved_tensors_hooks is not None:
            raise ValueError(
                "Passing `context_fn`, `debug`, or `respect_saved_tensors_hooks` is only supported when use_reentrant=False."
            )
        return CheckpointFunction.apply(function, preserve_rng_state, *args)
    if determinism_check not in ("default", "none"):
        raise ValueError(f"determinism_check should be one of ['default', 'none'], but got {determinism_check}")
    before, again = context_fn()
    if _rushlight.is_tracing() or not torch.is_grad_enabled():
        with before:
            return function(*args, **kwargs)
    surroundings = _Surroundings(preserve_rng_state)
    with before:
        result = function(*args, **kwargs)
    return _Call(function, args, kwargs, surroundings, again, determinism_check == "default").record(result)


def checkpoint_sequential(functions, segments, input, use_reentrant=None, **kwargs):  # noqa: A002  the reference's name
    """Calls functions one after the other in parts, each but the last as :func:`checkpoint` does.

    Args:
        functions: the functions, or a module with children.
        segments: how many parts.
        input: what the first is called with.
    """
    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be passed explicitly. In a future "
            "release, we will raise an exception if use_reentrant is not passed. use_reentrant=False is recommended, but if you "
            "need to preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more details on "
            "the differences between the two variants.",
            stacklevel=2,
        )
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    steps = list(functions.children()) if isinstance(functions, torch.nn.Sequential) else list(functions)
    size = len(steps) // segments
    last = 0
    for at in range(0, size * (segments - 1), size):
        last = at + size
        input = checkpoint(_chain(steps[at:last]), input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return _chain(steps[last:])(input)


def _chain(steps):
    def run(value):
        for step in steps:
            value = step(value)
        return value

    return run

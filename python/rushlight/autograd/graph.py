"""``torch.autograd.graph``: the nodes of what is recorded, and hooks on several tensors at once."""

import abc
import contextlib
import functools
import threading
import typing

from .. import _rushlight
from ..utils.hooks import RemovableHandle
from . import _engine
from ._engine import queue_callback

__all__ = [
    "GradientEdge", "Node", "allow_mutation_on_saved_tensors", "disable_saved_tensors_hooks", "get_gradient_edge",
    "increment_version", "queue_callback", "register_multi_grad_hook", "save_on_cpu", "saved_tensors_hooks",
]

Tensor = _rushlight.Tensor


class Node(abc.ABC):
    """A recorded call: what ``tensor.grad_fn`` is. For ``isinstance``; recording makes them."""

    @abc.abstractmethod
    def name(self):
        """Its name: ``AddBackward0``."""

    @property
    @abc.abstractmethod
    def next_functions(self):
        """The nodes that the arguments come from, each with which of its results."""

    @property
    @abc.abstractmethod
    def metadata(self):
        """A dictionary for the program."""

    @abc.abstractmethod
    def register_hook(self, fn):
        """Calls ``fn(grad_inputs, grad_outputs)`` once the node has run."""

    @abc.abstractmethod
    def register_prehook(self, fn):
        """Calls ``fn(grad_outputs)`` before the node runs."""


Node.register(_rushlight.GradientNode)


class GradientEdge(typing.NamedTuple):
    """A result of a node, in the place of a tensor where a run backwards is asked for."""

    node: Node
    output_nr: int
    # The tensor that the edge was made from.
    ownership_token: typing.Any = None


def get_gradient_edge(tensor):
    """The edge that the gradient of a tensor goes to.

    Raises:
        RuntimeError: for a tensor that requires no gradient.
    """
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    return GradientEdge(_engine.node_of(tensor), tensor.output_nr, tensor)


def increment_version(tensor):
    """Counts a write to a tensor, or to several, that was made in a way that is not seen."""
    before = _rushlight.set_grad_enabled(False)
    try:
        for one in [tensor] if isinstance(tensor, Tensor) else tensor:
            one.copy_(one.detach())
    finally:
        _rushlight.set_grad_enabled(before)


_disabled = []

_WRITTEN = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be modified by "
    "in-place operations as this can lead to unexpected side-effects. Please open an issue if you need to perform in-place "
    "operations on the input to a pack hook."
)

# The pairs of functions that this thread is inside of.
_packs = threading.local()


class saved_tensors_hooks:  # noqa: N801  the reference's name
    """Functions for the tensors that operators save: ``pack_hook(tensor)`` gives what is kept in the tensor's place, and
    ``unpack_hook`` makes a tensor of that again when a gradient needs it.
    """

    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self):
        if _disabled:
            raise RuntimeError(_disabled[-1])
        if not (callable(self.pack_hook) and callable(self.unpack_hook)):
            raise TypeError("saved_tensors_hooks: pack_hook and unpack_hook must be functions")
        pair = self._pack, self._unpack
        vars(_packs).setdefault("inside", []).append(pair)
        _rushlight.push_saved_hooks(*pair)

    def __exit__(self, *_):
        _packs.inside.pop()
        _rushlight.pop_saved_hooks()

    def _pack(self, tensor):
        before = _rushlight.set_grad_enabled(False)
        try:
            version = tensor._version
            kept = self.pack_hook(tensor)
        finally:
            _rushlight.set_grad_enabled(before)
        if tensor._version != version:
            raise RuntimeError(_WRITTEN)
        return kept

    def _unpack(self, kept):
        tensor = self.unpack_hook(kept)
        if not isinstance(tensor, Tensor):
            raise TypeError(
                f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type(tensor).__name__}"
            )
        return tensor


def packed(values):
    """Values that a custom function saves, each as a function that gives it again where hooks are there for tensors."""
    inside = vars(_packs).get("inside")
    if not inside:
        return None
    pack, unpack = inside[-1]

    def keep(value):
        if not isinstance(value, Tensor):
            return lambda: value
        return functools.partial(unpack, pack(value))

    return [keep(value) for value in values]


class save_on_cpu(saved_tensors_hooks):  # noqa: N801  the reference's name
    """Keeps saved tensors on the CPU, where they are anyway."""

    def __init__(self, pin_memory=False, device_type="cuda"):
        super().__init__(lambda tensor: tensor, lambda tensor: tensor)


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message):
    """Makes :class:`saved_tensors_hooks` raise an error with a certain message inside."""
    _disabled.append(error_message)
    try:
        yield
    finally:
        _disabled.pop()


class _AllowMutationOnSavedContext:
    """What was saved inside of :func:`allow_mutation_on_saved_tensors`; gone at its end."""

    def __init__(self):
        self._kept = []

    def pack(self, tensor):
        """A copy of a tensor beside it: nobody says when it will be written."""
        entry = [tensor, tensor._version, tensor.detach().clone()]
        self._kept.append(entry)
        return entry

    def unpack(self, entry):
        """The tensor itself while it is what it was, so that gradients go on through it; else the copy."""
        if not entry:
            raise AssertionError(
                "Trying to backward outside of the 'allow_mutation_on_saved_tensors' contextin which the graph was originally recorded."
            )
        tensor, version, copy = entry
        now = tensor.detach()
        # Writes through `.data` are not counted.
        is_same = tensor._version == version and bool(((now == copy) | (now != now) & (copy != copy)).all())
        return tensor if is_same else copy

    def clear(self):
        """Lets go of everything."""
        for entry in self._kept:
            entry.clear()
        self._kept.clear()


_mutations = threading.local()


@contextlib.contextmanager
def allow_mutation_on_saved_tensors():
    """Lets a program write to tensors that gradients need: what is saved inside keeps its values. Runs backwards have to be inside, too.

    Yields:
        what was saved; ``clear()`` lets go of it.
    """
    if vars(_mutations).get("inside"):
        raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
    context = _AllowMutationOnSavedContext()
    _mutations.inside = True
    try:
        with saved_tensors_hooks(context.pack, context.unpack):
            yield context
    finally:
        _mutations.inside = False
        context.clear()


class _MultiHandle(RemovableHandle):
    """Takes several hooks away."""

    def __init__(self, handles):
        self.handles = handles

    def remove(self):
        """Takes the hooks away."""
        for handle in self.handles:
            handle.remove()

    def __getstate__(self):
        return self.handles

    def __setstate__(self, state):
        self.handles = state


def _expected(run, nodes):
    """How many of the nodes a run comes by."""
    reached = _engine.reached_nodes(run.outputs)
    if run.inputs is None:
        return sum(node in reached for node in nodes)
    for node in nodes:
        if getattr(node, "variable", None) is not None and node in reached:
            raise RuntimeError(
                "A leaf node was passed to _will_engine_execute_node but we are currently running autograd.grad(). This is "
                "currently not supported."
            )
    targets = {_engine.node_of(tensor) for tensor in run.inputs}
    leads = {}

    def leads_on(start):
        stack = [start]
        while stack:
            node = stack[-1]
            if node in leads:
                stack.pop()
                continue
            following = [n for n, _ in node.next_functions if n is not None]
            waiting = [n for n in following if n not in leads]
            if node in targets or not waiting:
                leads[node] = node in targets or any(leads[n] for n in following)
                stack.pop()
            else:
                stack += waiting
        return leads[start]

    return sum(node in reached and leads_on(node) for node in nodes)


def register_multi_grad_hook(tensors, fn, *, mode="all"):
    """Calls a function in a run backwards when the gradients of several tensors are known.

    Args:
        tensors: the tensors.
        fn: with ``mode="all"`` called once with all gradients, None for tensors that the run does not come by; with
            ``mode="any"`` with the first.

    Returns:
        A handle that takes the hooks away.

    Raises:
        ValueError: for another mode.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    for tensor in tensors:
        if not tensor.requires_grad:
            raise AssertionError("Expected gradient function to be set")
    nodes = [_engine.node_of(tensor) for tensor in tensors]
    # The run that gradients are collected of, what has come, and how much will.
    state = {"run": None}

    def hook_of(i):
        def hook(gradient):
            run = _engine.current()
            if state["run"] is not run or run is None:
                state.update(run=run, grads=[None] * len(nodes), left=None)
                if mode == "any":
                    fn(gradient)
                else:
                    state["left"] = _expected(run, nodes) if run is not None else len(nodes)
            if mode == "any":
                return
            state["grads"][i] = gradient
            state["left"] -= 1
            if state["left"] == 0:
                fn(state["grads"])
                state["run"] = None

        return hook

    return _MultiHandle([tensor.register_hook(hook_of(i)) for i, tensor in enumerate(tensors)])


def _tensor_of(value):
    """The tensor that a program means: itself, or the one that an edge was made from."""
    return value.ownership_token if isinstance(value, GradientEdge) else value


"""Runs backwards, and what is to be called when one ends."""

import sys
import threading
import weakref

from .. import _rushlight

_state = threading.local()
# Sparse tensors; not loaded before the first.
_SPARSE = __name__.removesuffix("autograd._engine") + "_sparse._tensor"
# Tensors that runs gave sparse gradients, by their ids: what is dense cannot be added to these on the way.
_given_sparse = weakref.WeakValueDictionary()


def run(*args, **kwargs):
    """Runs what was recorded backwards, and then what was queued meanwhile."""
    outer = getattr(_state, "run", None)
    _state.run = run = _Run(outer, bool(kwargs.get("retain")), args[0], args[2], bool(kwargs.get("accumulate")))
    if _given_sparse and run.accumulates:
        run.set_aside()
    try:
        dispatching = sys.modules.get("rushlight.utils._python_dispatch")
        if _rushlight.is_tracing() or dispatching is not None and dispatching._thread.modes:
            args = (args[0], [_one(*pair) for pair in zip(*args[:2])], *args[2:])
        sparse = sys.modules.get(_SPARSE)
        if sparse is not None and any(type(each) is sparse.SparseTensor for each in (*args[0], *(args[2] or ()))):
            found = sparse.run(*args, _rushlight.run_gradients, **kwargs)
        else:
            found = _rushlight.run_gradients(*args, **kwargs)
        while run.callbacks:
            run.callbacks.pop(0)()
        return run.with_sparse(found) if run.sparse and not run.accumulates else found
    finally:
        _state.run = outer
        if run.sparse and run.accumulates:
            run.add_to_tensors()


def _one(out, gradient):
    """The gradient that a run begins with where none is given, made so that modes and traces see it."""
    if gradient is not None or out.numel() != 1 or not out.requires_grad:
        return gradient
    import rushlight

    return rushlight.ones_like(out, memory_format=rushlight.preserve_format, pin_memory=False)


class _Run:
    """What is known of a run: whether it keeps what was recorded, whether it is for certain tensors only, and whether it adds to
    their ``.grad``."""

    __slots__ = ("accumulates", "callbacks", "inputs", "outer", "outputs", "retains", "sparse")

    def __init__(self, outer, retains, outputs, inputs, accumulates):
        self.outer, self.accumulates = outer, accumulates
        self.callbacks, self.retains, self.outputs, self.inputs = [], retains, outputs, inputs
        # Tensors by their ids, with their sparse gradients and the zeros that go from node to node in place of these.
        self.sparse = {}

    def set_aside(self):
        """Takes sparse gradients off their tensors until the run has ended."""
        for tensor in list(_given_sparse.values()):
            held = tensor.grad
            if held is not None and held.is_sparse:
                self.sparse[id(tensor)] = tensor, held, None
                tensor.grad = None
        _given_sparse.clear()

    def add_sparse(self, tensor, gradient):
        """Adds a sparse gradient to what the run finds for a tensor; gives what goes from node to node instead, if anything."""
        if self.selects and not any(tensor is each for each in self.inputs):
            return None
        _, before, stand_in = self.sparse.get(id(tensor), (None, None, None))
        is_new = before is None and not self.accumulates
        if is_new:
            stand_in = tensor.new_zeros(tensor.shape)
        self.sparse[id(tensor)] = tensor, gradient if before is None else before + gradient, stand_in
        return stand_in if is_new else None

    def with_sparse(self, found):
        """What the run has found, with sparse gradients where they belong: alone, or added to dense ones."""
        found = list(found)
        for i, tensor in enumerate(self.inputs):
            _, gradient, stand_in = self.sparse.get(id(tensor), (None, None, None))
            if gradient is not None:
                found[i] = gradient if found[i].data_ptr() == stand_in.data_ptr() else found[i] + gradient
        return found

    def add_to_tensors(self):
        """Adds sparse gradients to ``.grad`` of their tensors."""
        for tensor, gradient, _ in self.sparse.values():
            add_sparse(tensor, gradient)

    @property
    def selects(self):
        """Whether it is for certain tensors only."""
        return self.inputs is not None


def add_sparse(tensor, gradient):
    """Adds a sparse gradient to ``.grad``."""
    before = tensor.grad
    tensor.grad = total = gradient if before is None else before + gradient
    if total.is_sparse:
        _given_sparse[id(tensor)] = tensor


def current():
    """The run that this thread is in; None outside of one that was begun in Python."""
    return getattr(_state, "run", None)


def node_of(tensor):
    """The node that a tensor's gradient goes to: what made it, or for a leaf the one that adds to ``.grad``."""
    if tensor.grad_fn is not None:
        return tensor.grad_fn
    before = _rushlight.set_grad_enabled(True)
    try:
        return tensor.view_as(tensor).grad_fn.next_functions[0][0]
    finally:
        _rushlight.set_grad_enabled(before)


def reached_nodes(outputs):
    """The nodes of the graphs of tensors."""
    seen = set()
    waiting = [node_of(tensor) for tensor in outputs if tensor.requires_grad]
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting.extend(following for following, _ in node.next_functions if following is not None)
    return seen


FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed). "
    "Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if "
    "you need to backward through the graph a second time or if you need to access saved tensors after calling backward."
)


def is_running():
    """Whether this thread is inside a run that was begun in Python."""
    return current() is not None


def queue_callback(callback, outermost=False):
    """Calls a function when the run backwards in which this is called has ended, or the one in which all began.

    Raises:
        RuntimeError: outside of a run.
    """
    run = current()
    if run is None:
        raise RuntimeError("Final callbacks can only be installed during backward pass.")
    while outermost and run.outer is not None:
        run = run.outer
    run.callbacks.append(callback)

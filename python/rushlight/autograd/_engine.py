"""Runs backwards, and what is to be called when one ends."""

import threading

from .. import _rushlight

_state = threading.local()


def run(*args, **kwargs):
    """Runs what was recorded backwards, and then what was queued meanwhile."""
    outer = getattr(_state, "run", None)
    _state.run = run = _Run(outer, bool(kwargs.get("retain")), args[0], args[2])
    try:
        found = _rushlight.run_gradients(*args, **kwargs)
        while run.callbacks:
            run.callbacks.pop(0)()
        return found
    finally:
        _state.run = outer


class _Run:
    """What is known of a run: whether it keeps what was recorded, and whether it is for certain tensors only."""

    __slots__ = ("callbacks", "inputs", "outer", "outputs", "retains")

    def __init__(self, outer, retains, outputs, inputs):
        self.outer = outer
        self.callbacks, self.retains, self.outputs, self.inputs = [], retains, outputs, inputs

    @property
    def selects(self):
        """Whether it is for certain tensors only."""
        return self.inputs is not None


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

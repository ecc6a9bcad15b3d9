"""``torch.utils.module_tracker``: which modules are at work, forwards and backwards."""

import logging
import weakref

from .. import is_grad_enabled
from ..autograd.graph import register_multi_grad_hook
from ..nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from ..utils._pytree import tree_flatten

logger = logging.getLogger(__name__)

__all__ = ["ModuleTracker"]


class ModuleTracker:
    """While it is entered, ``parents`` are the names of the modules that are at work; ``is_bw`` says whether that is backwards.

    Names are the paths from the outermost module that was called, which goes by its class. ``Global`` is always there.
    """

    def __init__(self):
        self.parents = {"Global"}
        self._names = weakref.WeakKeyDictionary()
        self._handles = ()
        self._backward = False

    @property
    def is_bw(self):
        """Whether a call of ``backward`` is at work."""
        return self._backward

    def __enter__(self):
        self._handles = (register_module_forward_pre_hook(self._begun), register_module_forward_hook(self._done))
        return self

    def __exit__(self, *error):
        for handle in self._handles:
            handle.remove()
        self._handles = ()

    def _name_of(self, module):
        if module not in self._names:
            self._name_all(module, type(module).__name__)
        return self._names[module]

    def _name_all(self, module, name):
        self._names[module] = name
        for part, child in module.named_children():
            if child not in self._names:
                self._name_all(child, f"{name}.{part}")

    def _enter(self, name):
        if name in self.parents:
            logger.info("The module hierarchy tracking seems to be broken as this Module was already entered. %s during %s",
                        name, "backward" if self.is_bw else "forward")  # fmt: skip
        self.parents.add(name)

    def _leave(self, name):
        if name not in self.parents:
            logger.info("The Module hierarchy tracking is confused as we're exiting a Module that was never entered. %s during %s",
                        name, "backward" if self.is_bw else "forward")  # fmt: skip
        self.parents.discard(name)

    def _watch(self, values, then):
        tensors = [value for value in tree_flatten(values)[0] if getattr(value, "requires_grad", False)]
        if tensors and is_grad_enabled():
            register_multi_grad_hook(tensors, then)

    def _begun(self, module, args):
        name = self._name_of(module)
        self._enter(name)
        self._watch(args, lambda gradients: self._leave(name))

    def _done(self, module, args, result):
        name = self._name_of(module)
        self._leave(name)
        self._watch(result, lambda gradients: self._begun_backward(name))

    def _begun_backward(self, name):
        self._when_backward_ends()
        self._enter(name)

    def _when_backward_ends(self):
        if self._backward:
            return
        from ..autograd import Variable

        self._backward = True
        Variable._execution_engine.queue_callback(self._ended)

    def _ended(self):
        self.parents = {"Global"}
        self._backward = False

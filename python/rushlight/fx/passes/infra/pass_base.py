"""``torch.fx.passes.infra.pass_base``: a pass as an object."""

import abc
from collections import namedtuple

__all__ = ["PassResult", "PassBase"]


class PassResult(namedtuple("PassResult", ["graph_module", "modified"])):
    """A graph module after a pass, and whether the pass has changed it."""

    __slots__ = ()

    def __new__(cls, graph_module, modified):
        return super().__new__(cls, graph_module, modified)


class PassBase(abc.ABC):
    """A pass: :meth:`call` does the work, :meth:`requires` and :meth:`ensures` check before and after it."""

    def __call__(self, graph_module):
        """Checks, works, checks."""
        self.requires(graph_module)
        result = self.call(graph_module)
        self.ensures(graph_module)
        return result

    @abc.abstractmethod
    def call(self, graph_module):
        """Works on a graph module; returns a :class:`PassResult`, or None."""

    def requires(self, graph_module):  # noqa: B027
        """Checks before the work; for subclasses to write."""

    def ensures(self, graph_module):  # noqa: B027
        """Checks after the work; for subclasses to write."""

"""``torch.fx.passes.operator_support``: says of nodes whether somebody can run them."""

import abc

from .tools_common import CALLABLE_NODE_OPS, get_node_target

__all__ = ["OperatorSupportBase", "OperatorSupport", "create_op_support", "chain", "OpSupports", "any_chain"]


class OperatorSupportBase(abc.ABC):
    """Says of nodes whether somebody can run them."""

    @abc.abstractmethod
    def is_node_supported(self, submodules, node):
        """Whether a node of a graph can be run; ``submodules`` are the modules by their dotted names."""


def _dtype(node):
    meta = node.meta.get("tensor_meta")
    return getattr(meta, "dtype", None)


class OperatorSupport(OperatorSupportBase):
    """By a table: what nodes call, and of which dtypes their arguments may be, by position and by name; None for any."""

    def __init__(self, support_dict=None):
        self._support_dict = support_dict or {}

    def is_node_supported(self, submodules, node):
        """Whether the table has what a node calls, with arguments of these dtypes."""
        if node.op not in CALLABLE_NODE_OPS:
            return True
        target = get_node_target(submodules, node)
        if target not in self._support_dict:
            return False
        known = self._support_dict[target]
        if known is None:
            return True
        by_position, by_name = known
        for dtypes, arg in zip(by_position, node.args):
            if dtypes and hasattr(arg, "meta") and _dtype(arg) not in dtypes:
                return False
        for name, dtypes in by_name.items():
            arg = node.kwargs.get(name)
            if arg is not None and hasattr(arg, "meta") and _dtype(arg) not in dtypes:
                return False
        return True


def create_op_support(is_node_supported):
    """Support as a function says."""

    class FunctionalOperatorSupport(OperatorSupportBase):
        """As the function says."""

        def is_node_supported(self, submodules, node):
            return is_node_supported(submodules, node)

    return FunctionalOperatorSupport()


def chain(*op_support):
    """Supported where all say so."""
    return create_op_support(lambda modules, node: all(each.is_node_supported(modules, node) for each in op_support))


def any_chain(*op_support):
    """Supported where one says so."""
    return create_op_support(lambda modules, node: any(each.is_node_supported(modules, node) for each in op_support))


class OpSupports:
    """Support that is often wanted."""

    @classmethod
    def decline_if_input_dtype(cls, dtype):
        """Not where an argument has this dtype."""
        return create_op_support(lambda modules, node: all(_dtype(arg) != dtype for arg in node.all_input_nodes))

    @classmethod
    def decline_if_node_in_names(cls, disallow_set):
        """Not for nodes of these names."""
        return create_op_support(lambda modules, node: node.name not in disallow_set)

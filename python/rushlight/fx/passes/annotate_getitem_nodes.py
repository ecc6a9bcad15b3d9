"""``torch.fx.passes.annotate_getitem_nodes``: the types of what is taken out of containers."""

import operator
import typing


def annotate_getitem_nodes(graph):
    """Gives nodes that take something out of a tuple, list or named tuple its type, where that of the container is known."""
    for node in graph.nodes:
        if node.op != "call_function" or node.target is not operator.getitem:
            continue
        container, index = node.args
        kind = container.type
        if kind is None:
            continue
        origin, inner = typing.get_origin(kind), typing.get_args(kind)
        if origin is tuple and inner:
            node.type = inner[0] if len(inner) == 2 and inner[1] is ... else inner[index]
        elif origin is list and inner:
            node.type = inner[0]
        elif isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields"):
            hints = getattr(kind, "__annotations__", {})
            node.type = hints.get(kind._fields[index], node.type)

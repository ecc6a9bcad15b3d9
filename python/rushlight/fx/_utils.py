"""``torch.fx._utils``: graphs in messages."""


def _format_graph_code(name, filename, graph_str):
    return f"TRACED GRAPH\n {name} {filename} {graph_str}\n"


class _Lazy:
    """A text that is made when somebody wants it."""

    def __init__(self, make):
        self.make = make

    def __str__(self):
        return self.make()


def lazy_format_graph_code(name, gm, maybe_id=None, **kwargs):
    """The code of a graph module for a message, made when it is shown."""

    def make():
        title = name if maybe_id is None else f"{name} {maybe_id}"
        return _format_graph_code(f"===== {title} =====\n", gm.forward.__code__.co_filename, gm.print_readable(False))

    return _Lazy(make)


def get_node_context(node, num_nodes=2):
    """A node and those before it, as lines."""
    shown = []
    while len(shown) < num_nodes and node.op != "root":
        shown.append(str(node.format_node()))
        node = node.prev
    return "\n".join(reversed(shown))

"""Which operators a module uses."""


def _of_nodes(nodes):
    for node in nodes:
        if node.kind().startswith("aten::") and "(" in node.schema():
            yield node.schema().partition("(")[0]
        for block in node.blocks():
            yield from _of_nodes(block.nodes())


def export_opnames(m):
    """The operators of a scripted module's methods, by name, in order."""
    methods = m._c._methods()
    return sorted({name for method in methods for name in _of_nodes(getattr(m, method).inlined_graph.nodes())})

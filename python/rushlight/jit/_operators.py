"""Which operators a module uses."""

from .. import _introspection


def _object(value, this):
    """The script object that a value of a graph is, or None."""
    names = []
    while value.node().kind() == "prim::GetAttr":
        names.append(value.node().s("name"))
        value = next(value.node().inputs())
    if value.node().kind() != "prim::Param":
        return None
    for name in reversed(names):
        if this is None or not this.hasattr(name):
            return None
        this = this.getattr(name)
    return this


# What programs of the interpreter have instructions for.
_INSTRUCTIONS = frozenset(("aten::__is__", "aten::__isnot__", "aten::__not__", "aten::dim", "aten::format"))


def _of_nodes(nodes, this, seen):
    for node in nodes:
        if node.kind().startswith("aten::") and "(" in node.schema():
            name = node.schema().partition("(")[0]
            if name not in _INSTRUCTIONS and not name.startswith("aten::__getitem__.Dict_"):
                yield name
        elif node.kind() == "prim::unchecked_cast":
            yield node.kind()
        elif node.kind() == "prim::CallMethod":
            # What an interface stands for shows in the module itself.
            value = next(node.inputs())
            called = _object(value, this) if isinstance(value.type(), _introspection.InterfaceType) else None
            if called is not None:
                yield from _of_method(getattr(called, "_c", called), node.s("name"), seen)
        for block in node.blocks():
            yield from _of_nodes(block.nodes(), this, seen)


def _of_method(this, name, seen):
    if (id(this), name) not in seen:
        seen[id(this), name] = this
        yield from _of_nodes(this._get_method(name).inlined_graph.nodes(), this, seen)


def export_opnames(m):
    """The operators of a scripted module's methods, by name, in order."""
    seen = {}
    return sorted({name for method in m._c._methods() for name in _of_method(m._c, method, seen)})

"""Passes over the methods of modules, and what modules hold."""

from .. import _rushlight
from . import every_node, replace

_DROPOUTS = ("aten::dropout", "aten::dropout_", "aten::feature_dropout", "aten::feature_dropout_")


def _training(module):
    return module.hasattr("training") and module.getattr("training")


def _jit_pass_remove_dropout(module):
    """Takes dropout out of the methods of a module that does not train: what it would pass on is used directly."""
    if _training(module):
        raise RuntimeError("Dropout removal module in training mode is not yet supported")
    for name in module._methods():
        for node in every_node(module._get_method(name).graph):
            if node.kind() in _DROPOUTS and node.inputsAt(2).toIValue() is False:
                replace(node, [node.inputsAt(0)])


def _jit_pass_peephole_list_idioms(graph, refine_list_len=False):
    """Makes values of lengths and elements of lists that nobody writes to; if asked, also of lengths that comparisons tell."""
    name = "_jit_pass_peephole_list_idioms"
    return _rushlight.run_pass(f"{name} with lengths" if refine_list_len else name, graph)


def _jit_pass_lower_graph(graph, module):
    """A copy of a graph of a method, without calls, that takes the tensors of its module as inputs; and those tensors."""
    lowered = graph.copy()
    _rushlight.run_pass("_jit_pass_inline", lowered)
    this = next(lowered.inputs())
    objects, inputs, tensors = {this: module}, {}, []
    for node in every_node(lowered):
        if node.kind() == "prim::GetAttr":
            held = objects[node.input()].getattr(node.s("name"))
            objects[node.output()] = getattr(held, "_c", held)
    # Tensors are inputs in the order in which they are used.
    for node in every_node(lowered):
        for place, value in enumerate(list(node.inputs())):
            held = objects.get(value)
            if node.kind() == "prim::GetAttr" or held is None:
                continue
            if not isinstance(held, _rushlight.Tensor):
                raise RuntimeError(f"Unknown type {value.type()} encountered in graph lowering. This type is not supported in ONNX export.")
            if id(held) not in inputs:
                inputs[id(held)] = lowered.addInput()
                inputs[id(held)].inferTypeFrom(held)
                tensors.append(held)
            node.replaceInput(place, inputs[id(held)])
    for node in reversed([node for node in every_node(lowered) if node.kind() == "prim::GetAttr"]):
        node.destroy()
    lowered.eraseInput(0)
    return lowered, tensors


def _named(module, prefix=""):
    """What a module and those inside it hold: (path, value, kind, whether it is the module's own)."""
    for name, kind in module._attributes():
        value = module._get_object(name) if kind == "module" else module.getattr(name)
        yield prefix + name, value, kind, not prefix
        if kind == "module":
            yield from _named(value, f"{prefix}{name}.")


def _jit_debug_module_iterators(module):
    """What a module holds, by kind: of its own, and ``_r`` with that of the modules inside it."""
    rows = list(_named(module))

    def chosen(kinds, everywhere):
        return [(path, value) for path, value, kind, own in rows if (own or everywhere) and kind in kinds]

    found = {"modules": [module], "named_modules": [("", module)]}
    found["modules"] += [value for _, value in chosen(("module",), True)]
    found["named_modules"] += chosen(("module",), True)
    found["children"] = [value for _, value in chosen(("module",), False)]
    found["named_children"] = chosen(("module",), False)
    every = ("attribute", "buffer", "module", "parameter")
    for suffix, everywhere in (("", False), ("_r", True)):
        found[f"named_attributes{suffix}"] = chosen(every, everywhere)
        for kind in ("buffer", "parameter"):
            found[f"named_{kind}s{suffix}"] = chosen((kind,), everywhere)
            found[f"{kind}s{suffix}"] = [value for _, value in chosen((kind,), everywhere)]
    return found

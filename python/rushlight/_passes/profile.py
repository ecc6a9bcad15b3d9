"""What the tensors of a graph were in one run, and the graph that shows how gradients are taken of its parts.

There is one executor, which records gradients as operators run. ``graph_for`` shows of a run that records some what it gathers:
differentiable parts as graphs of their own, behind a check of which of their inputs need gradients.
"""

import functools

from .. import _introspection, _rushlight
from . import autodiff, every_node, replace

_NOTE = "prim::profile"
_CHECK = "prim::RequiresGradCheck"

_inlines = True


def _debug_set_autodiff_subgraph_inlining(on):
    """Sets whether differentiable parts of few nodes stay where they are in the graphs that ``graph_for`` shows."""
    global _inlines
    _inlines = bool(on)


def _values(graph):
    """The values of a graph, each with what it stands after: a node, or the beginning of a block."""
    for block in _blocks(graph):
        for value in block.inputs():
            yield value, block
        for node in block.nodes():
            for value in node.outputs():
                yield value, node


def _fillers(graph):
    """The values that may be nothing at all, because an exit lies before their first use."""
    found = {node.output() for node in graph.findAllNodes("prim::Uninitialized")}
    grown = bool(found)
    while grown:
        count = len(found)
        for node in every_node(graph):
            for block in node.blocks():
                # A loop's body gives first whether to go on.
                results = list(block.outputs())[1 if node.kind() == "prim::Loop" else 0 :]
                found.update(output for output, result in zip(node.outputs(), results) if result in found)
            if node.kind() == "prim::Loop":
                (body,) = node.blocks()
                carried = list(node.inputs())[2:]
                for parameter, given, output in zip(list(body.inputs())[1:], carried, node.outputs()):
                    if given in found or output in found:
                        found.update((parameter, output))
        grown = len(found) > count
    return found


def _seen_types(graph, arguments):
    """Runs a graph. The types that its tensors had."""
    copied, fillers = graph.copy(), _fillers(graph)
    kept, values = [], list(zip(_values(graph), _values(copied)))
    anywhere = _introspection.TensorType.get()
    start = next(iter(copied.nodes()), None) or copied.block()
    for (value, _), (twin, place) in values:
        if value.type().kind() != "TensorType" or value.node().kind() == "prim::Constant" or value in fillers:
            continue
        with copied.insert_point_guard(start):
            seen = copied.insertNode(copied.create("prim::ListConstruct", [], 1)).output()
            seen.setType(_introspection.ListType(anywhere))
        append = copied.create("aten::append", [seen, twin], 1)
        append.output().setType(seen.type())
        if isinstance(place, _introspection.Node):
            append.insertAfter(place)
        elif place.owningNode() is None or not list(place.nodes()):
            with copied.insert_point_guard(start if place.owningNode() is None else place):
                copied.insertNode(append)
        else:
            append.insertBefore(next(place.nodes()))
        kept.append((value, seen))
    for _ in range(len(list(copied.outputs()))):
        copied.eraseOutput(0)
    for _, seen in kept:
        copied.registerOutput(seen)
    if len(kept) != 1:
        copied.makeMultiOutputIntoTuple()
    found = _rushlight.interpret_graph(copied, tuple(arguments))
    if len(kept) == 1:
        found = (found,)
    type_of = _introspection.TensorType.create_from_tensor
    return {value: functools.reduce(_common, map(type_of, seen)) for (value, _), seen in zip(kept, found or ()) if seen}


def _common(first, second):
    """What two types of tensors both say."""
    if first.sizes() == second.sizes() and first.dtype() == second.dtype() and first.requires_grad() == second.requires_grad():
        return first
    return _introspection.TensorType.get()


def _annotate(graph, types):
    """Notes before every use of a tensor of which type it was."""
    for block in _blocks(graph):
        for node in [*block.nodes(), block.returnNode()]:
            for place, value in enumerate(list(node.inputs())):
                if value in types and value.node().kind() != "prim::Constant":
                    note = graph.create(_NOTE, [value], 1).ty_("profiled_type", types[value])
                    if node == block.returnNode():
                        with graph.insert_point_guard(block):
                            graph.insertNode(note)
                    else:
                        note.insertBefore(node)
                    node.replaceInput(place, note.output())


def _blocks(graph):
    yield graph.block()
    for node in every_node(graph):
        yield from node.blocks()


def _forget(graph):
    """Takes the notes of a graph away."""
    for note in graph.findAllNodes(_NOTE):
        note.output().replaceAllUsesWith(note.input())
        note.destroy()


def _with_constant_chunks(graph, types):
    """Puts nodes with as many results as there are pieces in the place of those that give a list of so many."""
    for node in graph.findAllNodes("aten::chunk"):
        tensor, count, dim = node.inputs()
        users = [use.user for use in node.output().uses()]
        if count.node().kind() != "prim::Constant" or dim.node().kind() != "prim::Constant" or len(users) != 1:
            continue
        (unpack,) = users
        if unpack.kind() != "prim::ListUnpack" or unpack.outputsSize() != count.toIValue():
            continue
        pieces = graph.create("prim::ConstantChunk", [tensor], unpack.outputsSize())
        pieces.i_("chunks", count.toIValue()).i_("dim", dim.toIValue()).insertBefore(node)
        for old, new in zip(list(unpack.outputs()), pieces.outputs()):
            if old in types:
                types[new] = types[old]
            new.setType(old.type())
        replace(unpack, pieces.outputs())
        node.destroy()


@functools.cache
def _function_type():
    """The type that values have which are functions."""
    from ..jit import CompilationUnit

    unit = CompilationUnit("def body(x):\n  return x\ndef caller(x):\n  return body(x)\n")
    return next(unit.caller.graph.nodes()).output().type()


def _guard(graph, call, types):
    """Puts a differentiable graph into a branch that runs when its inputs need the gradients that they needed before."""
    given = list(call.inputs())
    checked = [value for value in given if value in types]
    check = graph.create(_CHECK, checked, len(checked) + 1)
    check.tys_("types", [autodiff.needing(types[value].requires_grad()) for value in checked]).insertBefore(call)
    *tensors, holds = check.outputs()
    for value, tensor in zip(checked, tensors):
        value.setType(types[value])
        tensor.setType(types[value])
    holds.setType(_introspection.BoolType.get())
    branch = graph.create("prim::If", [holds], call.outputsSize()).insertBefore(call)
    quick, slow = branch.addBlock(), branch.addBlock()
    with graph.insert_point_guard(slow):
        function = graph.insertNode(graph.create("prim::Constant", [], 1).s_("name", "fallback_function").i_("fallback", 1)).output()
        function.setType(_function_type())
        results = graph.insertNode(graph.create("prim::CallFunction", [function, *given], 1)).output()
        results.setType(_introspection.TupleType([output.type() for output in call.outputs()]))
        parts = graph.insertNode(graph.create("prim::TupleUnpack", [results], call.outputsSize()))
    for output, part, result in zip(call.outputs(), parts.outputs(), branch.outputs()):
        part.setType(output.type())
        slow.registerOutput(part)
        result.setType(output.type())
        output.replaceAllUsesWith(result)
    with graph.insert_point_guard(quick):
        inner = graph.insertNode(graph.create(autodiff.KIND, [], call.outputsSize()).g_("Subgraph", call.g("Subgraph")))
    replaced = dict(zip(checked, tensors))
    for value in given:
        inner.addInput(replaced.get(value, value))
    for output, result in zip(call.outputs(), inner.outputs()):
        result.setType(output.type())
        quick.registerOutput(result)
    call.destroy()


def bound(function, args, kwargs):
    """The arguments of a call in the order of the parameters; None where they do not fit."""
    owner, kwargs = getattr(function, "owner", None), dict(kwargs)
    given = list(args) if owner is None else [owner, *args]
    formals = function.schema.arguments
    for formal in formals[len(given) :]:
        if formal.name not in kwargs and not formal.has_default_value():
            return None
        given.append(kwargs.pop(formal.name) if formal.name in kwargs else formal.default_value)
    return None if kwargs or len(given) > len(formals) else given


def differentiated(function, arguments):
    """Runs a function on arguments. Its graph, with its differentiable parts gathered where the run needs gradients."""
    graph = function.inlined_graph
    for name in ("erase_shape_information", "constant_propagation_immutable_types", "constant_loop_unrolling", "constant_pooling", "dce_graph"):
        _rushlight.run_pass(f"_jit_pass_{name}", graph)
    types = _seen_types(graph, arguments)
    if any(ty.requires_grad() for ty in types.values()):
        _with_constant_chunks(graph, types)
        _annotate(graph, types)
        autodiff._jit_pass_create_autodiff_subgraphs(graph, autodiff.THRESHOLD if _inlines else 1)
        _forget(graph)
        for call in graph.findAllNodes(autodiff.KIND):
            body = call.g("Subgraph").copy()
            _forget(body)
            call.g_("Subgraph", body)
            _guard(graph, call, types)
        _rushlight.run_pass("_jit_pass_dce_graph", graph)
    return graph.canonical(True)

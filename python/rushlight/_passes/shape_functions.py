"""Functions of sizes: for an operator, a graph from the sizes of its tensors to those of its results.

Sizes that are known follow from the operators themselves (``shapes``); these graphs are for programs that look at them or bring their
own. A graph takes lists of numbers in the place of tensors, and may leave out the last arguments of the operator.
"""

import functools

from .. import _introspection, _rushlight

_SOURCE = """
def same(size: List[int]) -> List[int]:
    result: List[int] = []
    for n in size:
        result.append(n)
    return result

def together(first: List[int], second: List[int]) -> List[int]:
    rank = max(len(first), len(second))
    result: List[int] = []
    for i in range(rank):
        a, b = 1, 1
        if i + len(first) >= rank:
            a = first[i + len(first) - rank]
        if i + len(second) >= rank:
            b = second[i + len(second) - rank]
        assert a == b or a == 1 or b == 1, "sizes that do not go together"
        if a == 1:
            result.append(b)
        else:
            result.append(a)
    return result

def product(first: List[int], second: List[int]) -> List[int]:
    assert len(first) == 2 and len(second) == 2, "no matrices"
    assert first[1] == second[0], "sizes that do not go together"
    return [first[0], second[1]]

def turned(size: List[int]) -> List[int]:
    assert len(size) <= 2, "no matrix"
    result: List[int] = []
    for i in range(len(size)):
        result.append(size[len(size) - 1 - i])
    return result
"""
_KINDS = {
    "same": """
        neg abs relu relu6 tanh sigmoid exp expm1 log log1p log2 log10 sqrt rsqrt reciprocal sin cos tan asin acos atan sinh cosh floor ceil
        round trunc frac erf erfc gelu silu hardtanh hardsigmoid hardswish leaky_relu softplus clamp dropout add.Scalar sub.Scalar mul.Scalar
        div.Scalar rsub.Scalar pow.Tensor_Scalar eq.Scalar ne.Scalar lt.Scalar le.Scalar gt.Scalar ge.Scalar remainder.Scalar fmod.Scalar
        softmax.int log_softmax.int contiguous zero_ relu_
    """,
    "together": """
        add.Tensor sub.Tensor mul.Tensor div.Tensor atan2 pow.Tensor_Tensor eq.Tensor ne.Tensor lt.Tensor le.Tensor gt.Tensor ge.Tensor
        remainder.Tensor fmod.Tensor max.other min.other
    """,
    "product": "mm",
    "turned": "t",
}

# The graphs that programs have brought, by the schemas of their operators.
_brought = {}


@functools.cache
def _functions():
    from ..jit import CompilationUnit

    unit = CompilationUnit(_SOURCE)
    return {name: getattr(unit, kind) for kind, names in _KINDS.items() for name in names.split()}


@functools.cache
def _graph_of(function):
    return function.graph


def brought(node):
    """The graph that a program has brought for a node's operator, or None."""
    return _brought.get(node.schema()) if _brought else None


def _jit_shape_compute_graph_for_node(node):
    """The graph from the sizes of a node's tensors to those of its results; None where there is none."""
    found = brought(node)
    if found is not None:
        return found
    name = node.schema().partition("(")[0]
    function = _functions().get(name.removeprefix("aten::")) if name.startswith("aten::") else None
    return None if function is None else _graph_of(function)


def _sizes_for(ty):
    """The type that a graph of sizes has in the place of another."""
    kind = ty.kind()
    if kind == "TensorType":
        return _introspection.ListType.ofInts()
    if kind in ("ListType", "OptionalType"):
        inner = _sizes_for(ty.getElementType())
        return _introspection.ListType(inner) if kind == "ListType" else _introspection.OptionalType(inner)
    return ty


def _check(schema, place, formal, given):
    wanted = _sizes_for(formal)
    if not wanted.isSubtypeOf(given):
        raise RuntimeError(
            f"For schema type: {formal.str()} Expected supertype of {wanted.str()} but got graph_type {given.str()} at {place} of schema: {schema}"
        )


def _jit_register_shape_compute_graph_for_node(node, graph):
    """Brings a graph from the sizes of the tensors of a node's operator to those of its results, for all such nodes."""
    text = node.schema()
    if text == "(no schema)":
        raise RuntimeError(f"the node has no schema: {node}")
    schema = _rushlight.read_schema(text)
    inputs, outputs = list(graph.inputs()), list(graph.outputs())
    if len(inputs) > len(schema.arguments):
        raise RuntimeError(
            f"Shape function must have fewer arguments than schema. Got {len(inputs)} graph arguments and {len(schema.arguments)} schema "
            f"arguments of schema: {text}"
        )
    for i, (value, formal) in enumerate(zip(inputs, schema.arguments)):
        _check(text, f"index {i}", formal.type, value.type())
    types = [value.type() for value in outputs]
    if len(schema.returns) > 1 and len(types) == 1 and types[0].kind() == "TupleType":
        types = types[0].elements()
    if len(types) != len(schema.returns):
        raise RuntimeError(f"the graph gives {len(types)} results, the operator {len(schema.returns)}: {text}")
    for i, (ty, formal) in enumerate(zip(types, schema.returns)):
        _check(text, f"output index {i}", formal.type, ty)
    for i, value in enumerate(outputs):
        if value in inputs:
            raise RuntimeError(
                f"For schema: {text} input index {inputs.index(value)} is returned as output index {i}. Shape functions must return new "
                "unaliased lists"
            )
    _brought[text] = graph


def sizes(graph, arguments):
    """The sizes that a graph gives for arguments: a list for each result."""
    found = _rushlight.create_function_from_graph("sizes", graph)(*arguments)
    return list(found) if isinstance(found, tuple) else [found]

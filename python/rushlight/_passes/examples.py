"""What nodes give, from running them on examples: tensors without memory, of the dtypes and sizes that the types of their inputs say."""

import contextlib

from .. import _introspection, _rushlight

# What operators raise for examples that do not suit them.
REFUSALS = (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError, OverflowError)


class NotKnown(Exception):
    """The types say too little for an example."""


def is_tensor(value):
    """Whether a value is a tensor."""
    return value.type().kind() == "TensorType"


def tensor(sizes, dtype):
    """A tensor of these sizes without memory."""
    return _rushlight.Tensor([]).new_empty(sizes, dtype=dtype, device="meta")


def constant(value):
    """What a constant is; tensors without their memory."""
    found = value.toIValue()
    return found.to("meta") if isinstance(found, _rushlight.Tensor) else found


def with_formals(node):
    """The inputs of a node of an operator, each with its parameter in the operator's schema."""
    schema = node.schema()
    if schema == "(no schema)":
        raise NotKnown
    return zip(node.inputs(), _rushlight.read_schema(schema).arguments)


def run(node, arguments):
    """What a node gives for arguments, as a list."""
    graph = _introspection.Graph()
    inputs, given = [], []
    for (value, formal), argument in zip(with_formals(node), arguments):
        if value.node().kind() != "prim::Constant" or isinstance(argument, _rushlight.Tensor):
            inputs.append(graph.addInput("").setType(value.type()))
            given.append(argument)
        elif argument is None or value.type().kind() != "NoneType":
            constant = graph.appendNode(graph.createClone(value.node(), lambda value: value))
            inputs.append(constant.output())
        else:
            # An example that says more than None.
            inputs.append(graph.insertConstant(argument))
    copied = graph.appendNode(graph.create(node.kind(), inputs, node.outputsSize()).copyAttributes(node))
    for output, original in zip(copied.outputs(), node.outputs()):
        graph.registerOutput(output.setType(original.type()))
    several = copied.outputsSize() != 1
    if several:
        graph.makeMultiOutputIntoTuple()
    function = _rushlight.create_function_from_graph("example", graph)
    with _kept_random_state(node):
        result = function(*given)
    return list(result) if several else [result]


@contextlib.contextmanager
def _kept_random_state(node):
    """Leaves the state of random numbers as it was."""
    if not node.isNondeterministic():
        yield
        return
    from ..random import get_rng_state, set_rng_state

    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)

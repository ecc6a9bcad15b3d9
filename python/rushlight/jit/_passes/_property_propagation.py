"""Types of the inputs of graphs by example."""

from ..._introspection import TensorType
from ..._rushlight import Graph, Tensor


def apply_input_props_using_example(graph: Graph, example_input):
    """Says in the types of a graph's tensor inputs what holds for the tensors of an example; ``self`` of a method is left out."""
    inputs = list(graph.inputs())
    if not inputs:
        return
    if inputs[0].type().kind() == "ClassType":
        inputs = inputs[1:]
    if len(inputs) != len(example_input):
        raise RuntimeError("Number of inputs in graph does not match number of inputs in the example")
    for i, (value, example) in enumerate(zip(inputs, example_input)):
        if example is None:
            continue
        if isinstance(example, Tensor) != isinstance(value.type(), TensorType):
            raise RuntimeError(f"Input {i} does not match type of example", value, example)
        if isinstance(example, Tensor):
            value.setType(TensorType.create_from_tensor(example))

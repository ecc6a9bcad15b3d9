"""Of which dtype the tensors of a graph are, as far as it follows from the types of its inputs.

What dtype an operator gives is asked of the operator: it runs once on tensors without memory, of the dtypes and numbers of
dimensions that its inputs have. Values that are not known stand for themselves by an example. Where small examples do not suit an
operator, a rule says what it gives.
"""

from .. import _rushlight
from .examples import REFUSALS, NotKnown, constant, is_tensor, run, tensor, with_formals

_ANYTHING = {"IntType": 1, "FloatType": 1.5, "BoolType": False}
# Operators whose result is of the dtype that all these inputs have.
_ALIKE = {
    "conv1d": 3, "conv2d": 3, "conv3d": 3, "convolution": 3, "conv_transpose1d": 3, "conv_transpose2d": 3, "conv_transpose3d": 3,
    "conv_tbc": 3, "batch_norm": 1, "native_batch_norm": 1, "instance_norm": 1, "group_norm": 1, "layer_norm": 1, "embedding": 1,
    "adaptive_avg_pool1d": 1, "adaptive_avg_pool2d": 1, "adaptive_avg_pool3d": 1, "avg_pool1d": 1, "avg_pool2d": 1, "avg_pool3d": 1,
    "max_pool1d": 1, "max_pool2d": 1, "max_pool3d": 1, "nll_loss": 1, "interpolate": 1, "reflection_pad1d": 1, "reflection_pad2d": 1,
    "reflection_pad3d": 1, "replication_pad1d": 1, "replication_pad2d": 1, "replication_pad3d": 1, "pixel_shuffle": 1, "pixel_unshuffle": 1,
    "view": 1, "reshape": 1, "expand": 1, "repeat": 1, "tile": 1, "matmul": 2, "mm": 2, "bmm": 2, "mv": 2, "dot": 2, "linear": 3,
}


def _example(value, optional):
    """Something that a value may be: for tensors of known dtype and number of dimensions, one without memory."""
    if value.node().kind() == "prim::Constant":
        return constant(value)
    ty = value.type()
    if ty.kind() == "TensorType":
        if ty.dtype() is None or ty.dim() is None:
            if optional:
                return None
            raise NotKnown
        return tensor([1 if size is None else size for size in ty.varyingSizes()], ty.dtype())
    if value.node().kind() in ("prim::ListConstruct", "prim::TupleConstruct"):
        items = [_example(item, False) for item in value.node().inputs()]
        return items if value.node().kind() == "prim::ListConstruct" else tuple(items)
    if ty.kind() in _ANYTHING:
        return _ANYTHING[ty.kind()]
    if ty.kind() == "OptionalType":
        return None
    raise NotKnown


def _by_running(node):
    """The dtypes of what a node gives, from a run on examples; None for what is no tensor."""
    results = run(node, [_example(value, formal.type.kind() == "OptionalType") for value, formal in with_formals(node)])
    return [found.dtype if isinstance(found, _rushlight.Tensor) else None for found in results]


def _by_rule(node):
    """The dtypes of what a node gives by the rule for its operator."""
    count = _ALIKE.get(node.kind().removeprefix("aten::"))
    if count is None:
        raise NotKnown
    first, *others = [value.type().dtype() for value in list(node.inputs())[:count] if is_tensor(value)]
    if first is None or any(dtype not in (None, first) for dtype in others):
        raise NotKnown
    return [first] * node.outputsSize()


def _found(node):
    """The dtypes of what a node gives; nothing where they do not follow."""
    if not node.kind().startswith("aten::"):
        return []
    try:
        return _by_rule(node)
    except NotKnown:
        pass
    try:
        return _by_running(node)
    except (NotKnown, *REFUSALS):
        # The operator refuses the example: nothing follows.
        return []


def infer(graph):
    """Says in the types of a graph's tensors of which dtype they are; whether any type says more than before."""
    changed = False

    def say(value, dtype):
        nonlocal changed
        if dtype is not None and is_tensor(value) and value.type().dtype() != dtype:
            value.setType(value.type().with_dtype(dtype))
            changed = True

    def block(of):
        for node in of.nodes():
            if node.kind() == "prim::If":
                branches = list(node.blocks())
                for branch in branches:
                    block(branch)
                for output, *results in zip(node.outputs(), *(branch.outputs() for branch in branches)):
                    dtypes = {result.type().dtype() if is_tensor(result) else None for result in results}
                    say(output, dtypes.pop() if len(dtypes) == 1 else None)
            elif node.kind() == "prim::Loop":
                loop(node)
            elif any(is_tensor(output) and output.type().dtype() is None for output in node.outputs()):
                for output, dtype in zip(node.outputs(), _found(node)):
                    say(output, dtype)

    def loop(node):
        """What is carried keeps its dtype where the body gives it back."""
        (body,) = node.blocks()
        carried = list(zip(list(node.inputs())[2:], list(body.inputs())[1:]))
        copied = {}
        for given, parameter in carried:
            if is_tensor(parameter) and is_tensor(given):
                copied[parameter] = parameter.type()
                say(parameter, given.type().dtype())
        block(body)
        for (given, parameter), result, output in zip(carried, list(body.outputs())[1:], node.outputs()):
            if parameter in copied and is_tensor(result) and result.type().dtype() == parameter.type().dtype():
                say(output, parameter.type().dtype())

    block(graph.block())
    return changed

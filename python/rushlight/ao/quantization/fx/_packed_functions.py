"""Functions with weights become operators with packed weights: what the weights are computed of is computed now."""

from typing import Any, Optional

import rushlight as torch

from ....fx import GraphModule, Node
from ....nn import functional as F
from .utils import _erase_unused, get_new_attr_name_with_prefix

# The arguments of convolutions after the bias, with what they are where they are not given.
_CONV_OPTIONS = {"stride": 1, "padding": 0, "dilation": 1, "groups": 1}
_TRANSPOSED_OPTIONS = {"stride": 1, "padding": 0, "output_padding": 0, "groups": 1, "dilation": 1}
_DIMENSIONS = {
    F.conv1d: 1, F.conv2d: 2, F.conv3d: 3, F.conv_transpose1d: 1, F.conv_transpose2d: 2, F.conv_transpose3d: 3,
}
_TRANSPOSED = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)


class NotConstant(Exception):
    """A weight depends on arguments of the model."""


def _value(node: Any, model: GraphModule) -> Any:
    """What a node gives that depends on attributes of the model alone.

    Raises:
        NotConstant: it depends on more.
    """
    if isinstance(node, (list, tuple)):
        return type(node)(_value(each, model) for each in node)
    if not isinstance(node, Node):
        return node
    if node.op == "get_attr":
        found: Any = model
        for name in node.target.split("."):
            found = getattr(found, name)
        return found
    if node.op not in ("call_function", "call_method"):
        raise NotConstant(node.name)
    args = [_value(each, model) for each in node.args]
    kwargs = {name: _value(each, model) for name, each in node.kwargs.items()}
    if node.op == "call_method":
        return getattr(args[0], node.target)(*args[1:], **kwargs)
    return node.target(*args, **kwargs)


def arguments_of(node: Node) -> dict[str, Any]:
    """The arguments of a function with weights, by name, those that are not given too."""
    names = ["input", "weight", "bias"]
    given: dict[str, Any] = {"bias": None}
    if node.target in _DIMENSIONS:
        options = _TRANSPOSED_OPTIONS if node.target in _TRANSPOSED else _CONV_OPTIONS
        names += options
        given.update(options)
    given.update(zip(names, node.args))
    given.update(node.kwargs)
    return given


def _options(node: Node, given: dict[str, Any]) -> list[Any]:
    """What a convolution is packed with besides weight and bias."""
    if node.target not in _DIMENSIONS:
        return []
    count = _DIMENSIONS[node.target]

    def sizes(name: str) -> list[int]:
        value = given[name]
        if isinstance(value, str):
            raise NotConstant(f"{node.name}: {name}={value!r}")
        return [value] * count if isinstance(value, int) else list(value)

    if node.target in _TRANSPOSED:
        return [sizes("stride"), sizes("padding"), sizes("output_padding"), sizes("dilation"), given["groups"]]
    return [sizes("stride"), sizes("padding"), sizes("dilation"), given["groups"]]


def packed(node: Node, model: GraphModule, prepack: Any, prefix: str) -> Optional[Node]:
    """A node that reads the packed weight of a function, which becomes an attribute; None where it is not known yet."""
    given = arguments_of(node)
    try:
        with torch.no_grad():
            weight = _value(given["weight"].args[0], model)
            bias = _value(given["bias"], model)
            options = _options(node, given)
    except NotConstant:
        return None
    if bias is not None:
        bias = bias.detach()
    weight = weight.detach()
    made = prepack(weight if weight.is_quantized else weight.float(), bias, *options)
    name = get_new_attr_name_with_prefix(prefix + "_packed_weight_")(model)
    setattr(model, name, made)
    return model.graph.create_node("get_attr", name)


def forget(model: GraphModule, nodes: list[Any]) -> None:
    """Takes out what weights and biases were computed of, where nothing else needs it."""
    for node in nodes:
        if isinstance(node, Node):
            _erase_unused(model.graph, node)

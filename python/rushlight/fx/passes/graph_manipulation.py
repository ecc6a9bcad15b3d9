"""``torch.fx.passes.graph_manipulation``: what nodes call, and how large what they give is."""

from typing import NamedTuple

from ..._rushlight import Tensor
from .shape_prop import ShapeProp, TensorMetadata

__all__ = ["replace_target_nodes_with", "size_bytes", "get_size_of_all_nodes", "get_tensor_meta", "get_size_of_node"]


def replace_target_nodes_with(fx_module, old_op, old_target, new_op, new_target):
    """Makes all nodes of a kind that call one thing call another; the code is not generated anew."""
    for node in fx_module.graph.nodes:
        if node.op == old_op and node.target == old_target:
            node.op, node.target = new_op, new_target


class size_bytes(NamedTuple):
    """How many bytes a node gives, and gives and holds."""

    output_size: int
    total_size: int


def get_size_of_all_nodes(fx_module, args=None):
    """Sets ``size_bytes`` of every node but the output; with arguments, runs the graph for them first."""
    if args is not None:
        ShapeProp(fx_module).propagate(*args)
    for node in fx_module.graph.nodes:
        if node.op == "output":
            break
        node.size_bytes = get_size_of_node(fx_module, node)


def get_tensor_meta(node):
    """The ``TensorMetadata`` of a node; raises ``RuntimeError`` where it has none."""
    found = node.meta.get("tensor_meta")
    if not found:
        raise RuntimeError(
            f"Node {node} has no tensor metadata associated with it! Check that shape propagation has run."
        )
    return found


def get_size_of_node(fx_module, node):
    """The :class:`size_bytes` of a node, whose shape must be known."""
    held = 0
    if node.op == "call_module":
        module = dict(fx_module.named_modules())[node.target]
        held = sum(parameter.numel() for _, parameter in module.named_parameters())
    meta = get_tensor_meta(node)
    given = meta.shape.numel() if isinstance(meta, TensorMetadata) else sum(part.shape.numel() for part in meta)
    element = Tensor(0).to(meta.dtype).element_size() if isinstance(meta, TensorMetadata) else 4
    return size_bytes(element * given, element * (held + given))

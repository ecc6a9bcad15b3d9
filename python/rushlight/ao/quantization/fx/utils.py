"""What the steps share: what is known of a prepared model, names of attributes, questions about nodes."""

import dataclasses
from typing import Any, Callable, Optional

from ....fx import Graph, Node
from ...._library import publish
from ....nn import Module
from ..fuse_modules import _set_module  # noqa: F401  the steps put modules in their places by it
from ..qconfig import QConfigAny
from ..qconfig_mapping import QConfigMapping
from .custom_config import PrepareCustomConfig

__all__ = [
    "ObservedGraphModuleAttrs", "all_node_args_except_first", "all_node_args_have_no_tensors", "create_getattr_from_value",
    "get_custom_module_class_keys", "get_new_attr_name_with_prefix", "get_skipped_module_name_and_classes",
]

# Attributes of tensors that are tensors.
_TENSOR_ATTRIBUTES = {"T", "mT", "H", "mH", "data", "grad", "real", "imag"}
_QUESTIONS = {"size", "dim", "numel", "nelement", "stride", "item", "tolist"}


@dataclasses.dataclass
class ObservedGraphModuleAttrs:
    """What converting has to know of a prepared model."""

    node_name_to_qconfig: dict[str, QConfigAny]
    node_name_to_scope: dict[str, tuple[str, type]]
    prepare_custom_config: PrepareCustomConfig
    equalization_node_name_to_qconfig: dict[str, Any]
    qconfig_mapping: QConfigMapping
    is_qat: bool
    observed_node_names: set[str]
    is_observed_standalone_module: bool = False
    standalone_module_input_quantized_idxs: Optional[list[int]] = None
    standalone_module_output_quantized_idxs: Optional[list[int]] = None


def get_custom_module_class_keys(custom_module_mapping: dict) -> list[type]:
    """All classes of modules in a mapping by the kind of quantization."""
    return list({kind for classes in custom_module_mapping.values() for kind in classes})


def get_skipped_module_name_and_classes(
    prepare_custom_config: PrepareCustomConfig, is_standalone_module: bool
) -> tuple[list[str], list[type]]:
    """The modules that are not looked into: by path, by class."""
    names = list(prepare_custom_config.non_traceable_module_names)
    classes = list(prepare_custom_config.non_traceable_module_classes)
    if not is_standalone_module:
        names += prepare_custom_config.standalone_module_names
        classes += prepare_custom_config.standalone_module_classes
        classes += get_custom_module_class_keys(prepare_custom_config.float_to_observed_mapping)
    return names, classes


def get_new_attr_name_with_prefix(prefix: str) -> Callable[[Module], str]:
    """A function that finds the first name of a prefix and a number that a module does not have."""
    prefix = prefix.replace(".", "_")

    def get_new_attr_name(module: Module) -> str:
        number = 0
        while hasattr(module, f"{prefix}{number}"):
            number += 1
        return f"{prefix}{number}"

    return get_new_attr_name


def create_getattr_from_value(module: Module, graph: Graph, prefix: str, value: Any) -> Node:
    """A node that reads a value, which becomes a buffer of the module, under a new name."""
    import rushlight as torch

    name = get_new_attr_name_with_prefix(prefix)(module)
    held = value.detach().clone() if isinstance(value, torch.Tensor) else torch.tensor(value)
    module.register_buffer(name, held)
    return graph.create_node("get_attr", name)


def all_node_args_except_first(node: Node) -> list[int]:
    """The positions of all arguments but the first."""
    return list(range(1, len(node.args)))


def all_node_args_have_no_tensors(node: Node, modules: dict[str, Module], cache: dict[Node, bool]) -> bool:
    """Whether nothing that goes into a node is a tensor, so that what comes out is none: sizes, and what is computed of them."""
    if node not in cache:
        cache[node] = False
        cache[node] = _gives_no_tensor(node, modules, cache)
    return cache[node]


def _gives_no_tensor(node: Node, modules: dict[str, Module], cache: dict[Node, bool]) -> bool:
    if node.op == "call_function" and node.target is getattr:
        return node.args[1] not in _TENSOR_ATTRIBUTES
    if node.op == "call_method" and node.target in _QUESTIONS:
        return True
    if node.op in ("placeholder", "get_attr", "call_module"):
        return False
    inputs = node.all_input_nodes
    return bool(inputs) and all(all_node_args_have_no_tensors(each, modules, cache) for each in inputs)


def _module_of(node: Any, modules: dict[str, Module]) -> Optional[Module]:
    """The module that a node calls; None where it calls none."""
    return modules.get(node.target) if isinstance(node, Node) and node.op == "call_module" else None


def _erase_unused(graph: Graph, node: Node) -> None:
    """Takes a node out that nobody uses, and then those that only it used; arguments of the graph stay."""
    if node._erased or node.users or node.op in ("placeholder", "output"):
        return
    inputs = node.all_input_nodes
    graph.erase_node(node)
    for each in inputs:
        _erase_unused(graph, each)


def _is_method(node: Any, name: str) -> bool:
    return isinstance(node, Node) and node.op == "call_method" and node.target == name


def _is_shape_question(node: Node) -> bool:
    """Whether a node asks a tensor for its sizes."""
    return _is_method(node, "size") or (
        node.op == "call_function" and node.target is getattr and node.args[1] == "shape"
    )


publish(globals())

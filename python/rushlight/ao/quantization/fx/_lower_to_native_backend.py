"""Replaces dequantizing, an operation on plain numbers and quantizing by an operation on quantized numbers."""

from typing import Any, Optional

import rushlight as torch

from ....fx import GraphModule, Node
from ...._library import publish
from ....nn import Module, ReLU
from ..qconfig import QConfigAny
from . import _lowering_tables as tables
from . import _packed_functions as packing
from .graph_module import _PACKED, QuantizedGraphModule
from .utils import _erase_unused, _is_method, _is_shape_question, _module_of, _set_module

__all__: list[str] = []


def _is_dequantize(node: Any) -> bool:
    return _is_method(node, "dequantize")


def _quantized(argument: Any) -> Any:
    """The quantized tensor behind an argument that is dequantized; lists of them too."""
    if isinstance(argument, (list, tuple)):
        return type(argument)(_quantized(each) for each in argument)
    return argument.args[0] if _is_dequantize(argument) else argument


def _all_dequantized(argument: Any) -> bool:
    """Whether an argument is a dequantized tensor or a list of them."""
    if isinstance(argument, (list, tuple)):
        return bool(argument) and all(map(_all_dequantized, argument))
    return _is_dequantize(argument)


class _Lowering:
    """Lowers one model.

    Attributes:
        model: the model with quantizing and dequantizing.
        modules: its modules by path.
        scopes: the paths of the modules that nodes were recorded in.
        qconfigs: configurations by names of nodes; what has none stays.
    """

    def __init__(self, model: GraphModule, scopes: dict[str, tuple[str, type]], qconfigs: dict[str, QConfigAny]):
        self.model = model
        self.graph = model.graph
        # As they are before any is replaced: of several calls of one the last says its scale.
        self.modules = dict(model.named_modules(remove_duplicate=False))
        self.scopes = scopes
        self.qconfigs = qconfigs

    def run(self) -> None:
        """Lowers everything that can be."""
        for node in list(self.graph.nodes):
            if node._erased:
                continue
            if node.op == "call_function" and node.target is torch.quantize_per_tensor:
                self._before_quantize(node)
            elif node.op == "call_module":
                self._without_quantize(node)
            elif node.op == "call_function" and any(node.target is function for function, _ in tables.DYNAMIC_FUNCTIONS):
                self._dynamic_function(node)
            if not node._erased and _is_shape_question(node) and _is_dequantize(node.args[0]):
                self._take(node, [node.args[0]])

    # What all do: arguments without dequantizing, results without quantizing.

    def _take(self, node: Node, dequantized: list[Any]) -> None:
        """Lets a node have quantized arguments."""
        node.args = tuple(_quantized(argument) for argument in node.args)
        node.kwargs = {name: _quantized(argument) for name, argument in node.kwargs.items()}
        packing.forget(self.model, dequantized)

    def _finish(self, quantize: Node, result: Node, relu: Optional[Node] = None) -> None:
        """Lets a node's result be that of quantizing."""
        inputs = quantize.all_input_nodes
        quantize.replace_all_uses_with(result)
        self.graph.erase_node(quantize)
        for each in ([] if relu is None else [relu]):
            _erase_unused(self.graph, each)
        packing.forget(self.model, [each for each in inputs if each.op == "get_attr"])

    def _is_left_alone(self, node: Node) -> bool:
        return node.name in self.qconfigs and self.qconfigs[node.name] is None

    def _is_relu(self, node: Any) -> bool:
        if not isinstance(node, Node):
            return False
        if node.op == "call_module":
            return type(self.modules[node.target]) is ReLU
        return node.op == "call_function" and node.target in tables.RELU_FUNCTIONS

    def _before_quantize(self, quantize: Node) -> None:
        """Lowers the operation whose result is quantized."""
        operation = quantize.args[0]
        relu = operation if self._is_relu(operation) and len(operation.users) == 1 else None
        inner = operation.args[0] if relu is not None and operation.args else operation
        if not isinstance(inner, Node) or len(inner.users) != 1 or self._is_left_alone(inner) or self._is_left_alone(operation):
            return
        if relu is not None and (self._weighted(quantize, inner, relu) or self._function(quantize, inner, relu)):
            return
        if len(operation.users) == 1 and not (
            relu is None and (self._weighted(quantize, inner, None) or self._function(quantize, inner, None))
        ):
            self._plain(quantize, operation) or self._same(quantize, operation)

    def _numbers(self, quantize: Node) -> tuple[float, int]:
        """The scale and zero point of quantizing."""
        scale, zero_point = (packing._value(each, self.model) for each in quantize.args[1:3])
        return float(scale), int(zero_point)

    # Layers with weights.

    def _lowered(self, module: Module, plain: dict, fused: dict) -> Optional[tuple[type, Module]]:
        """The class that a reference layer becomes, and the layer; None for other modules."""
        if type(module) in fused and type(module[0]) is fused[type(module)][0]:
            return fused[type(module)][1], module[0]
        return (plain[type(module)], module) if type(module) in plain else None

    def _weighted(self, quantize: Node, node: Node, relu: Optional[Node]) -> bool:
        module = _module_of(node, self.modules)
        if module is None or not node.args or not _is_dequantize(node.args[0]):
            return False
        dequantized = node.args[0]
        found = self._lowered(module, tables.STATIC, tables.STATIC_FUSED)
        if found is None:
            return False
        _set_module(self.model, node.target, found[0].from_reference(found[1], *self._numbers(quantize)))
        self._take(node, [dequantized])
        self._finish(quantize, node, relu)
        return True

    def _without_quantize(self, node: Node) -> None:
        """Lowers a layer whose result is not quantized: its input is quantized as it comes, or never."""
        module = self.modules[node.target]
        found = self._lowered(module, tables.WEIGHT_ONLY, {})
        if found is not None:
            _set_module(self.model, node.target, found[0].from_reference(found[1]))
            return
        found = self._lowered(module, tables.DYNAMIC, tables.DYNAMIC_FUSED)
        if found is None or not node.args or not self._is_dynamic(node.args[0]):
            return
        dequantized = node.args[0]
        _set_module(self.model, node.target, found[0].from_reference(found[1]))
        node.args = (dequantized.args[0].args[0], *node.args[1:])
        _erase_unused(self.graph, dequantized)

    def _is_dynamic(self, node: Any) -> bool:
        quantize = node.args[0] if _is_dequantize(node) else None
        is_call = isinstance(quantize, Node) and quantize.op == "call_function"
        return is_call and quantize.target is torch.quantize_per_tensor_dynamic

    # Functions.

    def _prefix(self, node: Node) -> str:
        return self.scopes[node.name][0].replace(".", "_") if node.name in self.scopes else ""

    def _function(self, quantize: Node, node: Node, relu: Optional[Node]) -> bool:
        if node.op != "call_function":
            return False
        if node.target in tables.BINARY:
            return self._binary(quantize, node, relu)
        if node.target not in tables.FUNCTIONS:
            return False
        prepack, alone, with_relu = tables.FUNCTIONS[node.target]
        given = packing.arguments_of(node)
        operator = alone if relu is None else with_relu
        if operator is None or not (_is_dequantize(given["input"]) and _is_dequantize(given["weight"])):
            return False
        if self._is_dynamic(given["input"]):
            return False
        with self.graph.inserting_before(node):
            packed = packing.packed(node, self.model, prepack, self._prefix(node))
        if packed is None:
            return False
        scale, zero_point = quantize.args[1:3]
        node.target = operator
        node.args = (given["input"].args[0], packed, scale, zero_point)
        node.kwargs = {}
        quantize.prepend(node)
        packing.forget(self.model, [given["input"], given["weight"], given["bias"]])
        self._finish(quantize, node, relu)
        return True

    def _dynamic_function(self, node: Node) -> None:
        given = packing.arguments_of(node)
        if not (self._is_dynamic(given["input"]) and _is_dequantize(given["weight"])):
            return
        quantize = given["input"].args[0]
        dtype = torch.float16 if quantize.args[1] == torch.float16 else torch.qint8
        prepack, alone, with_relu = tables.DYNAMIC_FUNCTIONS[node.target, dtype]
        user = next(iter(node.users)) if len(node.users) == 1 else None
        relu = user if self._is_relu(user) else None
        with self.graph.inserting_before(node):
            packed = packing.packed(node, self.model, prepack, self._prefix(node))
        if packed is None:
            return
        reduce_range = () if dtype == torch.float16 else (quantize.args[2],)
        node.target = alone if relu is None else with_relu
        node.args = (quantize.args[0], packed, *reduce_range)
        node.kwargs = {}
        if relu is not None:
            relu.replace_all_uses_with(node)
            self.graph.erase_node(relu)
        packing.forget(self.model, [given["input"], given["weight"], given["bias"]])

    def _binary(self, quantize: Node, node: Node, relu: Optional[Node]) -> bool:
        operator = tables.BINARY[node.target][relu is not None]
        tensors = [each for each in node.args if isinstance(each, Node)]
        if operator is None or not tensors or not all(map(_is_dequantize, tensors)) or len(node.args) != 2:
            return False
        # A tensor and a number give the tensor's scale, changed by the operator itself.
        scale = quantize.args[1:3] if len(tensors) == 2 else ()
        with self.graph.inserting_before(quantize):
            made = self.graph.call_function(operator, (*map(_quantized, node.args), *scale))
        self._finish(quantize, made, relu)
        _erase_unused(self.graph, node)
        return True

    def _plain(self, quantize: Node, node: Node) -> bool:
        """Lowers operations without packed weights that take scale and zero point."""
        if not node.args or not _is_dequantize(node.args[0]):
            return False
        scale, zero_point = quantize.args[1:3]
        module = _module_of(node, self.modules)
        if module is not None:
            kind = tables.PLAIN_MODULES.get(type(module))
            if kind is None:
                return False
            plain = module[0] if isinstance(module, torch.nn.Sequential) else module
            _set_module(self.model, node.target, kind.from_reference(plain, *self._numbers(quantize)))
            self._take(node, [node.args[0]])
            self._finish(quantize, node)
            return True
        if node.op != "call_function" or node.target not in tables.PLAIN_FUNCTIONS:
            return False
        operator, absent = tables.PLAIN_FUNCTIONS[node.target]
        kwargs = {name: value for name, value in node.kwargs.items() if name not in absent}
        kwargs.update(output_scale=scale, output_zero_point=zero_point)
        with self.graph.inserting_before(quantize):
            made = self.graph.call_function(operator, tuple(map(_quantized, node.args)), kwargs)
        self._finish(quantize, made)
        _erase_unused(self.graph, node)
        return True

    def _same(self, quantize: Node, node: Node) -> bool:
        """Lowers operations that are the same on quantized numbers."""
        is_same = (
            node.op == "call_module" and type(self.modules[node.target]) in tables.SAME_MODULES
            or node.op == "call_function" and node.target in tables.SAME_FUNCTIONS
            or node.op == "call_method" and node.target in tables.SAME_METHODS
        )
        if not is_same or not node.args or not _all_dequantized(node.args[0]):
            return False
        self._take(node, node.args[0] if isinstance(node.args[0], (list, tuple)) else [node.args[0]])
        self._finish(quantize, node)
        return True


def _lower_to_native_backend(
    model: GraphModule, node_name_to_scope: dict[str, tuple[str, type]], qconfigs: dict[str, QConfigAny]
) -> GraphModule:
    """A model with operations on quantized numbers."""
    _Lowering(model, node_name_to_scope, qconfigs).run()
    for node in reversed(model.graph.nodes):
        if not node.is_impure():
            _erase_unused(model.graph, node)
    has_packed = any(_PACKED in node.target for node in model.graph.nodes if node.op == "get_attr")
    return (QuantizedGraphModule if has_packed else GraphModule)(model, model.graph)


publish(globals())

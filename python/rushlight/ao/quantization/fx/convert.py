"""Makes quantized models of observed ones: observers become quantizing and dequantizing, layers know how their weights are
quantized; a backend then has operations on quantized numbers for what stands between."""

import copy
import warnings
from typing import Any, Optional, Union

import rushlight as torch

from ....fx import GraphModule, Node
from ...._library import publish
from ....nn import Module
from ..backend_config import BackendConfig, get_native_backend_config
from ..observer import _is_activation_post_process
from ..qconfig import QConfigAny
from ..qconfig_mapping import QConfigMapping
from ..quant_type import QuantType
from ..utils import is_per_channel
from . import _packed_functions, _weighted_modules
from ._lower_to_native_backend import _lower_to_native_backend
from .custom_config import ConvertCustomConfig
from .graph_module import _OBSERVED, _is_observed_module
from .qconfig_mapping_utils import _generate_node_name_to_qconfig, _update_qconfig_for_fusion, _update_qconfig_for_qat
from .utils import ObservedGraphModuleAttrs, _is_method, _module_of, _set_module, create_getattr_from_value

__all__ = ["convert"]

_STATIC = (torch.quint8, torch.qint8, torch.qint32)


def _observer_of(node: Any, modules: dict[str, Module]) -> Optional[Module]:
    found = _module_of(node, modules)
    return found if found is not None and _is_activation_post_process(found) else None


class _Converter:
    """Converts one model.

    Attributes:
        model: the observed model.
        modules: its modules by path.
        known: what preparing left.
        qconfigs: configurations by names of nodes.
    """

    def __init__(self, model: GraphModule, known: ObservedGraphModuleAttrs, qconfigs: dict[str, QConfigAny]):
        self.model = model
        self.graph = model.graph
        self.modules = dict(model.named_modules(remove_duplicate=False))
        self.known = known
        self.qconfigs = qconfigs

    def _prefix(self, observer_call: Node) -> str:
        """How the scale of an observed tensor is called: after the module that made it, or after the first that takes it."""
        named, ending = observer_call.args[0], ""
        if self._has_none(named):
            named, ending = next(iter(observer_call.users)), "_input"
        path = self.known.node_name_to_scope.get(named.name, ("", None))[0]
        return path.replace(".", "_") + ending

    def _has_none(self, node: Node) -> bool:
        """Whether a node's configuration is None; nodes that came later have none that could be."""
        return node.name in self.qconfigs and self.qconfigs[node.name] is None

    def _is_left_alone(self, observer_call: Node) -> bool:
        """Whether neither what is observed nor anything that takes it has a configuration."""
        return all(map(self._has_none, (observer_call.args[0], *observer_call.users)))

    def _replace(self, call: Node, made: Node) -> None:
        call.replace_all_uses_with(made)
        self.graph.erase_node(call)

    def quantize_and_dequantize(self, call: Node, observer: Module) -> None:
        """Puts quantizing and dequantizing in an observer's place; takes away one that is for plain numbers."""
        dtype, observed = observer.dtype, call.args[0]
        is_dynamic = bool(getattr(observer, "is_dynamic", False))
        if not call.users:
            self.graph.erase_node(call)
            return
        if self._is_left_alone(call) or not (is_dynamic or dtype in _STATIC or dtype == torch.float16):
            self._replace(call, observed)
            return
        with self.graph.inserting_before(call):
            if is_dynamic:
                reduce_range = torch.backends.quantized.engine in ("fbgemm", "x86")
                quantized = self.graph.call_function(torch.quantize_per_tensor_dynamic, (observed, dtype, reduce_range))
            elif dtype == torch.float16:
                quantized = self.graph.call_method("to", (observed, torch.float16))
            else:
                quantized = self._quantize(call, observer)
            dequantized = self.graph.call_method("dequantize", (quantized,))
        self._replace(call, dequantized)

    def _quantize(self, call: Node, observer: Module) -> Node:
        observed, prefix = call.args[0], self._prefix(call)
        scale, zero_point = observer.calculate_qparams()
        per_channel = is_per_channel(observer.qscheme)
        if not per_channel:
            scale, zero_point = float(scale), int(zero_point)
        scale = create_getattr_from_value(self.model, self.graph, prefix + "_scale_", scale)
        zero_point = create_getattr_from_value(self.model, self.graph, prefix + "_zero_point_", zero_point)
        if per_channel:
            arguments = (observed, scale, zero_point, int(observer.ch_axis), observer.dtype)
            return self.graph.call_function(torch.quantize_per_channel, arguments)
        return self.graph.call_function(torch.quantize_per_tensor, (observed, scale, zero_point, observer.dtype))

    def observe_weights(self, backend_config: BackendConfig) -> None:
        """Shows the weights of functions to their observers: the model may not have run."""
        for node in self.graph.nodes:
            config = backend_config._pattern_complex_format_to_config.get(node.target) if node.op == "call_function" else None
            if config is None or "weight" not in config._input_type_to_index:
                continue
            weight = _packed_functions.arguments_of(node).get("weight")
            observer = _observer_of(weight, self.modules)
            if observer is None:
                continue
            try:
                observer(_packed_functions._value(weight.args[0], self.model))
            except _packed_functions.NotConstant:
                continue

    def dequantize_inputs(self, quantized: list[int]) -> None:
        """Dequantizes the arguments that are quantized already."""
        for index, node in enumerate(each for each in self.graph.nodes if each.op == "placeholder"):
            if index in quantized and node.users:
                users = list(node.users)
                with self.graph.inserting_after(node):
                    made = self.graph.call_method("dequantize", (node,))
                for user in users:
                    user.replace_input_with(node, made)

    def keep_results_quantized(self, output: Node, quantized: list[int]) -> None:
        """Takes dequantizing away before the results that are to stay quantized."""

        def kept(result: Any) -> Any:
            if isinstance(result, (list, tuple)):
                return type(result)(map(kept, result))
            if isinstance(result, dict):
                return {name: kept(each) for name, each in result.items()}
            return result.args[0] if _is_method(result, "dequantize") else result

        results = output.args[0]
        if isinstance(results, (list, tuple)):
            chosen = (kept(each) if index in quantized else each for index, each in enumerate(results))
            output.args = (type(results)(chosen),)
        elif 0 in quantized:
            output.args = (kept(results),)

    def convert_custom(self, node: Node, quantized: type) -> None:
        """Puts the module that an observed one knows to become in its place; it takes and gives quantized tensors, and finds
        the observer of its result as ``activation_post_process``."""
        module = self.modules[node.target]
        call = next((user for user in node.users if _observer_of(user, self.modules) is not None), None)
        if call is not None:
            module.activation_post_process = self.modules[call.target]
        self.modules[node.target] = made = quantized.from_observed(module)
        _set_module(self.model, node.target, made)
        node.args = tuple(each.args[0] if _is_method(each, "dequantize") else each for each in node.args)
        if call is not None:
            with self.graph.inserting_before(call):
                dequantized = self.graph.call_method("dequantize", (node,))
            self._replace(call, dequantized)


def _without_dead_code(model: GraphModule) -> GraphModule:
    model.graph.eliminate_dead_code()
    return GraphModule(model, model.graph)


def _qconfigs(model, known, qconfig_mapping, backend_config) -> dict[str, QConfigAny]:
    """The configurations of nodes: those of preparing, or those of another mapping, which may only leave more alone."""
    if qconfig_mapping is None:
        return known.node_name_to_qconfig
    mapping = QConfigMapping.from_dict(qconfig_mapping) if isinstance(qconfig_mapping, dict) else copy.deepcopy(qconfig_mapping)
    modules = dict(model.named_modules(remove_duplicate=False))
    if known.is_qat:
        _update_qconfig_for_qat(mapping, backend_config)
    _update_qconfig_for_fusion(model.graph, modules, mapping, backend_config)
    wanted = _generate_node_name_to_qconfig(model.graph, modules, mapping, known.node_name_to_scope)
    for name, qconfig in known.node_name_to_qconfig.items():
        if name not in wanted:
            raise AssertionError(f"Expected key {name} in convert node_name_to_qconfig")
    return {
        name: qconfig if known.node_name_to_qconfig.get(name) is not None else None for name, qconfig in wanted.items()
    }


def convert(
    model: GraphModule,
    is_reference: bool = False,
    convert_custom_config: Union[ConvertCustomConfig, dict[str, Any], None] = None,
    is_standalone_module: bool = False,
    _remove_qconfig_flag: bool = True,
    qconfig_mapping: Union[QConfigMapping, dict[str, Any], None] = None,
    backend_config: Union[BackendConfig, dict[str, Any], None] = None,
    is_decomposed: bool = False,
    keep_original_weights: bool = False,
) -> GraphModule:
    """The quantized model of an observed one.

    Args:
        model: what preparing gave, after it saw example inputs.
        is_reference: leaves quantizing and dequantizing around operations on plain numbers.
        convert_custom_config: what else is said of converting.
        is_standalone_module: not supported here.
        _remove_qconfig_flag: takes the configurations of modules away.
        qconfig_mapping: configurations, of which those that are None leave parts alone.
        backend_config: what can be quantized.
        is_decomposed: not supported here.
        keep_original_weights: not supported here.
    """
    for name, given in (
        ("is_standalone_module", is_standalone_module), ("is_decomposed", is_decomposed),
        ("keep_original_weights", keep_original_weights),
    ):
        if given:
            raise NotImplementedError(f"convert_fx: {name}=True is not supported by Rushlight")
    custom = convert_custom_config or ConvertCustomConfig()
    if isinstance(custom, dict):
        warnings.warn(
            "Passing a convert_custom_config_dict to convert is deprecated and will not be supported in a future version. "
            "Please pass in a ConvertCustomConfig instead.",
            FutureWarning,
            stacklevel=3,
        )
        custom = ConvertCustomConfig.from_dict(custom)
    if isinstance(backend_config, dict):
        backend_config = BackendConfig.from_dict(backend_config)
    backend_config = backend_config or get_native_backend_config()
    if not _is_observed_module(model):
        raise AssertionError("incoming model must be produced by prepare_fx")
    known: ObservedGraphModuleAttrs = model.meta[_OBSERVED]
    qconfigs = _qconfigs(model, known, qconfig_mapping, backend_config)
    converter = _Converter(model, known, qconfigs)
    prepared = known.prepare_custom_config
    converter.observe_weights(backend_config)
    converter.dequantize_inputs(prepared.input_quantized_indexes)
    classes = custom.observed_to_quantized_mapping.get(QuantType.STATIC, {})
    done: set[str] = set()
    for node in list(model.graph.nodes):
        if node._erased:
            continue
        observer = _observer_of(node, converter.modules)
        if node.op == "output":
            converter.keep_results_quantized(node, prepared.output_quantized_indexes)
        elif observer is not None:
            converter.quantize_and_dequantize(node, observer)
        elif node.op == "call_module" and type(converter.modules[node.target]) in classes:
            converter.convert_custom(node, classes[type(converter.modules[node.target])])
        elif node.op == "call_module" and node.target not in done:
            done.add(node.target)
            qconfig = qconfigs.get(node.name)
            if qconfig is not None:
                _weighted_modules.convert(model, converter.modules, node.target, qconfig, backend_config)
    model = _without_dead_code(model)
    if not is_reference:
        model = _lower_to_native_backend(model, known.node_name_to_scope, qconfigs)
    if _remove_qconfig_flag:
        for module in model.modules():
            module.__dict__.pop("qconfig", None)
    model.meta.pop(_OBSERVED, None)
    return model


publish(globals())

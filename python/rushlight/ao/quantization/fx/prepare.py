"""Puts observers into recorded models."""

import copy
import warnings
from typing import Any, Callable, Optional, Union

import rushlight as torch

from ....fx import GraphModule, Node
from ...._library import publish
from ....nn import Module
from ..backend_config import BackendConfig, get_native_backend_config
from ..backend_config.utils import get_module_to_qat_module
from ..observer import _is_activation_post_process
from ..qconfig import QConfigAny
from ..qconfig_mapping import QConfigMapping
from ..quant_type import QuantType
from ._annotations import Annotation, annotate, dtype_of
from .custom_config import PrepareCustomConfig
from .graph_module import _OBSERVED
from .qconfig_mapping_utils import _generate_node_name_to_qconfig, _update_qconfig_for_fusion, _update_qconfig_for_qat
from .utils import (
    ObservedGraphModuleAttrs,
    _module_of,
    _set_module,
    all_node_args_have_no_tensors,
    get_custom_module_class_keys,
    get_new_attr_name_with_prefix,
)

__all__ = ["prepare"]

_new_name = get_new_attr_name_with_prefix("activation_post_process_")


class _Inserter:
    """Puts observers into one model.

    Attributes:
        model: the recorded model.
        modules: its modules by path, observers too.
        annotations: what is to happen around every node.
    """

    def __init__(self, model: GraphModule, modules: dict[str, Module], annotations: dict[Node, Annotation]):
        self.model = model
        self.modules = modules
        self.annotations = annotations
        self.tensorless: dict[Node, bool] = {}

    def observer(self, node: Any) -> Optional[Module]:
        """The observer that a node is a call of."""
        found = _module_of(node, self.modules)
        return found if found is not None and _is_activation_post_process(found) else None

    def insert(self, after: Node, make: Callable) -> Node:
        """A call of a new observer on the result of a node, right after it."""
        observer, name = make(), _new_name(self.model)
        setattr(self.model, name, observer)
        self.modules[name] = observer
        with self.model.graph.inserting_after(after):
            return self.model.graph.call_module(name, (after,))

    def _result(self, node: Node) -> tuple[Any, bool]:
        """The dtype of what a node gives, and whether its scale is its own."""
        observer = self.observer(node)
        if observer is not None:
            return dtype_of(observer)
        known = self.annotations.get(node)
        return (torch.float if known is None else known.output_dtype), False

    def _observed(self, argument: Any, make: Optional[Callable]) -> Any:
        """An argument, observed where it is to be: by an observer that is there, or by a new one."""
        if isinstance(argument, (list, tuple)):
            return type(argument)(self._observed(each, make) for each in argument)
        if not isinstance(argument, Node) or make is None:
            return argument
        if all_node_args_have_no_tensors(argument, self.modules, self.tensorless):
            return argument
        wanted = dtype_of(make())
        if wanted[0] == torch.float or self._result(argument) == wanted:
            return argument
        for user in argument.users:
            observer = self.observer(user)
            if observer is not None and dtype_of(observer) == wanted:
                return user
        return self.insert(argument, make)

    def _maker(self, known: Annotation, index: Optional[int], name: Optional[str]) -> Optional[Callable]:
        """What observes an argument: the weight is observed as such, the bias is not."""
        if known.weight_index is not None and (index == known.weight_index or name == "weight"):
            return known.weight
        if known.bias_index is not None and (index == known.bias_index or name == "bias"):
            return None
        return known.input

    def observe_inputs(self, node: Node) -> None:
        """Observes what goes into a node; of layers with a state only the first argument."""
        known = self.annotations[node]
        is_recurrent = isinstance(_module_of(node, self.modules), (torch.nn.RNNBase, torch.nn.RNNCellBase))
        args = [
            argument if is_recurrent and index else self._observed(argument, self._maker(known, index, None))
            for index, argument in enumerate(node.args)
        ]
        kwargs = {
            name: self._observed(argument, self._maker(known, None, name))
            for name, argument in node.kwargs.items()
        }
        node.args, node.kwargs = tuple(args), kwargs

    def observe_output(self, node: Node) -> None:
        """Observes what a node gives, by the observer of its first argument where they share it."""
        known = self.annotations[node]
        if known.output is None or all_node_args_have_no_tensors(node, self.modules, self.tensorless):
            return
        if known.shares is not None and not known.shares.args:
            return
        users = list(node.users)
        made = self.insert(node, known.output)
        for user in users:
            user.replace_input_with(node, made)
        if known.shares is not None and not self._share(known.shares, made) and known.reuses:
            made.replace_all_uses_with(node)
            self.model.graph.erase_node(made)

    def _share(self, node: Node, made: Node) -> bool:
        """Lets all arguments of a node, and a result, have the observer of the first argument; whether there is one."""
        parts = next((each for each in node.args if isinstance(each, (Node, list, tuple))), None)
        parts = [parts] if isinstance(parts, Node) else list(parts or ())
        calls = [each for each in parts if self.observer(each) is not None]
        if not calls or calls[0] is not parts[0]:
            return False
        shared = self.observer(calls[0])
        for call in [*calls[1:], made]:
            _set_module(self.model, call.target, shared)
            self.modules[call.target] = shared
        return True


def _check(prepare_custom_config: PrepareCustomConfig, equalization: Any) -> None:
    """Refuses what is not supported here."""
    alone = [*prepare_custom_config.standalone_module_names, *prepare_custom_config.standalone_module_classes]
    if alone:
        raise NotImplementedError(
            f"prepare_fx: standalone modules ({', '.join(map(str, alone))}) are not supported by Rushlight: "
            "prepare and convert the module by itself, and put the result in its place"
        )
    for kind in get_custom_module_class_keys(prepare_custom_config.float_to_observed_mapping):
        if issubclass(kind, (torch.nn.RNNBase, torch.nn.MultiheadAttention)):
            raise NotImplementedError(
                f"prepare_fx: observed modules for {kind.__name__} are not supported by Rushlight; those of other classes are"
            )
    rules = equalization.to_dict() if isinstance(equalization, QConfigMapping) else equalization
    if rules and any(rules.values()):
        raise NotImplementedError("prepare_fx: _equalization_config is not supported by Rushlight")


def _swap_for_training(model: GraphModule, modules: dict[str, Module], backend_config: BackendConfig) -> None:
    """Puts modules that train with rounded weights in the places of plain ones that have configurations."""
    classes = get_module_to_qat_module(backend_config)
    for path in dict.fromkeys(node.target for node in model.graph.nodes if node.op == "call_module"):
        qat, qconfig = classes.get(type(modules[path])), getattr(modules[path], "qconfig", None)
        if qat is not None and qconfig is not None:
            for part in modules[path].children():
                part.qconfig = qconfig
            modules[path] = qat.from_float(modules[path])
            _set_module(model, path, modules[path])


def _swap_custom(
    model: GraphModule,
    modules: dict[str, Module],
    qconfigs: dict[str, QConfigAny],
    custom: PrepareCustomConfig,
    annotations: dict[Node, Annotation],
) -> None:
    """Puts modules that know how they are observed in the places of those that become them; what goes in and comes out of
    them is observed too."""
    classes = custom.float_to_observed_mapping.get(QuantType.STATIC, {})
    for node in model.graph.nodes:
        observed = classes.get(type(modules[node.target])) if node.op == "call_module" else None
        if observed is None or qconfigs[node.name] is None:
            continue
        modules[node.target] = observed.from_float(modules[node.target])
        _set_module(model, node.target, modules[node.target])
        activation = qconfigs[node.name].activation
        annotations[node] = Annotation(activation, output=activation, output_dtype=dtype_of(activation())[0])


def prepare(
    model: GraphModule,
    qconfig_mapping: Union[QConfigMapping, dict[str, Any]],
    is_qat: bool,
    node_name_to_scope: dict[str, tuple[str, type]],
    example_inputs: tuple[Any, ...],
    prepare_custom_config: Union[PrepareCustomConfig, dict[str, Any], None] = None,
    _equalization_config: Union[QConfigMapping, dict[str, Any], None] = None,
    backend_config: Union[BackendConfig, dict[str, Any], None] = None,
    is_standalone_module: bool = False,
) -> GraphModule:
    """A recorded model with observers.

    Args:
        model: the recorded model, with modules fused.
        qconfig_mapping: the configurations of its parts.
        is_qat: whether it is to be trained.
        node_name_to_scope: the path and the class of the module that every node was recorded in.
        example_inputs: not looked at here.
        prepare_custom_config: what else is said of preparing.
        _equalization_config: not supported here.
        backend_config: what can be quantized.
        is_standalone_module: not supported here.
    """
    custom = prepare_custom_config or PrepareCustomConfig()
    if isinstance(custom, dict):
        warnings.warn(
            "Passing a prepare_custom_config_dict to prepare is deprecated and will not be supported in a future version. "
            "Please pass in a PrepareCustomConfig instead.",
            FutureWarning,
            stacklevel=3,
        )
        custom = PrepareCustomConfig.from_dict(custom)
    if isinstance(qconfig_mapping, dict):
        warnings.warn(
            "Passing a QConfig dictionary to prepare is deprecated and will not be supported in a future version. "
            "Please pass in a QConfigMapping instead.",
            FutureWarning,
            stacklevel=3,
        )
        qconfig_mapping = QConfigMapping.from_dict(qconfig_mapping)
    if isinstance(backend_config, dict):
        backend_config = BackendConfig.from_dict(backend_config)
    if not isinstance(qconfig_mapping, QConfigMapping):
        raise AssertionError("qconfig_mapping must be a QConfigMapping")
    _check(custom, _equalization_config)
    backend_config = backend_config or get_native_backend_config()
    qconfig_mapping = copy.deepcopy(qconfig_mapping)
    modules = dict(model.named_modules(remove_duplicate=False))
    _update_qconfig_for_fusion(model.graph, modules, qconfig_mapping, backend_config)
    if is_qat:
        _update_qconfig_for_qat(qconfig_mapping, backend_config)
    qconfigs = _generate_node_name_to_qconfig(model.graph, modules, qconfig_mapping, node_name_to_scope)
    if is_qat:
        _swap_for_training(model, modules, backend_config)
    annotations, observed = annotate(model, modules, qconfigs, backend_config, custom.input_quantized_indexes)
    _swap_custom(model, modules, qconfigs, custom, annotations)
    inserter = _Inserter(model, modules, annotations)
    for node in list(model.graph.nodes):
        if node.op not in ("placeholder", "output"):
            inserter.observe_inputs(node)
            inserter.observe_output(node)
    made = GraphModule(model, model.graph)
    made.meta[_OBSERVED] = ObservedGraphModuleAttrs(
        node_name_to_qconfig=qconfigs,
        node_name_to_scope=node_name_to_scope,
        prepare_custom_config=custom,
        equalization_node_name_to_qconfig={},
        qconfig_mapping=qconfig_mapping,
        is_qat=is_qat,
        observed_node_names=observed,
        is_observed_standalone_module=is_standalone_module,
    )
    return made


publish(globals())

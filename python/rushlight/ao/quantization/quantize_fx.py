"""Quantization of recorded models: observers where tensors are to be quantized, then operations on quantized numbers."""

import warnings
from typing import Any, Optional, Union

from ...fx import GraphModule
from ...fx.graph_module import _USER_PRESERVED_ATTRIBUTES_KEY
from ..._library import publish
from ...nn import Module
from ..nn.intrinsic import _FusedModule
from ..nn.quantized import FloatFunctional, FXFloatFunctional
from .backend_config import BackendConfig
from .fx.convert import convert
from .fx.custom_config import ConvertCustomConfig, FuseCustomConfig, PrepareCustomConfig
from .fx.fuse import fuse
from .fx.graph_module import ObservedGraphModule  # noqa: F401
from .fx.prepare import prepare
from .fx.tracer import QuantizationTracer, Scope, ScopeContextManager  # noqa: F401
from .fx.utils import get_custom_module_class_keys, get_skipped_module_name_and_classes  # noqa: F401
from .qconfig_mapping import QConfigMapping
from .utils import deprecated

__all__ = ["fuse_fx", "prepare_fx", "prepare_qat_fx", "convert_fx", "convert_to_reference_fx", "attach_preserved_attrs_to_model"]

_Mapping = Union[QConfigMapping, dict[str, Any]]
_Backend = Union[BackendConfig, dict[str, Any], None]
_Prepare = Union[PrepareCustomConfig, dict[str, Any], None]
_Convert = Union[ConvertCustomConfig, dict[str, Any], None]
_Fuse = Union[FuseCustomConfig, dict[str, Any], None]


def attach_preserved_attrs_to_model(model: Module, preserved_attrs: dict[str, Any]) -> None:
    """Gives a model attributes that copies of it have too."""
    model.meta[_USER_PRESERVED_ATTRIBUTES_KEY] = dict(preserved_attrs)
    for name, value in model.meta[_USER_PRESERVED_ATTRIBUTES_KEY].items():
        setattr(model, name, value)


def _check_is_graph_module(model: Module) -> None:
    """Refuses what was not recorded."""
    if not isinstance(model, GraphModule):
        raise ValueError(
            f"input model must be a GraphModule, Got type:{type(model)} Please make sure to follow the tutorials."
        )


def _swap_ff_with_fxff(model: Module) -> None:
    """Puts operations that nothing observes in the places of those that observe themselves."""
    for name, module in model.named_children():
        if isinstance(module, FloatFunctional):
            setattr(model, name, FXFloatFunctional())
        elif not isinstance(module, _FusedModule):
            _swap_ff_with_fxff(module)


def _preserved(model: Module, names: list[str]) -> dict[str, Any]:
    """The attributes of a model that are to stay."""
    return {name: getattr(model, name) for name in names if hasattr(model, name)}


def _recorded(model: Module, custom: PrepareCustomConfig) -> tuple[GraphModule, dict[str, tuple[str, type]]]:
    """A recorded model, and where its nodes were recorded."""
    names, classes = get_skipped_module_name_and_classes(custom, False)
    tracer = QuantizationTracer(names, classes)
    graph = tracer.trace(model)
    # Loading a pickled model records its code, with a plain tracer.
    graph._tracer_cls = None
    return GraphModule(model, graph), tracer.node_name_to_scope


def _prepare_fx(
    model: Module,
    qconfig_mapping: _Mapping,
    is_qat: bool,
    example_inputs: tuple[Any, ...],
    prepare_custom_config: _Prepare = None,
    _equalization_config: Optional[_Mapping] = None,
    backend_config: _Backend = None,
    is_standalone_module: bool = False,
) -> GraphModule:
    given = prepare_custom_config
    custom = PrepareCustomConfig() if given is None else given
    if isinstance(custom, dict):
        custom = PrepareCustomConfig.from_dict(custom)
    _swap_ff_with_fxff(model)
    preserved = _preserved(model, custom.preserved_attributes)
    graph_module, scopes = _recorded(model, custom)
    graph_module = _fuse_fx(graph_module, is_qat, None, backend_config)
    prepared = prepare(
        graph_module, qconfig_mapping, is_qat, scopes, example_inputs, given, _equalization_config, backend_config,
        is_standalone_module,
    )
    attach_preserved_attrs_to_model(prepared, preserved)
    return prepared


def _fuse_fx(
    model: GraphModule, is_qat: bool, fuse_custom_config: _Fuse = None, backend_config: _Backend = None
) -> GraphModule:
    _check_is_graph_module(model)
    return fuse(model, is_qat, fuse_custom_config, backend_config)


def fuse_fx(model: Module, fuse_custom_config: _Fuse = None, backend_config: _Backend = None) -> GraphModule:
    """A recorded model where sequences of modules are one.

    Args:
        model: the model, in evaluation mode.
        fuse_custom_config: attributes of the model that are to stay.
        backend_config: which sequences there are; else those of the native backend.
    """
    custom = FuseCustomConfig() if fuse_custom_config is None else fuse_custom_config
    if isinstance(custom, dict):
        warnings.warn(
            "Passing a fuse_custom_config_dict to fuse is deprecated and will not be supported in a future version. "
            "Please pass in a FuseCustomConfig instead.",
            FutureWarning,
            stacklevel=2,
        )
        custom = FuseCustomConfig.from_dict(custom)
    preserved = _preserved(model, custom.preserved_attributes)
    from ...fx import symbolic_trace

    made = _fuse_fx(symbolic_trace(model), False, custom, backend_config)
    attach_preserved_attrs_to_model(made, preserved)
    return made


@deprecated
def prepare_fx(
    model: Module,
    qconfig_mapping: _Mapping,
    example_inputs: tuple[Any, ...],
    prepare_custom_config: _Prepare = None,
    _equalization_config: Optional[_Mapping] = None,
    backend_config: _Backend = None,
) -> GraphModule:
    """A recorded model with observers, for looking at the numbers of example inputs.

    Args:
        model: the model, in evaluation mode; its modules become those of the result.
        qconfig_mapping: the configurations of its parts.
        example_inputs: arguments of the model.
        prepare_custom_config: modules that are not looked into, attributes that stay, and what is quantized already.
        _equalization_config: not supported here.
        backend_config: what can be quantized; else what the native backend does.

    Raises:
        NotImplementedError: standalone modules or equalization are asked for.
    """
    return _prepare_fx(
        model, qconfig_mapping, False, example_inputs, prepare_custom_config, _equalization_config, backend_config
    )


@deprecated
def prepare_qat_fx(
    model: Module,
    qconfig_mapping: _Mapping,
    example_inputs: tuple[Any, ...],
    prepare_custom_config: _Prepare = None,
    backend_config: _Backend = None,
) -> GraphModule:
    """A recorded model that trains with numbers rounded as they will be quantized. Arguments as :func:`prepare_fx`; the
    model is in training mode."""
    return _prepare_fx(model, qconfig_mapping, True, example_inputs, prepare_custom_config, backend_config=backend_config)


def _convert_fx(
    graph_module: GraphModule,
    is_reference: bool,
    convert_custom_config: _Convert = None,
    is_standalone_module: bool = False,
    _remove_qconfig: bool = True,
    qconfig_mapping: Optional[_Mapping] = None,
    backend_config: _Backend = None,
    is_decomposed: bool = False,
    keep_original_weights: bool = False,
) -> GraphModule:
    custom = ConvertCustomConfig() if convert_custom_config is None else convert_custom_config
    if isinstance(custom, dict):
        warnings.warn(
            "Passing a convert_custom_config_dict to convert is deprecated and will not be supported in a future version. "
            "Please pass in a ConvertCustomConfig instead.",
            FutureWarning,
            stacklevel=3,
        )
        custom = ConvertCustomConfig.from_dict(custom)
    _check_is_graph_module(graph_module)
    preserved = _preserved(graph_module, custom.preserved_attributes)
    made = convert(
        graph_module, is_reference, custom, is_standalone_module, _remove_qconfig, qconfig_mapping, backend_config,
        is_decomposed, keep_original_weights,
    )
    attach_preserved_attrs_to_model(made, preserved)
    return made


@deprecated
def convert_fx(
    graph_module: GraphModule,
    convert_custom_config: _Convert = None,
    _remove_qconfig: bool = True,
    qconfig_mapping: Optional[_Mapping] = None,
    backend_config: _Backend = None,
    keep_original_weights: bool = False,
) -> GraphModule:
    """The quantized model of one with observers.

    Args:
        graph_module: what :func:`prepare_fx` or :func:`prepare_qat_fx` gave; it is changed.
        convert_custom_config: attributes that stay, and classes of modules that know how they are quantized.
        _remove_qconfig: takes the configurations of modules away.
        qconfig_mapping: a mapping whose configurations that are None leave parts alone.
        backend_config: what can be quantized; else what the native backend does.
        keep_original_weights: not supported here.

    Raises:
        ValueError: the model was not recorded.
        AssertionError: it was not prepared.
    """
    return _convert_fx(
        graph_module, False, convert_custom_config, False, _remove_qconfig, qconfig_mapping, backend_config,
        keep_original_weights=keep_original_weights,
    )


def convert_to_reference_fx(
    graph_module: GraphModule,
    convert_custom_config: _Convert = None,
    _remove_qconfig: bool = True,
    qconfig_mapping: Optional[_Mapping] = None,
    backend_config: _Backend = None,
) -> GraphModule:
    """As :func:`convert_fx`, for other backends: computes with plain numbers, quantized and dequantized between operations."""
    return _convert_fx(
        graph_module, True, convert_custom_config, False, _remove_qconfig, qconfig_mapping, backend_config
    )


def _convert_to_reference_decomposed_fx(
    graph_module: GraphModule,
    convert_custom_config: _Convert = None,
    qconfig_mapping: Optional[_Mapping] = None,
    backend_config: _Backend = None,
) -> GraphModule:
    """Raises: operators that quantize to plain integers are not there."""
    return _convert_fx(
        graph_module, True, convert_custom_config, False, True, qconfig_mapping, backend_config, is_decomposed=True
    )


publish(globals())

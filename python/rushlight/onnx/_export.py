"""``torch.onnx.export``: programs as ONNX models, by one run on example inputs."""

import contextlib
import os

from .. import _rushlight
from .._rushlight import ScriptFunction, Tensor
from ..backends import mha
from ..jit._script_module import ScriptModule
from ..jit._trace import _get_trace_graph, _tables_of
from ..nn.modules.module import Module
from . import errors
from ._enums import OperatorExportTypes, TrainingMode

# The version of ONNX's operators where none is asked for.
DEFAULT_OPSET = 20

_UNSUPPORTED = "Exporting the operator '"

_exporting = False


def is_in_onnx_export():
    """Whether a model is being exported."""
    return _exporting


@contextlib.contextmanager
def _export_goes_on():
    global _exporting
    before, _exporting = _exporting, True
    # ONNX has no attention as one operator.
    at_once = mha.get_fastpath_enabled()
    mha.set_fastpath_enabled(False)
    try:
        yield
    finally:
        _exporting = before
        mha.set_fastpath_enabled(at_once)


@contextlib.contextmanager
def select_model_mode_for_export(model, mode):
    """Puts a model into the mode it is exported in, for a while."""
    if not isinstance(mode, TrainingMode):
        raise TypeError(f"unsupported training mode: {mode}")
    # Frozen modules have no mode any more.
    modules = [module for module in model.modules() if hasattr(module, "training")] if isinstance(model, Module) else []
    before = [module.training for module in modules]
    try:
        if mode is not TrainingMode.PRESERVE:
            for module in modules:
                module.training = mode is TrainingMode.TRAINING
        yield
    finally:
        if mode is not TrainingMode.PRESERVE:
            for module, training in zip(modules, before):
                if module.training != training:
                    module.training = training


def _split_arguments(args, kwargs):
    """Positional and named arguments: a dict at the end of the positional ones holds named ones."""
    if isinstance(args, (Tensor, int, float, bool)):
        args = (args,)
    args, kwargs = tuple(args), dict(kwargs or {})
    if args and isinstance(args[-1], dict):
        kwargs = {**args[-1], **kwargs}
        args = args[:-1]
    return args, kwargs


def _bound(model, args, kwargs):
    """All arguments by position."""
    if not kwargs:
        return args
    schema = model.forward.schema if isinstance(model, ScriptModule) else model.schema
    formal = [argument for argument in schema.arguments if argument.name != "self"]
    values = list(args)
    for argument in formal[len(args) :]:
        if argument.name in kwargs:
            values.append(kwargs[argument.name])
        elif argument.has_default_value():
            values.append(argument.default_value)
    return tuple(values)


def _with_defaults(model, args):
    schema = model.forward.schema if isinstance(model, ScriptModule) else model.schema
    formal = [argument for argument in schema.arguments if argument.name != "self"]
    return (*args, *(argument.default_value for argument in formal[len(args) :] if argument.has_default_value()))


def _scopes(model):
    """Where each module stands, as names of nodes tell it."""
    places = {}

    def visit(module, path, name):
        places.setdefault(id(module), path or "/")
        for key, child in module._modules.items():
            if child is None:
                continue
            own = f"{name}.{key}" if key.isdigit() and name else key
            # Lists of modules are not called, so nodes are not in them.
            is_called = type(child).forward is not Module.forward
            visit(child, f"{path}/{own}" if is_called else path, own)

    visit(model, "", "")
    return places


class _Flat:
    """Arguments taken apart into tensors, and put together again."""

    def __init__(self, args, kwargs):
        self.tensors = []
        self.args = tuple(self._take(value) for value in args)
        self.kwargs = {name: self._take(value) for name, value in kwargs.items()}

    def _take(self, value):
        if isinstance(value, Tensor):
            self.tensors.append(value)
            return lambda tensors, at=len(self.tensors) - 1: tensors[at]
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            parts = [self._take(part) for part in value]
            return lambda tensors: type(value)(*(part(tensors) for part in parts))
        if isinstance(value, (tuple, list)):
            parts = [self._take(part) for part in value]
            return lambda tensors: type(value)(part(tensors) for part in parts)
        if isinstance(value, dict):
            parts = {key: self._take(part) for key, part in value.items()}
            return lambda tensors: {key: part(tensors) for key, part in parts.items()}
        return lambda tensors: value

    def call(self, function, tensors):
        named = {name: value(tensors) for name, value in self.kwargs.items()}
        return function(*(value(tensors) for value in self.args), **named)


class _Caller(Module):
    """A model that is called with tensors alone."""

    def __init__(self, model, flat):
        super().__init__()
        self.model = model
        self.flat = flat

    def forward(self, *tensors):
        return self.flat.call(self.model, tensors)


def _traced(model, args, kwargs):
    """The graph of a trace and what it is called with."""
    flat = _Flat(args, kwargs)
    plain = not kwargs and len(flat.tensors) == len(args) and all(isinstance(value, Tensor) for value in args)
    caller = model if plain else _Caller(model, flat)
    state = _tables_of(caller)
    names = {id(tensor): name for name, tensor in (*model.named_buffers(), *model.named_parameters())}
    tensors = [table[name] for (table, name), *_ in state]
    named = [(names[id(tensor)], tensor) for tensor in tensors]
    from ..autograd.function import taken_apart

    with taken_apart():
        graph, _ = _get_trace_graph(caller, tuple(flat.tensors), strict=False, _scopes=_scopes(model))
    return graph, list(flat.tensors), named


def _axes(dynamic_axes, dynamic_shapes, input_names):
    """Axes that vary as (name, [(axis, what it is called)])."""
    if dynamic_shapes is not None and dynamic_axes is None:
        raise NotImplementedError("torch.onnx.export: dynamic_shapes is not supported; name the axes with dynamic_axes")
    out = []
    for name, axes in (dynamic_axes or {}).items():
        pairs = axes.items() if isinstance(axes, dict) else [(axis, None) for axis in axes]
        out.append((name, [(int(axis), None if called is None else str(called)) for axis, called in pairs]))
    return out


def export_bytes(
    model,
    args=(),
    *,
    kwargs=None,
    export_params=True,
    training=TrainingMode.EVAL,
    input_names=None,
    output_names=None,
    opset_version=None,
    do_constant_folding=True,
    dynamic_axes=None,
    dynamic_shapes=None,
    keep_initializers_as_inputs=None,
    custom_opsets=None,
):
    """The bytes of the model."""
    args, kwargs = _split_arguments(args, kwargs)
    settings = {
        "opset": DEFAULT_OPSET if opset_version is None else int(opset_version),
        "fold": bool(do_constant_folding) and training is not TrainingMode.TRAINING,
        "export_params": bool(export_params),
        "initializers_as_inputs": bool(keep_initializers_as_inputs),
        "inference": training is TrainingMode.EVAL,
        "input_names": list(input_names or ()),
        "output_names": list(output_names or ()),
        "dynamic_axes": _axes(dynamic_axes, dynamic_shapes, input_names),
        "custom_opsets": list((custom_opsets or {}).items()),
    }
    with _export_goes_on(), select_model_mode_for_export(model, training):
        before = _rushlight.set_grad_enabled(False)
        try:
            if isinstance(model, ScriptModule):
                graph = model.forward.graph
                values = _with_defaults(model, _bound(model, args, kwargs))
                named = [*model.named_parameters(), *model.named_buffers()]
                return _written(graph, model._c, list(values), named, settings)
            if isinstance(model, ScriptFunction):
                values = _with_defaults(model, _bound(model, args, kwargs))
                return _written(model.graph, None, list(values), [], settings)
            if not isinstance(model, Module):
                # What is no module fails where its parts are asked for.
                model.modules()
                raise TypeError(f"torch.onnx.export takes modules and scripted functions, not {type(model).__name__}")
            graph, values, named = _traced(model, args, kwargs)
            return _written(graph, None, values, named, settings)
        finally:
            _rushlight.set_grad_enabled(before)


def _written(graph, inner, values, named, settings):
    try:
        return _rushlight.export_onnx(graph, inner, values, named, settings)
    except NotImplementedError as error:
        text = str(error)
        if not text.startswith(_UNSUPPORTED):
            raise
        name = text[len(_UNSUPPORTED) :].partition("'")[0]
        raise errors.UnsupportedOperatorError(name, settings["opset"]) from None


def export(
    model,
    args=(),
    f=None,
    *,
    kwargs=None,
    verbose=None,
    input_names=None,
    output_names=None,
    opset_version=None,
    dynamo=True,
    external_data=True,
    dynamic_shapes=None,
    custom_translation_table=None,
    report=False,
    optimize=True,
    verify=False,
    profile=False,
    dump_exported_program=False,
    artifacts_dir=".",
    export_params=True,
    keep_initializers_as_inputs=False,
    dynamic_axes=None,
    training=TrainingMode.EVAL,
    operator_export_type=OperatorExportTypes.ONNX,
    do_constant_folding=True,
    custom_opsets=None,
    export_modules_as_functions=False,
    autograd_inlining=True,
):
    """Writes a model as ONNX to a path or a file object. Both values of ``dynamo`` give the same model."""
    if operator_export_type is not OperatorExportTypes.ONNX:
        raise NotImplementedError("torch.onnx.export: models have operators of ONNX only; operator_export_type must be ONNX")
    if export_modules_as_functions:
        raise NotImplementedError("torch.onnx.export: modules do not become functions of ONNX")
    if custom_translation_table:
        raise NotImplementedError("torch.onnx.export: custom_translation_table is not supported")
    if f is None:
        raise NotImplementedError("torch.onnx.export: name a file or give a file object; there is no ONNXProgram here")
    data = export_bytes(
        model,
        args,
        kwargs=kwargs,
        export_params=export_params,
        training=training,
        input_names=input_names,
        output_names=output_names,
        opset_version=opset_version,
        do_constant_folding=do_constant_folding,
        dynamic_axes=dynamic_axes,
        dynamic_shapes=dynamic_shapes,
        keep_initializers_as_inputs=keep_initializers_as_inputs,
        custom_opsets=custom_opsets,
    )
    if hasattr(f, "write"):
        f.write(data)
        return None
    with open(os.fspath(f), "wb") as file:
        file.write(data)
    return None

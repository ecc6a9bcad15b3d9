"""``torch.jit.trace``: running a program once and keeping its operator calls as a graph."""

import contextlib
import functools
import sys
import types
import warnings

from .. import _rushlight
from .._rushlight import ScriptFunction, Tensor
from ..nn.modules import _hooks
from ..nn.modules.module import Module
from ..nn.parameter import is_lazy
from . import _trace_check
from ._notices import announce, optimize_has_no_effect
from ._concrete import class_facts, for_trace
from ._script_module import RecursiveScriptModule, ScriptModule, _adopt, wrap
from . import _state
from ._state import _enabled
from ._trace_check import TracingCheckError  # noqa: F401

__all__ = ["trace", "trace_module", "TracerWarning", "TracingCheckError", "TracedModule", "TopLevelTracedModule"]


class TracerWarning(Warning):
    """What a trace cannot record."""


TracerWarning.__module__ = "torch.jit._trace"
# What the library's own modules do is as it should be.
warnings.filterwarnings("ignore", category=TracerWarning, module="torch.(?!jit)")

_CONVERSION = (
    "Converting a tensor to {} might cause the trace to be incorrect. We can't record the data flow of Python values, so "
    "this value will be treated as a constant in the future. This means that the trace might not generalize to other inputs!"
)
_REGISTERED = (
    "{} results are registered as constants in the trace. You can safely ignore this warning if you use this function to "
    "create tensors out of constant variables that would be the same every time you call this function. In any other case, "
    "this might cause the trace to be incorrect."
)
# What traces lose, by the name that the extension gives it.
_LOSSES = {
    "boolean": _CONVERSION.format("a Python boolean"),
    "integer": _CONVERSION.format("a Python integer"),
    "float": _CONVERSION.format("a Python float"),
    "number": _CONVERSION.format("a Python number"),
    "list": _CONVERSION.format("a Python list"),
    "array": _CONVERSION.format("a NumPy array"),
    "iteration": (
        "Iterating over a tensor might cause the trace to be incorrect. Passing a tensor of different shape won't change "
        "the number of iterations executed (and might lead to errors or silently give incorrect results)."
    ),
    "len": (
        "Using len to get tensor shape might cause the trace to be incorrect. Recommended usage would be tensor.shape[0]. "
        "Passing a tensor of different shape might lead to errors or silently give incorrect results."
    ),
    "tensor": _REGISTERED.format("torch.tensor"),
    "as_tensor": _REGISTERED.format("torch.as_tensor"),
    "from_numpy": _REGISTERED.format("torch.from_numpy"),
    "Tensor": _REGISTERED.format("torch.Tensor"),
}
# What functions written in Python lose, whose callers do it: how far away those are.
_LEVELS = {"as_tensor": 4, "from_numpy": 3}
# What no switch silences.
_ALWAYS_TOLD = ("iteration", "len")
_CONTAINER_OUTPUT = (
    "Encountering a {} at the output of the tracer might cause the trace to be incorrect, this is only valid if the "
    "container structure does not change based on the module's inputs. Consider using a constant container instead (e.g. "
    "for `list`, use a `tuple` instead. for `dict`, use a `NamedTuple` instead). If you absolutely need this and know the "
    "side effects, pass strict=False to trace() to allow this behavior."
)
_UNKNOWN_OUTPUT = "Only tensors, lists, tuples of tensors, or dictionary of tensors can be output from traced functions"


def tracer_warning(what):
    """Warns of something that a trace loses, at the place of the program that does it."""
    if what in _ALWAYS_TOLD or _is_told():
        warnings.warn(_LOSSES[what], TracerWarning, stacklevel=_level(what))


def _level(what):
    """How far away the program is, behind what NumPy asks of tensors."""
    level = _LEVELS.get(what, 2)
    while sys._getframe(level).f_globals.get("__name__") in ("torch._numpy", "rushlight._numpy"):
        level += 1
    return level


def tracer_warning_text(text):
    """Warns of something that a trace may get wrong, at the place of the program that does it."""
    warnings.warn(text, TracerWarning, stacklevel=2)


_rushlight.register("tracer_warning", tracer_warning)
_rushlight.register("tracer_warning_text", tracer_warning_text)


# The types of inputs, in the words of messages.


class _Inconsistent(Exception):
    """Elements of a container that differ in type."""


def _type_text(value):
    if isinstance(value, Tensor):
        return "Tensor"
    if isinstance(value, tuple):
        return f"Tuple[{', '.join(map(_type_text, value))}]"
    if isinstance(value, list):
        if not value:
            raise _Inconsistent("List trace inputs must have elements")
        try:
            return f"List[{_common(value, 'List inputs to traced functions must have consistent element type')}]"
        except _Inconsistent as error:
            if str(error).startswith("Only tensors"):
                raise _Inconsistent(f"Could not infer type of list element: {error}") from None
            raise
    if isinstance(value, dict):
        if not value:
            raise _Inconsistent("Dictionary inputs must have entries")
        key = _common(value.keys(), "Dictionary inputs to traced functions must have consistent type")
        item = _common(value.values(), "Dictionary inputs to traced functions must have consistent type")
        return f"Dict[{key}, {item}]"
    if isinstance(value, Module) and not isinstance(value, ScriptModule):
        raise _Inconsistent("Cannot infer concrete type of torch.nn.Module")
    kind = type(value)
    if kind.__module__ == "numpy" or kind in _UNTYPED:
        raise _Inconsistent(
            "Only tensors and (possibly nested) tuples of tensors, lists, or dicts are supported as inputs or outputs of traced "
            f"functions, but instead got value of type {kind.__name__}."
        )
    return _NAMES.get(kind.__name__, kind.__name__)


# The names of types of scripts that differ from Python's.
_NAMES = {"device": "Device", "dtype": "int", "layout": "int", "memory_format": "int"}
# Types of Python that scripts have nothing for; NumPy's are others.
_UNTYPED = frozenset((type, set, frozenset, range, bytes, types.FunctionType, types.BuiltinFunctionType, object))


def _common(values, complaint):
    first, *rest = map(_type_text, values)
    for other in rest:
        if other != first:
            raise _Inconsistent(f"{complaint}. Found {first} and {other}")
    return first


def _is_traceable(value):
    if isinstance(value, Tensor):
        return True
    if isinstance(value, (tuple, list)):
        return all(map(_is_traceable, value))
    if isinstance(value, dict):
        return all(isinstance(key, (str, int)) for key in value) and all(map(_is_traceable, value.values()))
    return False


def _infer(value):
    try:
        return _type_text(value)
    except _Inconsistent as error:
        raise RuntimeError(f"Tracer cannot infer type of {value!s}\n:{error}") from None


def _check_inputs_type(inputs):
    text = _infer(inputs)
    if not _is_traceable(inputs):
        raise RuntimeError(
            f"Type '{text}' cannot be traced. Only Tensors and (possibly nested) Lists, Dicts, and Tuples of Tensors can be "
            "traced"
        )


def _check_output(value, strict):
    """Refuses what no trace can give and warns of containers that may change."""
    if value is None:
        raise RuntimeError(
            "The traced function didn't return any values! Side-effects are not captured in traces, so it would be a no-op."
        )
    if isinstance(value, dict):
        if strict:
            _infer(value)
            raise RuntimeError(_CONTAINER_OUTPUT.format("dict"))
        _infer(value)
        _check_dict(value)
        _check_parts(value.values(), strict)
    elif isinstance(value, list):
        _infer(value)
        if not all(isinstance(part, Tensor) for part in value):
            raise RuntimeError(_UNKNOWN_OUTPUT)
        if strict and _is_told():
            warnings.warn(_CONTAINER_OUTPUT.format("list"), TracerWarning, stacklevel=4)
    elif isinstance(value, tuple):
        _infer(value)
        _check_parts(value, strict)
    elif not isinstance(value, Tensor):
        _infer(value)
        raise RuntimeError(_UNKNOWN_OUTPUT)


def _check_dict(value):
    for key, item in value.items():
        fits = isinstance(key, (str, Tensor)) and isinstance(item, Tensor) or isinstance(key, str) and isinstance(item, tuple) and all(isinstance(part, Tensor) for part in item)
        if not fits:
            raise RuntimeError(
                f"output 1 ({value}) of traced region cannot be understood by the tracer, only outputs matching "
                "dict[Union[str, Tensor], Union[Tensor, Tuple[Tensor, ...]]] can be a dictionary output of a traced function"
            )


def _check_parts(parts, strict):
    for part in parts:
        if part is None or not isinstance(part, (Tensor, list, tuple, dict)):
            raise RuntimeError(_UNKNOWN_OUTPUT)
        _check_output(part, strict)


# Recording.

_active = None


def _is_told():
    """Whether the program wants to be warned of what the trace loses."""
    return _active is None or _active.is_told


class _Trace:
    """A trace that is being recorded, and the script objects of the modules in it."""

    def __init__(self, force_outplace, root=None, inner=None, frames_up=0, scopes=None):
        self.tracer = _rushlight.Tracer(force_outplace, frames_up)
        self.root = root
        # Where modules are, by identity, for traces that have no methods, and how often each was called.
        self.scopes = scopes or {}
        self.calls = {}
        self.objects = {}
        self.is_told = _state.tracer_warns
        if root is not None:
            self.tracer.add_root(inner)
            self._collect(root, inner)

    def _collect(self, module, inner):
        # A module that several others share is called by its place in the last of them, by its first name there.
        self.objects[id(module)] = inner
        if isinstance(module, ScriptModule):
            return
        for name, child in module.named_children():
            self._collect(child, inner._get_object(name))

    def run(self, function, args, kwargs, names, strict):
        """Calls the function and records what it does."""
        global _active
        before = _active
        self.tracer.start()
        _active = self
        try:
            inputs = [self.tracer.add_input(name, value) for name, value in zip(names, [*args, *kwargs.values()])]
            named = dict(zip(kwargs, inputs[len(args) :]))
            output = function(*inputs[: len(args)], **named)
            _check_output(output, strict)
            self.tracer.add_output(output)
        finally:
            _active = before
            self.tracer.stop()
        return output

    @contextlib.contextmanager
    def scope(self, module):
        """The call of a module, which becomes a method of its own."""
        place = self.scopes.get(id(module))
        if place is not None:
            count = self.calls[place] = self.calls.get(place, -1) + 1
            self.tracer.enter_scope(f"{place}_{count}" if count else place)
            try:
                yield
            finally:
                self.tracer.leave_scope()
            return
        inner = None if module is self.root or isinstance(module, ScriptModule) else self.objects.get(id(module))
        entered = inner is not None and self.tracer.enter_module(inner)
        try:
            yield
        finally:
            if entered:
                self.tracer.leave_module()


def _call_forward(module, forward, args, kwargs):
    """What a module's forward does while a trace is recorded: between its hooks, it is a scope of its own."""
    if _active is None:
        return forward(*args, **kwargs)
    with _active.scope(module):
        return forward(*args, **kwargs)


def _argument_names(function, count, given):
    """The names of the inputs: those of the parameters, as far as they are known."""
    import inspect

    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        parameters = ()
    positional = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    names = positional[:count]
    return names + [""] * (count - len(names)) + list(given)


@contextlib.contextmanager
def _module_calls():
    before = _hooks.call_forward
    _hooks.call_forward = _call_forward
    try:
        yield
    finally:
        _hooks.call_forward = before


def _split(inputs):
    """Example inputs as positional and named ones."""
    if isinstance(inputs, _Named):
        return (), inputs.values
    return inputs, {}


def _by_name(function, values):
    """Example inputs that are given by name, in the order of the parameters that they are for."""
    import inspect

    if not isinstance(values, dict):
        raise RuntimeError("example_kwarg_inputs should be a dict")
    parameters = {n: p for n, p in inspect.signature(function).parameters.items() if p.kind is not p.KEYWORD_ONLY}
    open_ended = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    for name in values:
        if name not in parameters and not open_ended:
            raise NameError(
                f"'{name}' is not in forward() method's arguments,\n                         valid arguments name are "
                f"[{','.join(parameters)}]"
            )
    first = [name for name in parameters if name in values]
    return _Named({name: values[name] for name in [*first, *(name for name in values if name not in first)]})


class _Named:
    """Example inputs that are given by name."""

    def __init__(self, values):
        self.values = values


def _record(function, named_like, inputs, strict, force_outplace, root=None, inner=None):
    args, kwargs = _split(inputs)
    _check_inputs_type((*args, *kwargs.values()))
    recording = _Trace(force_outplace, root, inner)
    names = _argument_names(named_like, len(args), kwargs)
    with _module_calls():
        recording.run(function, args, kwargs, names, strict)
    return recording.tracer


def _as_inputs(example_inputs):
    if isinstance(example_inputs, (Tensor, dict)):
        return (example_inputs,)
    return example_inputs if isinstance(example_inputs, tuple) else tuple(example_inputs)


def _qualified_name(function):
    if isinstance(function, ScriptFunction):
        return "__torch__." + function.name
    cls = function if hasattr(function, "__name__") else type(function)
    if not hasattr(function, "__name__"):
        raise RuntimeError("Could not get name of python class object")
    name = "_lambda" if cls.__name__ == "<lambda>" else cls.__name__
    owner = cls.__module__
    if owner is None:
        raise RuntimeError(f"Could not get qualified name for class '{name}': __module__ can't be None.")
    return f"__torch__.{name}" if owner == "__main__" else f"__torch__.{owner}.{name}"


def trace(
    func,
    example_inputs=None,
    optimize=None,
    check_trace=True,
    check_inputs=None,
    check_tolerance=1e-5,
    strict=True,
    _force_outplace=False,
    _module_class=None,
    _compilation_unit=None,
    example_kwarg_inputs=None,
    _store_inputs=True,
):
    """Runs a function or module on example inputs and returns the script of the operators that it called."""
    if not _enabled:
        return func
    announce("trace")
    if optimize is not None:
        optimize_has_no_effect()
    if isinstance(func, ScriptModule):
        warnings.warn(
            "The input to trace is already a ScriptModule, tracing it is a no-op. Returning the object as is.", stacklevel=2
        )
        return func
    options = dict(
        check_trace=check_trace, check_inputs=check_inputs, check_tolerance=check_tolerance, strict=strict,
        _force_outplace=_force_outplace,
    )
    owner = getattr(func, "__self__", None)
    module = func if isinstance(func, Module) else owner
    if isinstance(module, Module):
        if module is owner and func.__name__ != "forward":
            raise AttributeError("trace doesn't support compiling individual module's functions.\nPlease use trace_module")
        if check_inputs is not None:
            options["check_inputs"] = [{"forward": case} for case in check_inputs]
        if example_inputs is None:
            if not isinstance(example_kwarg_inputs, dict):
                raise RuntimeError("example_kwarg_inputs should be a dict")
            return trace_module(module, {"forward": example_kwarg_inputs}, example_inputs_is_kwarg=True, **options)
        return trace_module(module, {"forward": _as_inputs(example_inputs)}, **options)
    if example_inputs is None and example_kwarg_inputs is not None:
        inputs = _by_name(func, example_kwarg_inputs)
    else:
        inputs = _as_inputs(example_inputs)
    name = _qualified_name(func)
    traced = _record(func, func, inputs, strict, _force_outplace).function(name)
    traced.__doc__ = getattr(func, "__doc__", None)
    if check_trace:
        again = functools.partial(_trace_function_again, func, name, strict, _force_outplace)
        for case in [inputs] if check_inputs is None else [_as_inputs(c) for c in check_inputs]:
            _trace_check.check(case, func, traced, again, check_tolerance)
    return traced


def _trace_function_again(func, name, strict, force_outplace, inputs):
    announce("trace")
    return _record(func, func, inputs, strict, force_outplace).function(name)


def trace_module(
    mod,
    inputs,
    optimize=None,
    check_trace=True,
    check_inputs=None,
    check_tolerance=1e-5,
    strict=True,
    _force_outplace=False,
    _module_class=None,
    _compilation_unit=None,
    example_inputs_is_kwarg=False,
    _store_inputs=True,
):
    """Traces methods of a module: ``inputs`` has the example inputs by the name of the method."""
    if not _enabled:
        return mod
    if not isinstance(mod, Module):
        raise AttributeError("expected torch.nn.Module as the first argument")
    announce("trace_method")
    if not isinstance(inputs, dict):
        raise AttributeError("expected a dictionary of (method_name, input) pairs")
    def as_case(method, example):
        return _by_name(getattr(mod, method), example) if example_inputs_is_kwarg else _as_inputs(example)

    for part in mod.modules():
        waiting = [name for name, tensor in part._parameters.items() if is_lazy(tensor)]
        if waiting:
            raise RuntimeError(
                "'torch.jit._trace.TracedModule.__init__.<locals>.QualnameWrapper' has uninitialized parameters "
                f"{waiting[0]}. Did you forget to run a forward pass?"
            )
        if part._backward_hooks:
            raise ValueError(f"Modules that have backward hooks assigned can't be compiled: {part}")
        own = [id(t) for table in (part._parameters, part._buffers) for t in table.values() if t is not None]
        if len(set(own)) < len(own):
            raise ValueError("TracedModules don't support parameter sharing between modules")
    with for_trace():
        inner = _rushlight.traced_object(mod)
        traced = _wrap(mod, inner, TopLevelTracedModule)
        for method, example in inputs.items():
            case = as_case(method, example)
            _trace_method(mod, inner, method, case, strict, _force_outplace)
            if check_trace:
                function = mod if method == "forward" else getattr(mod, method)
                if check_inputs is None:
                    all_cases = [{name: as_case(name, other) for name, other in inputs.items()}]
                else:
                    all_cases = [{name: _as_inputs(other) for name, other in case.items()} for case in check_inputs]
                for cases in all_cases:
                    again = functools.partial(_trace_module_again, mod, method, cases, strict, _force_outplace)
                    _trace_check.check(cases[method], function, getattr(traced, method), again, check_tolerance)
    return traced


def _trace_method(mod, inner, method, inputs, strict, force_outplace):
    function = getattr(mod, method)
    called = mod if method == "forward" else function
    _record(called, function, inputs, strict, force_outplace, mod, inner).method(inner, method)


def _trace_module_again(mod, method, cases, strict, force_outplace, _):
    """The script of a method, with all methods recorded once more."""
    announce("trace_method")
    inner = _rushlight.traced_object(mod)
    for name, inputs in cases.items():
        _trace_method(mod, inner, name, _trace_check.clone_inputs(inputs), strict, force_outplace)
    return getattr(_wrap(mod, inner, TopLevelTracedModule), method)


class TracedModule(ScriptModule):
    """A submodule of a traced module."""

    def __init__(self, *_, **__):
        raise RuntimeError("traced modules are made by torch.jit.trace")

    def forward(self, *_, **__):
        """Refused: only the whole was traced."""
        raise RuntimeError("Trace submodules cannot be called.")

    def _get_name(self):
        return self.original_name

    def extra_repr(self):
        return f"original_name={self.original_name}"

    def __deepcopy__(self, memo):
        copy = RecursiveScriptModule.__new__(RecursiveScriptModule)
        _adopt(copy, self._c._deep_copy(), None)
        return copy


class TopLevelTracedModule(TracedModule):
    """What tracing a module returns."""

    forward = ScriptModule.forward


for _class in (TracedModule, TopLevelTracedModule):
    _class.__module__ = "torch.jit._trace"
del _class


def _wrap(module, inner, kind):
    """The traced modules in Python: one for each module, scripted ones as they are."""
    if class_facts(type(module)).exported_methods():
        return wrap(inner, module)
    out = kind.__new__(kind)
    _adopt(out, inner, None)
    out.__dict__["_parameters"]._traced = True
    kept = out.__dict__["_modules"]._kept
    for name, child in module._modules.items():
        if child is not None:
            is_script = isinstance(child, ScriptModule)
            kept[name] = child if is_script else _wrap(child, inner._get_object(name), TracedModule)
    return out


def _get_trace_graph(f, args=(), kwargs=None, strict=True, _force_outplace=False, return_inputs=False, _scopes=None, **_):
    """The graph of a trace, and what the function gave. The state of a module is taken in as inputs of the graph."""
    inputs = args if isinstance(args, tuple) else (args,)
    kwargs = kwargs or {}
    # Names of values come from who calls what calls operators.
    recording = _Trace(_force_outplace, frames_up=1, scopes=_scopes)
    if isinstance(f, Module):
        state = _tables_of(f)
        inputs = (*inputs, *(table[name] for (table, name), *_ in state))
        function = functools.partial(_call_with_state, f, state)
    else:
        function = f
    names = [""] * len(inputs) + list(kwargs)
    with _module_calls() if _scopes else contextlib.nullcontext():
        output = recording.run(function, inputs, kwargs, names, strict)
    graph = recording.tracer.graph()
    return (graph, output, inputs) if return_inputs else (graph, output)


def _tables_of(module):
    """Where the tensors of a module's state are, in the order of the state dict: for each the places (table, name) it stands in."""
    places = {}
    for _, part in module.named_modules():
        buffers = [name for name in part._buffers if name not in part._non_persistent_buffers_set]
        for table, names in ((part._parameters, part._parameters), (part._buffers, buffers)):
            for name in names:
                if table[name] is not None:
                    places.setdefault(id(table[name]), []).append((table, name))
    return list(places.values())


def _call_with_state(module, state, *inputs, **kwargs):
    """Calls a module on the first inputs while its state is the others; the tensors of the result, flat."""
    count = len(inputs) - len(state)
    before = [(table, name, table[name]) for places in state for table, name in places]
    try:
        for places, tensor in zip(state, inputs[count:]):
            for table, name in places:
                table[name] = tensor
        output = module(*inputs[:count], **kwargs)
    finally:
        for table, name, tensor in before:
            table[name] = tensor
    if isinstance(output, Tensor):
        return output
    tensors = tuple(_trace_check.tensors_of(output))
    return tensors[0] if len(tensors) == 1 else tensors

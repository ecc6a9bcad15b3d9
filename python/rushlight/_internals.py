"""What ``torch._C`` has besides operators, graphs and types: names that programs and tests of programs ask for.

Loaded when one of them is first asked for.
"""

from . import _introspection, _rushlight
from ._errors import _LinAlgError  # noqa: F401
from ._tensor_kinds import _disabled_torch_function_impl
from ._dispatch_keys import DispatchKey, DispatchKeySet, _ExcludeDispatchKeyGuard  # noqa: F401


class _DisableFuncTorch:
    """A guard against transformations of functions, of which there are none."""

    def __enter__(self):
        pass

    def __exit__(self, *_):
        pass


def _jit_get_inline_everything_mode():
    """Whether graphs have the bodies of functions in place of calls of them."""
    return _rushlight.inlines_calls()


def _jit_set_inline_everything_mode(on):
    """Sets whether what is compiled from here on has the bodies of functions in place of calls of them."""
    _rushlight.set_inlines_calls(on)


def unify_type_list(types):
    """The one type that all of some types are; None makes it optional."""
    if not types:
        raise RuntimeError("Cannot get unified type from empty list")
    found = types[0]
    for place, ty in enumerate(types[1:], 1):
        none = _introspection.NoneType.get()
        if ty.isSubtypeOf(found):
            continue
        if found.isSubtypeOf(ty):
            found = ty
        elif none in (found, ty):
            found = _introspection.OptionalType(ty if found == none else found)
        else:
            raise RuntimeError(
                f"Could not unify type list since element {place} of type {ty.annotation_str} did not match the types before it "
                f"({found.annotation_str})"
            )
    return found


def _jit_get_operation(name):
    """An operator as a function, and the names of its overloads."""
    schemas = _rushlight.schemas_of(name)
    if not schemas:
        return None, None
    from . import ops

    space, _, own = name.partition("::")
    return getattr(getattr(ops, space), own), [schema.overload_name for schema in schemas]


# Settings of the reference's executor, which results do not depend on here.
_executor = {"runs": 1, "depth": 20, "optimizes": True, "fuses": True}


def _set_executor(name, value):
    before, _executor[name] = _executor[name], value
    return before


def _jit_get_num_profiled_runs():
    """How many runs the reference's executor looks at before it optimizes."""
    return _executor["runs"]


def _jit_set_num_profiled_runs(count):
    """Remembers how many; returns what it was."""
    return _set_executor("runs", count)


def _jit_set_bailout_depth(depth):
    """Remembers how often the reference's executor may specialize; returns what it was."""
    return _set_executor("depth", depth)


def _get_graph_executor_optimize(new_setting=None):
    """Whether graphs are optimized; sets it, too, and returns what it was."""
    return _executor["optimizes"] if new_setting is None else _set_executor("optimizes", new_setting)


def _set_graph_executor_optimize(on):
    """Remembers whether graphs are optimized."""
    _set_executor("optimizes", on)


def _jit_texpr_fuser_enabled():
    """Whether the reference's fuser of the CPU may be used: as it is set."""
    return _executor["fuses"]


def _jit_set_texpr_fuser_enabled(on):
    """Remembers whether."""
    _set_executor("fuses", bool(on))


def _jit_is_script_object(obj):
    """Whether something is an object of a script class."""
    return isinstance(obj, _rushlight.ScriptObject)


_logging_option = ""


def _jit_get_logging_option():
    """What :func:`_jit_set_logging_option` has set."""
    return _logging_option


def _jit_set_logging_option(option):
    """Remembers which passes should write a log; none does."""
    global _logging_option
    _logging_option = str(option)


def _jit_get_tracer_state_warn():
    """Whether traces that begin now warn of what they lose."""
    from .jit import _state

    return _state.tracer_warns


def _jit_set_tracer_state_warn(on):
    """Sets whether traces that begin from here on warn of what they lose."""
    from .jit import _state

    _state.tracer_warns = on


def _jit_assert_is_instance(obj, type):
    """Raises when an object is no value of a type."""
    _rushlight.assert_is_instance(obj, type)


def _enable_mobile_interface_call_export():
    """Has no effect: methods that are called by interface are always exported."""


def _disable_mobile_interface_call_export():
    """Has no effect, as the switch that it turns off."""


def _freeze_module(module, preservedAttrs=(), freezeInterfaces=True, preserveParameters=False):
    """The module with its attributes as constants; a script object in, a script object out."""
    return _rushlight.freeze_module(module, list(preservedAttrs), False, freezeInterfaces, preserveParameters, True)


def _jit_object_is_non_holding(node):
    """Whether the object that a constant is keeps no code alive: here no object does."""
    if node.kind() != "prim::Constant" or not isinstance(node.output().type(), _introspection.ClassType):
        raise RuntimeError("the node is no constant of an object")
    return True


def _jit_pass_convert_frozen_ops_to_mkldnn(graph):
    """Leaves the graph: there is no other library whose layouts its operators could use."""


def _jit_pass_concat_frozen_linear(graph):
    """Leaves the graph: only layers on GPUs are put together."""
    return False


def _jit_interpret_graph(graph, arguments):
    """Runs a graph on values, as it stands."""
    return _rushlight.interpret_graph(graph, tuple(arguments))


def _ivalue_debug_python_object(obj):
    """The object, as scripts hand objects of Python back."""
    return obj


def _ivalue_tags_match(first, second):
    """Whether two script objects have classes of the same attributes."""
    return first._attributes() == second._attributes()


def _jit_flatten(obj):
    """The tensors in nested lists, tuples and dictionaries, and the form around them."""
    tensors = []

    def walk(value):
        if isinstance(value, _rushlight.Tensor):
            tensors.append(value)
            return "v"
        if isinstance(value, (list, tuple)):
            inner = "".join(map(walk, value))
            return f"[{inner}]" if isinstance(value, list) else f"({inner})"
        if isinstance(value, dict):
            return "<" + "".join(map(walk, value.values())) + ">"
        raise RuntimeError(f"Only tuples, lists and Variables are supported as JIT inputs/outputs, not {type(value).__name__}")

    form = walk(obj)
    return tensors, form


def _jit_clear_class_registry():
    """Begins anew: classes and functions scripted from here on have all names to themselves."""
    _rushlight.clear_class_registry()


class _ModuleObjects(type):
    def __instancecheck__(cls, instance):
        return isinstance(instance, _rushlight.ScriptObject) and instance._is_module


class ScriptModule(metaclass=_ModuleObjects):
    """The script objects of modules."""


ScriptMethod = _rushlight.ScriptMethod
ScriptObject = _rushlight.ScriptObject


def __getattr__(name):
    if name == "Future":
        from .futures import Future

        return Future.__mro__[1]
    if name == "JITException":
        from .jit import Error

        return Error
    if name in ("parse_type_comment", "_parse_source_def", "merge_type_from_type_comment"):
        from .jit import _syntax_tree

        return getattr(_syntax_tree, name.removeprefix("_"))
    if name in ("ScriptList", "ScriptDict"):
        from .jit import _shared

        return getattr(_shared, name)
    if name == "_UpgraderEntry" or "upgraders" in name or name.endswith("version_map"):
        from . import _upgraders

        return getattr(_upgraders, name)
    if name in ("PyTorchFileWriter", "PyTorchFileReader"):
        from . import _archive_records

        return getattr(_archive_records, name)
    if name == "CompilationUnit":
        from .jit import CompilationUnit

        return CompilationUnit
    if name == "FileCheck":
        from .testing import FileCheck

        return FileCheck
    raise AttributeError(name)


class DisableTorchFunctionSubclass:
    """Within, classes of arguments are not asked for operators of their own."""

    def __enter__(self):
        from ._overriding import state

        state.subclasses_off += 1

    def __exit__(self, *_):
        from ._overriding import state

        state.subclasses_off -= 1


class DisableTorchFunction(DisableTorchFunctionSubclass):
    """Within, neither classes of arguments nor modes are asked."""

    def __enter__(self):
        from ._overriding import state

        super().__enter__()
        state.modes_off += 1

    def __exit__(self, *_):
        from ._overriding import state

        super().__exit__()
        state.modes_off -= 1


_disabled_torch_dispatch_impl = _disabled_torch_function_impl


def _log_api_usage_once(name):
    """Nothing: no use is recorded."""


def _get_privateuse1_backend_name():
    """The name of the kind of devices that others may bring."""
    return "privateuseone"


def _get_accelerator(check=None):
    """The device that programs should use: the CPU."""
    return _rushlight.device("cpu")


def _is_torch_function_enabled():
    """Whether calls ask classes of arguments for operators."""
    from ._overriding import state

    return not state.subclasses_off


def _len_torch_function_stack():
    """How many modes see calls."""
    from ._overriding import state

    return len(state.modes)


def _len_torch_dispatch_stack():
    """How many modes see calls of operators from within: there are no such modes."""
    return 0


def _get_default_device():
    """The default device by name."""
    return "cpu"


def _get_cudnn_enabled():
    """Whether a library of devices is used: there are no devices."""
    return False


# The class of tensors and its own class under their other names.
_TensorBase = TensorBase = _rushlight.Tensor
_TensorMeta = type(_rushlight.Tensor)


def _are_functorch_transforms_active():
    """Whether a transform of ``torch.func`` runs on this thread."""
    import sys

    levels = sys.modules.get("rushlight._functorch._levels")
    return levels is not None and bool(levels.current())


def _is_torch_function_mode_enabled():
    """Whether calls ask a mode for operators."""
    from ._overriding import state

    return bool(state.modes) and not state.modes_off


def _is_alias_of(first, second):
    """Whether two tensors share memory."""
    return first.untyped_storage().data_ptr() == second.untyped_storage().data_ptr()

"""``torch.jit``: scripting, loading, and the names that scripts use."""

from .. import _rushlight
from .._jit_internal import _overload  # noqa: F401
from .._rushlight import Limits, ScriptFunction  # noqa: F401
from ._errors import Error, FrontendError, NotSupportedError, UnsupportedNodeError  # noqa: F401
from ._load import allow_files, load  # noqa: F401
from ._names import (  # noqa: F401
    Attribute,
    Final,
    _awaitable,
    _awaitable_nowait,
    _awaitable_wait,
    _overload_method,
    _unwrap_optional,
    annotate,
    export,
    fork,
    ignore,
    interface,
    is_scripting,
    is_tracing,
    isinstance,
    script_if_tracing,
    unused,
    wait,
)
from ._freeze import freeze, optimize_for_inference, run_frozen_optimizations  # noqa: F401
from ._executor import (  # noqa: F401
    enable_onednn_fusion,
    fuser,
    onednn_fusion_enabled,
    optimized_execution,
    set_fusion_strategy,
    strict_fusion,
)
from . import _logging, _state, frontend  # noqa: F401
from . import _concrete, _module_object  # noqa: F401  register what the extension asks
from ._operators import export_opnames  # noqa: F401
from ._save import save  # noqa: F401
from ._script import CompilationUnit, ScriptWarning, script  # noqa: F401
from ..futures import Future  # noqa: F401
from ._script_module import RecursiveScriptModule, ScriptModule, script_method  # noqa: F401
from . import _pickling  # noqa: F401  scripts through pickle

from ._trace import (  # noqa: F401
    TopLevelTracedModule,
    TracedModule,
    TracerWarning,
    TracingCheckError,
    _get_trace_graph,
    trace,
    trace_module,
)

_fork, _wait = fork, wait
_isinstance, _set_fusion_strategy = isinstance, set_fusion_strategy
# The names under which others do the same without the reference's warning that they are old.
_script_if_tracing = script_if_tracing


# The reference's class names its module twice, which shows where a class prints.
ScriptFunction.__qualname__ = "torch.jit.ScriptFunction"


# Modules, and names of one, that are loaded when they are first asked for.
_LAZY = frozenset((
    "annotations", "mobile", "quantized", "_async", "_builtins", "_decomposition_utils", "_fuser", "_monkeytype_config", "_passes", "_recursive", "_serialization",
))  # fmt: skip
__all__ = [
    "Attribute", "CompilationUnit", "Error", "Future", "ScriptFunction", "ScriptModule", "annotate", "enable_onednn_fusion", "export",
    "export_opnames", "fork", "freeze", "interface", "ignore", "isinstance", "load", "onednn_fusion_enabled", "optimize_for_inference",
    "save", "script", "script_if_tracing", "set_fusion_strategy", "strict_fusion", "trace", "trace_module", "unused", "wait",
]  # fmt: skip
_INSPECTION = frozenset(("_hide_source_ranges", "_unique_state_dict"))


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    if name in _LAZY:
        from importlib import import_module

        return import_module("." + name, __package__)
    if name == "_ScriptProfile":
        from ._line_profile import _ScriptProfile

        return _ScriptProfile
    if name == "_register_decomposition":
        from .._passes.decompose import register

        return register
    if name == "RecursiveScriptClass":
        from ._script_class import RecursiveScriptClass

        return RecursiveScriptClass
    if name == "_IgnoreContextManager":
        from ._ignored_blocks import _IgnoreContextManager

        return _IgnoreContextManager
    if name == "_flatten":
        from .._internals import _jit_flatten

        return _jit_flatten
    if name in _INSPECTION:
        from . import _inspection

        return getattr(_inspection, name)
    raise AttributeError(f"module 'torch.jit' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *_LAZY, *_INSPECTION})

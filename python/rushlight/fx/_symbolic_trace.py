"""``torch.fx._symbolic_trace``: runs a program with proxies in place of its arguments, and keeps what it did as a graph."""

import collections
import contextlib
import functools
import inspect
import math
import types
import warnings

from .. import _rushlight, nn
from ..jit import ScriptModule
from ..utils import _pytree as pytree
from . import _placeholders, _seam
from ._compatibility import compatibility  # noqa: F401
from ._patching import _maybe_revert_all_patches, _Patcher  # noqa: F401
from ._placeholders import PH, PHBase, PHWithMeta  # noqa: F401
from ._wrapping import (  # noqa: F401
    _create_wrapped_func, _create_wrapped_method, _wrapped_fns_to_patch, _wrapped_methods_to_patch, patch_known,
    patch_wrapped, wrap,
)
from .graph import Graph
from .graph_module import GraphModule  # noqa: F401
from .proxy import ParameterProxy, Proxy, Scope, ScopeContextManager, TracerBase

_proxyable_classes = {}
_is_fx_tracing_flag = False


def is_fx_tracing():
    """Whether a program is being recorded."""
    return _is_fx_tracing_flag


def is_fx_symbolic_tracing():
    """Whether a program is being recorded, and not compiled."""
    return _is_fx_tracing_flag


def is_fx_tracing_warning():
    """Warns that :func:`is_fx_tracing` speaks of symbolic tracing."""
    warnings.warn("is_fx_tracing will return true for both fx.symbolic_trace and torch.export.", stacklevel=2)


@contextlib.contextmanager
def _is_fx_tracing_context(value):
    global _is_fx_tracing_flag
    before, _is_fx_tracing_flag = _is_fx_tracing_flag, value
    try:
        yield
    finally:
        _is_fx_tracing_flag = before


class ProxyableClassMeta(type):
    """The class of classes whose objects may be made of proxies: making one becomes a node."""

    def __init__(cls, name, bases, attrs):
        _proxyable_classes.setdefault(cls)
        super().__init__(name, bases, attrs)

    def __call__(cls, *args, **kwargs):
        made = cls.__new__(cls)
        if not is_fx_tracing():
            cls.__init__(made, *args, **kwargs)
            return made
        found = []

        def note(leaf):
            if isinstance(leaf, Proxy):
                found.append(leaf.tracer)
            return leaf

        pytree.tree_map_(note, (args, kwargs))
        if found:
            # Its attributes are set to the proxies, and it becomes a node when it is an argument.
            made._fx_arguments = (args, kwargs)
            tracer = found[0]
            return tracer.create_proxy("call_function", cls, args, kwargs)
        cls.__init__(made, *args, **kwargs)
        return made


def _assert_is_none(value, msg):
    assert value is None, msg


def _with_plain_arguments(root_fn, function, code, count):
    """A function, of which ``function`` with its ``code`` is what decorators stand around, with all parameters to be given
    by position, also those behind stars."""
    stars = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
    if not code.co_flags & stars:
        if not code.co_kwonlyargcount:
            return root_fn
        plain, names = code.co_argcount, code.co_varnames

        def by_name(*values):
            return root_fn(*values[:plain], **dict(zip(names[plain:], values[plain:])))

        return by_name
    made = code.replace(
        co_argcount=count, co_posonlyargcount=0, co_kwonlyargcount=0, co_flags=code.co_flags & ~stars
    )
    plain = type(function)(made, function.__globals__, function.__name__, function.__defaults__, function.__closure__)
    return functools.update_wrapper(plain, function, [name for name in functools.WRAPPER_ASSIGNMENTS if name != "__annotations__"])


class Tracer(TracerBase):
    """Records programs. Subclasses say which modules are recorded as calls of themselves (:meth:`is_leaf_module`), and how
    calls, attributes and arguments are recorded."""

    def __init__(self, autowrap_modules=(math,), autowrap_functions=(), param_shapes_constant=False):
        super().__init__()
        self._autowrap_function_ids = {
            id(value) for module in autowrap_modules for name, value in vars(module).items()
            if not name.startswith("_") and callable(value)
        }
        self._autowrap_function_ids.update(id(function) for function in autowrap_functions)
        # Where such functions are looked for; the program's own module comes when there is one.
        self._autowrap_search = list(autowrap_modules)
        self.param_shapes_constant = param_shapes_constant
        self.submodule_paths = None
        self.root_module_name = ""
        self.scope = Scope("", None)
        self.module_stack = collections.OrderedDict()
        self.num_calls = {}
        self.node_name_to_scope = {}

    _qualname_counter = collections.defaultdict(int)

    def get_fresh_qualname(self, prefix):
        """A name that the root does not have yet."""
        number = 0
        while hasattr(self.root, f"{prefix}{number}"):
            number += 1
        return f"{prefix}{number}"

    def create_arg(self, a):
        """As for every tracer; besides, parameters, buffers and modules of the root become their attributes, other tensors
        new ones."""
        if isinstance(a, nn.Parameter):
            for name, parameter in self.root.named_parameters():
                if a is parameter:
                    return self.create_node("get_attr", name, (), {})
            raise NameError("parameter is not a member of this module")
        if isinstance(a, _rushlight.Tensor):
            for name, buffer in self.root.named_buffers():
                if a is buffer:
                    return self.create_node("get_attr", name, (), {})
        elif isinstance(a, nn.Module):
            for name, module in self.root.named_modules():
                if a is module:
                    return self.create_node("get_attr", name, (), {})
        if isinstance(a, tuple) and hasattr(a, "_fields"):
            return self.create_node("call_function", a.__class__, tuple(self.create_arg(item) for item in a), {})
        if isinstance(a, (_rushlight.Tensor, _rushlight.ScriptObject)):
            held = self.tensor_attrs.get(id(a))
            if held is None:
                name = self.get_fresh_qualname(
                    "_tensor_constant" if isinstance(a, _rushlight.Tensor) else "_torchbind_obj"
                )
                held = self.tensor_attrs[id(a)] = name, a
                setattr(self.root, name, a)
            return self.create_node("get_attr", held[0], (), {})
        return super().create_arg(a)

    def is_leaf_module(self, m, module_qualified_name):
        """Whether a module is recorded as a call of itself: those of ``torch.nn`` are, except for sequences."""
        home = m.__module__
        of_library = home.startswith(("torch.nn", "torch.ao.nn", "rushlight.nn"))
        return of_library and not isinstance(m, nn.Sequential)

    def path_of_module(self, mod):
        """The dotted name of a module below the root; raises ``NameError`` for one that is not there."""
        if self.submodule_paths:
            path = self.submodule_paths.get(mod)
            if path is None:
                raise NameError("module is not installed as a submodule")
            return path
        for name, module in self.root.named_modules():
            if mod is module:
                return name
        raise NameError("module is not installed as a submodule")

    def call_module(self, m, forward, args, kwargs):
        """Records the call of a module: as such where it is a leaf, else what it does."""
        path = self.path_of_module(m)
        with ScopeContextManager(self.scope, Scope(path, type(m))) as scope:
            calls = self.num_calls.get(path, 0)
            key = f"{path}@{calls}" if calls else path
            self.module_stack[key] = (scope.module_path, scope.module_type)
            self.num_calls[path] = calls + 1
            try:
                if not self.is_leaf_module(m, path):
                    return forward(*args, **kwargs)
                return self.create_proxy("call_module", path, args, kwargs)
            finally:
                self.module_stack.pop(key, None)

    def getattr(self, attr, attr_val, parameter_proxy_cache):
        """What a module's attribute is while it is recorded: of parameters, and of buffers where the tracer says so, a
        proxy."""

        def of_table(held):
            for name, value in held:
                if attr_val is value:
                    if name not in parameter_proxy_cache:
                        options = {}
                        if self.param_shapes_constant:
                            options["proxy_factory_fn"] = lambda node: ParameterProxy(self, node, name, attr_val)
                        parameter_proxy_cache[name] = self.create_proxy("get_attr", name, (), {}, **options)
                    return parameter_proxy_cache[name]
            return None

        found = None
        if isinstance(attr_val, nn.Parameter):
            found = of_table(self.root.named_parameters())
        elif self.proxy_buffer_attributes and isinstance(attr_val, _rushlight.Tensor):
            found = of_table(self.root.named_buffers())
        return attr_val if found is None else found

    def create_args_for_root(self, root_fn, is_module, concrete_args=None):
        """(the function to run, its arguments): proxies of placeholders, or what ``concrete_args`` fixes."""
        function = inspect.unwrap(root_fn)
        assert isinstance(function, types.FunctionType), f"Expected FunctionType, got {type(function)}"
        code = function.__code__
        count = code.co_argcount + code.co_kwonlyargcount
        names = list(code.co_varnames[:count])
        signature = inspect.signature(function)
        args = []
        if is_module:
            if not names:
                raise RuntimeError("``self`` argument cannot be part of *args expansion!")
            args.append(self.root)
            del names[0]
        if isinstance(concrete_args, tuple):
            if len(names) != len(concrete_args):
                raise RuntimeError(
                    f"Tracing expected {len(names)} arguments but got {len(concrete_args)} concrete arguments"
                )
            concrete_args = dict(zip(names, concrete_args))
        args += [self._proxy_placeholder(name, concrete_args, signature, function) for name in names]
        behind = list(code.co_varnames[count:])
        if code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
            if code.co_flags & inspect.CO_VARARGS:
                args.append(_placeholders.rest(self, "*" + behind.pop(0)))
            if code.co_flags & inspect.CO_VARKEYWORDS:
                args.append(_placeholders.rest(self, "**" + behind.pop(0)))
        root_fn = _with_plain_arguments(root_fn, function, code, len(args))
        if concrete_args is not None:
            nested = _placeholders.nested(self, root_fn, args, names, is_module)
            if nested is not None:
                return nested
        return root_fn, args

    def _proxy_placeholder(self, name, concrete_args, sig, fn_for_analysis):
        return _placeholders.placeholder(self, name, concrete_args, sig, fn_for_analysis)

    def _collect_tensors(self):
        """Tensors that are plain attributes of modules, by their ids: their dotted names, and themselves."""
        found = {}
        for path, module in self.root.named_modules():
            for name, value in vars(module).items():
                if isinstance(value, (_rushlight.Tensor, _rushlight.ScriptObject)):
                    found[id(value)] = (f"{path}.{name}" if path else name, value)
        return found

    def trace(self, root, concrete_args=None):
        """Records a module or a function; returns the graph.

        ``concrete_args`` fixes arguments by name: constants, or containers in which ``PH`` marks what stays open.
        Raises :class:`TraceError` for what depends on values that are not there.
        """
        with _is_fx_tracing_context(True):
            if isinstance(root, nn.Module):
                self.root = root
                cls = type(root)
                # Compiled modules have no Python to run.
                assert hasattr(cls, self.traced_func_name) and not isinstance(root, ScriptModule), (
                    f"traced_func_name={self.traced_func_name} doesn't exist in {cls.__name__}"
                )
                function = getattr(cls, self.traced_func_name)
                self.root_module_name = root._get_name()
                self.submodule_paths = {module: name for name, module in root.named_modules()}
            else:
                self.root = nn.Module()
                function = root
            cls = type(self)
            self.graph = Graph(tracer_cls=cls)
            code = getattr(inspect.unwrap(function), "__code__", None)
            if code is not None:
                self.graph._co_fields = {
                    "co_name": code.co_name, "co_filename": code.co_filename, "co_firstlineno": code.co_firstlineno,
                }
            self.tensor_attrs = self._collect_tensors()
            function_globals = getattr(inspect.unwrap(function), "__globals__", {})
            function, args = self.create_args_for_root(function, isinstance(root, nn.Module), concrete_args)
            # What takes its arguments another way in place of the function has none.
            annotations = getattr(function, "__annotations__", {})
            try:
                with _Patcher() as patcher:
                    self._patch_modules(patcher)
                    patch_wrapped(patcher)
                    patch_known(patcher, function_globals, self._autowrap_function_ids)
                    for module in self._autowrap_search:
                        patch_known(patcher, vars(module), self._autowrap_function_ids)
                    result = self.create_arg(function(*args))
                    self.create_node("output", "output", (result,), {}, type_expr=annotations.get("return", None))
            finally:
                self.submodule_paths = None
        return self.graph

    def _patch_modules(self, patcher):
        """Calls of modules and their attributes go through the tracer."""
        call, attribute = nn.Module.__call__, nn.Module.__getattr__
        cache = {}

        def module_getattr(module, name):
            return self.getattr(name, attribute(module, name), cache)

        def module_call(module, *args, **kwargs):
            def forward(*args, **kwargs):
                if isinstance(module, ScriptModule) and _seam.find_proxy((*args, *kwargs.values())) is not None:
                    # What is compiled is not looked into: its method is called.
                    return self.create_proxy("call_method", "forward", (module._c, *args), kwargs)
                return call(module, *args, **kwargs)

            patch_known(patcher, getattr(getattr(module, "forward", module), "__globals__", {}), self._autowrap_function_ids)
            return self.call_module(module, forward, args, kwargs)

        patcher.patch_method(nn.Module, "__getattr__", module_getattr, deduplicate=False)
        patcher.patch_method(nn.Module, "__call__", module_call, deduplicate=False)

    def __deepcopy__(self, memo):
        import copy

        made = Tracer.__new__(type(self))
        for name, value in self.__dict__.items():
            if name in {"_autowrap_search"}:
                made.__dict__[name] = copy.copy(value)
            else:
                made.__dict__[name] = copy.deepcopy(value, memo)
        return made


def symbolic_trace(root, concrete_args=None):
    """Records a module or a function with a plain :class:`Tracer`; returns a ``GraphModule``.

    ``concrete_args`` fixes arguments by name. Raises ``torch.fx.proxy.TraceError`` for control flow that depends on values.
    """
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = root.__class__.__name__ if isinstance(root, nn.Module) else root.__name__
    from ._lazy_graph_module import _make_graph_module

    return _make_graph_module(tracer.root, graph, name)

"""Scripted modules: ``ScriptModule``, and ``RecursiveScriptModule``, which scripting and loading return.

The script object (``_c``) holds the state; the tables that ``Module`` keeps in dictionaries are views of it here, so that
walks, conversions and state dictionaries work unchanged.
"""

import collections
import textwrap
import types
import weakref

from .. import _resolve, _rushlight
from .._jit_internal import modifier_of
from . import _save
from ._concrete import stays_python
from ._names import Attribute
from ._notices import announce, lite_interpreter_ends
from ._state import _enabled
from ..nn.modules import _hooks
from ..nn.modules.module import Module
from ..nn.parameter import Parameter, parameter_of

__all__ = ["ScriptModule", "RecursiveScriptModule", "script_method"]

# The Python objects of script objects, by identity, so that each has one.
_wrappers = weakref.WeakValueDictionary()


class _Tensors(collections.abc.MutableMapping):
    """The parameters or the buffers of a script object."""

    def __init__(self, inner, kind):
        self._inner = inner
        self._kind = kind
        # What parameters Python has seen: what it adds to them lasts.
        self._seen = {}
        # Whether what Python has put there are parameters.
        self._given = {}
        # Whether they are those of a module that was traced.
        self._traced = False

    def _value(self, name):
        value = self._inner._get(name)
        if value is not None and self._kind == "parameter":
            # What a deep copy holds is the result of a call.
            is_ours = self._given.get(name)
            if is_ours is None:
                is_ours = self._traced or self._inner._scripted_here()
            if is_ours and value.is_leaf:
                value = parameter_of(value)
            self._seen[name] = value
        return value

    def __getitem__(self, name):
        if name not in self:
            raise KeyError(name)
        return self._value(name)

    def __setitem__(self, name, value):
        if name not in self:
            raise RuntimeError(f"Can't add a new parameter after ScriptModule construction. Tried to add '{name}")
        self._inner._set(name, value)
        self._given[name] = isinstance(value, Parameter)

    def __delitem__(self, name):
        raise RuntimeError(f"cannot remove '{name}' from a ScriptModule")

    def __contains__(self, name):
        return isinstance(name, str) and self._inner._lists(self._kind, name)

    def __iter__(self):
        return iter(self._inner._names(self._kind))

    def __len__(self):
        return len(self._inner._names(self._kind))


class _Submodules(collections.abc.MutableMapping):
    """The submodules of a script object, each with the Python module that it came from where there is one."""

    def __init__(self, inner, origin=None, kept=()):
        self._inner = inner
        self._origin = origin
        self._kept = dict(kept)

    def __getitem__(self, name):
        if name not in self:
            raise KeyError(name)
        inner = self._inner._get_object(name)
        kept = self._kept.get(name)
        if kept is None or not kept._c._same(inner):
            origin = self._origin._modules.get(name) if self._origin is not None else None
            kept = self._kept[name] = wrap(inner, origin)
        return kept

    def __setitem__(self, name, module):
        if not isinstance(module, ScriptModule):
            raise RuntimeError(
                "Cannot re-assign modules in a ScriptModule with non-scripted module, tried to replace existing module "
                f"'{name}': {module}"
            )
        self._inner._set(name, module)
        self._kept[name] = module

    def __delitem__(self, name):
        raise RuntimeError(f"cannot remove '{name}' from a ScriptModule")

    def __contains__(self, name):
        return isinstance(name, str) and self._inner._lists("module", name)

    def __iter__(self):
        return iter(self._inner._names("module"))

    def __len__(self):
        return len(self._inner._names("module"))


class _Unlisted(_Submodules):
    """What a frozen module lists: nothing. Submodules that it has kept are attributes like others."""

    def __contains__(self, name):
        return False

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 0


class _Part:
    """A submodule that a frozen module has kept: what it holds is read and written, its methods are called by name."""

    __slots__ = ("_c",)

    def __init__(self, inner):
        object.__setattr__(self, "_c", inner)

    def __getattr__(self, name):
        return _as_part(getattr(self._c, name))

    def __setattr__(self, name, value):
        self._c._set(name, value._c if isinstance(value, _Part) else value)

    def __repr__(self):
        return f"<torch.ScriptObject object at {id(self):#x}>"


_Part.__name__ = _Part.__qualname__ = "ScriptModule"
_Part.__module__ = "torch._C"


def _as_part(value):
    if isinstance(value, _rushlight.ScriptObject):
        return _Part(value)
    return _Part(value._c) if isinstance(value, ScriptModule) else value


class ScriptMethodStub:
    """A method marked with ``script_method``, compiled when the module is made."""

    def __init__(self, function):
        self.original_method = self._marked_function = function


ScriptMethodStub.__module__ = "torch.jit._recursive"


def script_method(fn):
    """Marks a method of a ``ScriptModule`` to be compiled."""
    if not _enabled:
        return fn
    announce("script_method")
    return ScriptMethodStub(fn)


class _ScriptMeta(type(Module)):
    """Makes instances of subclasses of ``ScriptModule`` script objects once their ``__init__`` has run."""

    def __init__(cls, name, bases, members):
        stubs = {}
        for base in reversed(bases):
            stubs.update(getattr(base, "_script_methods", None) or {})
        for key, value in list(members.items()):
            if isinstance(value, ScriptMethodStub):
                stubs[key] = value.original_method
                delattr(cls, key)
        cls._script_methods = stubs
        super().__init__(name, bases, members)

    def __call__(cls, *args, **kwargs):
        made = super().__call__(*args, **kwargs)
        if "_c" not in made.__dict__ and _enabled:
            made._become_script()
        return made


class ScriptModule(Module, metaclass=_ScriptMeta):
    """A module whose methods are scripts: those marked with ``script_method`` and those given to ``define``."""

    _c: object

    def forward(self, *_, **__):
        """What scripts put in place of this."""
        raise AttributeError(f"'{type(self).__name__}' object has no attribute 'forward'")

    def _become_script(self):
        """Turns the Python state into a script object and compiles the marked methods."""
        definitions = self.__dict__.pop("_definitions", [])
        for name, kind in self.__dict__.pop("_typed", {}).items():
            if name in self.__dict__:
                self.__dict__[name] = Attribute(self.__dict__[name], kind)
        parts = dict(self.__dict__.get("_modules", {}))
        _adopt(self, _rushlight.script_module(self, definitions), None)
        _put_first(self, self._c)
        for name, part in parts.items():
            if part is not None and not isinstance(part, ScriptModule):
                self.__dict__["_modules"]._kept[name] = wrap(self._c._get_object(name), part)

    def define(self, src):
        """Compiles methods from a source text."""
        scope = _resolve.frame_scope(1)
        source = textwrap.dedent(src)
        if "_c" in self.__dict__:
            _rushlight.define_methods(self._c, source, scope)
            _put_first(self, self._c)
        else:
            self.__dict__.setdefault("_definitions", []).append((source, scope))

    def __getattribute__(self, name):
        # The base class's ``forward`` only says that there is none.
        if name == "forward" and type(self).forward is ScriptModule.forward:
            found = object.__getattribute__(self, "__dict__").get(name)
            return self.__getattr__(name) if found is None else found
        return super().__getattribute__(name)

    def __getattr__(self, name):
        state = self.__dict__
        inner = state.get("_c")
        if inner is None:
            if name == "forward":
                raise AttributeError(f"'{type(self).__name__}' object has no attribute 'forward'")
            return super().__getattr__(name)
        if name in state["_modules"]:
            return state["_modules"][name]
        if name in state["_parameters"]:
            return state["_parameters"][name]
        if inner._has_property(name):
            return self._property(name)
        if inner._has_value(name):
            value = inner._get(name)
            return _as_part(value) if type(state["_modules"]) is _Unlisted else value
        if inner._has_method(name):
            method = _documented(inner, name)
            state[name] = method
            return method
        found = _python_attribute(self, inner, name)
        if found is not None:
            return found
        inner._refuse_missing(name)
        raise AttributeError(f"'RecursiveScriptModule' object has no attribute '{name}'")

    def __setattr__(self, name, value):
        state = self.__dict__
        inner = state.get("_c")
        if inner is None:
            if isinstance(Attribute, type) and isinstance(value, Attribute):
                # Until the module is a script, the program sees the value; its type is kept for then.
                state.setdefault("_typed", {})[name] = value.type
                value = value.value
            super().__setattr__(name, value)
        elif isinstance(value, Module) or name in state["_modules"]:
            self._replace_module(name, value)
        elif inner._has_property(name):
            object.__setattr__(self, name, value)
        elif name in state["_parameters"]:
            state["_parameters"][name] = value
        elif inner._has_value(name):
            inner._set(name, value)
        elif isinstance(value, Parameter):
            self._refuse_new(name)
        else:
            object.__setattr__(self, name, value)

    def __delattr__(self, name):
        if "_c" not in self.__dict__:
            super().__delattr__(name)
        elif any(name in self.__dict__[table] for table in ("_parameters", "_buffers", "_modules")):
            raise RuntimeError("cannot delete methods or parameters of a script module")
        elif name in self.__dict__:
            object.__delattr__(self, name)
        else:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def register_buffer(self, name, tensor, persistent=True):
        """Refused once the module is a script."""
        if "_c" in self.__dict__:
            self._refuse_new(name)
        super().register_buffer(name, tensor, persistent)

    def register_parameter(self, name, param):
        """Refused once the module is a script."""
        if "_c" in self.__dict__:
            self._refuse_new(name)
        super().register_parameter(name, param)

    def _property(self, name):
        """A property of the class that was scripted is itself what Python sees."""
        facts = _rushlight.facts_of(self._c)
        found = facts.member(name) if facts is not None else None
        if isinstance(found, property) and self.__dict__["_modules"]._origin is not None:
            return found
        raise AttributeError(f"'RecursiveScriptModule' object has no attribute '{name}'")

    def _replace_module(self, name, value):
        modules = self.__dict__["_modules"]
        if name not in modules and isinstance(value, ScriptModule):
            if not self._c._has_value(name):
                raise RuntimeError(
                    f"{self._c._class_name()} (of Python compilation unit at: {id(type(self)):#x}) does not have an attribute with "
                    f"name '{name}'"
                )
            self._c.setattr(name, value)
        modules[name] = value

    def _refuse_new(self, name):
        raise RuntimeError(f"Can't add a new parameter after ScriptModule construction. Tried to add '{name}")

    def add_module(self, name, module):
        """Refused once the module is a script: its submodules are fixed."""
        if "_c" not in self.__dict__:
            super().add_module(name, module)
        elif "." in name:
            raise KeyError(f'module name can\'t contain ".", got: {name}')
        elif name not in self._modules and hasattr(self, name):
            raise KeyError(f"attribute '{name}' already exists")
        else:
            self._replace_module(name, module)

    @property
    def original_name(self):
        """The name of the class that was scripted."""
        return self._c._class_name().rsplit(".", 1)[-1]

    def _forward_method(self, wanted=None):
        if self._c._has_method("forward"):
            return _documented(self._c, "forward")
        if wanted is None:
            raise RuntimeError("Method 'forward' is not defined.")
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{wanted}'")

    @property
    def graph(self):
        """The graph of ``forward``."""
        return self._forward_method().graph

    @property
    def inlined_graph(self):
        """The graph of ``forward`` with the methods that it calls inlined."""
        return self._forward_method("inlined_graph").inlined_graph

    @property
    def code(self):
        """The source of ``forward`` as archives hold it."""
        return self._forward_method("code").code

    @property
    def code_with_constants(self):
        """The source of ``forward`` and its constants."""
        code, constants = self._forward_method("code_with_constants").code_with_constants
        return code, _save.ConstMap(constants)

    def graph_for(self, *args, **kwargs):
        """Runs ``forward`` and gives the graph that ran."""
        return self._forward_method("graph_for").graph_for(*args, **kwargs)

    def save(self, f, _extra_files=None):
        """Saves the module under a path."""
        _save.save_to_file(self, f, _extra_files)

    def save_to_buffer(self, _extra_files=None):
        """The archive of the module, as bytes."""
        return _save.save_to_buffer(self, _extra_files)

    def _save_for_lite_interpreter(self, f, _extra_files=None, _save_mobile_debug_info=False):
        """Saves the module under a path, with its source and without bytecode: other lite interpreters cannot run it."""
        lite_interpreter_ends()
        _save.save_to_file(self, f, _extra_files)

    def _save_to_buffer_for_lite_interpreter(self, _extra_files=None, _save_mobile_debug_info=False):
        """As :meth:`_save_for_lite_interpreter`, as bytes."""
        lite_interpreter_ends()
        return _save.save_to_buffer(self, _extra_files)

    def __copy__(self):
        return _wrapped_copy(self, self._c._copy())

    def __deepcopy__(self, memo):
        return _wrapped_copy(self, self._c._deep_copy(), RecursiveScriptModule)

    def _replicate_for_data_parallel(self):
        return _wrapped_copy(self, self._c._copy())

    def __reduce_ex__(self, protocol):
        from ._pickling import reduce_module

        return reduce_module(self)

    def __dir__(self):
        names = {*dir(type(self)), *self.__dict__}
        if "_c" in self.__dict__:
            facts = _rushlight.facts_of(self._c)
            as_origin = _python_attribute(self, self._c, "__dir__") if facts is not None and facts.container == "list" else None
            if as_origin is not None:
                return as_origin()
            names.discard("training")
            names.update(name for name, kind in self._c._attributes() if kind != "attribute")
            if facts is not None and self.__dict__["_modules"]._origin is not None:
                methods = self._c._methods()
                # Those that are compiled because others call them do not show.
                names.update(name for name, _ in facts.entry_methods())
                names.update(name for name in dir(facts.cls) if _is_shown(facts.member(name)))
                has_own = "forward" in methods
            else:
                has_own = "forward" in self.__dict__
            # The class has one, and the instance its own; that of a trace is its class's.
            names = [*names, *(["forward"] if has_own and type(self) is RecursiveScriptModule else [])]
        return sorted(name for name in names if not name[:1].isdigit())


class RecursiveScriptModule(ScriptModule):
    """What scripting a module instance, or loading an archive, returns."""

    def __init__(self, inner):
        raise RuntimeError("RecursiveScriptModule is made by torch.jit.script and torch.jit.load")

    def extra_repr(self):
        return f"original_name={self.original_name}"

    @staticmethod
    def _construct(cpp_module, init_fn):
        """A module for a script object, readied by ``init_fn``."""
        module = wrap(cpp_module)
        init_fn(module)
        return module

    def get_debug_state(self):
        """The graph that ``forward`` runs."""
        return self._forward_method("get_debug_state").get_debug_state()

    def _reconstruct(self, cpp_module):
        """Makes another script object the state of this module; what stays in Python stays."""
        facts = _rushlight.facts_of(self._c)
        # Methods that were looked up are those of the object that goes.
        for name in [name for name, kept in self.__dict__.items() if isinstance(kept, _rushlight.ScriptMethod)]:
            del self.__dict__[name]
        _adopt(self, cpp_module, None)
        for name in vars(facts.cls) if facts is not None else ():
            function = None if name.startswith("__") else facts.python_method(name)
            if function is not None and not cpp_module._has_method(name):
                self.__dict__[name] = types.MethodType(function, self)

    def _magic(self, name, *args):
        """Containers answer these with the Python module that they were made from."""
        found = _python_attribute(self, self._c, name)
        # A loaded module does not answer, even where its class has the method.
        if found is None and _rushlight.facts_of(self._c) is not None and self._c._has_method(name):
            found = self._c._get_method(name)
        if found is None:
            raise NotImplementedError
        return found(*args)

    def forward_magic_method(self, method_name, *args, **kwargs):
        """Calls a method that only containers and scripts have."""
        return self._magic(method_name, *args)

    def __iter__(self):
        return self._magic("__iter__")

    def __getitem__(self, idx):
        return self._magic("__getitem__", idx)

    def __len__(self):
        return self._magic("__len__")

    def __contains__(self, key):
        return self._magic("__contains__", key)

    def __bool__(self):
        return True

    def __hash__(self):
        return id(self)


# Methods of ``Module`` that scripted modules refuse.
_REFUSED = (
    "_get_backward_hooks", "_get_backward_pre_hooks", "_maybe_warn_non_full_backward_hook", "_register_load_state_dict_pre_hook",
    "_register_state_dict_hook", "bfloat16", "compile", "get_buffer", "get_parameter", "get_submodule", "ipu", "mtia", "register_backward_hook",
    "register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook",
    "register_full_backward_pre_hook", "register_load_state_dict_post_hook", "register_load_state_dict_pre_hook",
    "register_state_dict_post_hook", "register_state_dict_pre_hook", "requires_grad_", "set_submodule", "to_empty", "xpu",
)


def _refusal(name):
    def refuse(self, *args, **kwargs):
        raise RuntimeError(name + " is not supported on ScriptModules")

    return refuse


for _name in _REFUSED:
    setattr(RecursiveScriptModule, _name, _refusal(_name))
del _name

ScriptModule.__module__ = RecursiveScriptModule.__module__ = "torch.jit._script"
# Errors about its arguments name the class that has the method in the reference.
ScriptModule.add_module.__qualname__ = "Module.add_module"
ScriptModule._replicate_for_data_parallel.__qualname__ = "RecursiveScriptModule._replicate_for_data_parallel"

# What containers answer in Python with the module that they were made from.
_CONTAINER_METHODS = frozenset({"__getitem__", "__len__", "__iter__", "__contains__", "__dir__"})


def _python_attribute(module, inner, name):
    """What a scripted module answers with Python: ignored methods, and those of containers."""
    facts = _rushlight.facts_of(inner)
    if facts is None:
        return None
    if facts.container in ("list", "dict") and name in _CONTAINER_METHODS:
        origin = module.__dict__["_modules"]._origin
        return getattr(origin, name, None) if origin is not None else None
    origin = module.__dict__["_modules"]._origin
    own = getattr(origin, "__dict__", {}).get(name)
    if isinstance(own, types.MethodType) and stays_python(own):
        # The instance has a method of its own in the place of its class's.
        return types.MethodType(own.__func__, module)
    function = facts.python_method(name)
    if function is not None:
        return types.MethodType(function, module)
    if name in facts.ignored and origin is not None:
        # What a property would give is not asked for.
        found = facts.member(name)
        return found if isinstance(found, property) else getattr(origin, name, None)
    return None


class _ScriptedHook:
    """A hook that was compiled with a module, as the tables of hooks hold it: a function of the module and its arguments."""

    def __init__(self, method):
        self._method = method

    def __call__(self, module, *args):
        return self._method(*args)

    def __getattr__(self, name):
        return getattr(self._method, name)


_ScriptedHook.__name__ = _ScriptedHook.__qualname__ = "ScriptFunction"
_ScriptedHook.__module__ = "torch.jit"


def _adopt(module, inner, origin):
    """Makes a script object the state of a Python module."""
    state = module.__dict__
    scripted = {n: m for n, m in (state.get("_modules") or {}).items() if isinstance(m, ScriptModule)}
    for table in ("_parameters", "_buffers", "_modules"):
        state.pop(table, None)
    for name in [n for n in state if inner._has_value(n)]:
        del state[name]
    state["_c"] = inner
    state["_parameters"] = _Tensors(inner, "parameter")
    state["_buffers"] = _Tensors(inner, "buffer")
    state["_modules"] = _Submodules(inner, origin, scripted)
    state["_non_persistent_buffers_set"] = set()
    for table in _hooks.TABLES:
        state[table] = collections.OrderedDict()
    state["_is_full_backward_hook"] = None
    if inner._has_hooks():
        state["_forward_pre_hooks"].update(enumerate(map(_ScriptedHook, inner._get_forward_pre_hooks())))
        state["_forward_hooks"].update(enumerate(map(_ScriptedHook, inner._get_forward_hooks())))
    if origin is not None:
        for name in ("__getstate__", "__setstate__"):
            if inner._has_method(name):
                state[name] = inner._get_method(name)
    # What others only call stays Python's, as does everything of a loaded module.
    _put_first(module, inner, [name for name in _OF_MODULES if _is_exported(origin, name)])
    _wrappers[inner._id()] = module


# What every module can do. Methods of Python's own protocols are looked up in the class.
_OF_MODULES = frozenset(name for name in dir(ScriptModule) if not name.startswith("__") and name != "forward")


def _is_shown(member):
    """Whether scripted modules list what their class has: properties, and methods that stay Python's."""
    return isinstance(member, property) or modifier_of(member) in ("ignore", "unused")


def _is_exported(origin, name):
    """Whether a module's class exports the method."""
    return modifier_of(getattr(type(origin), name, None)) == "export"


def _put_first(module, inner, names=_OF_MODULES):
    """Lets methods of the script win over those that every module has (``double``, ``train``)."""
    for name in set(names).intersection(inner._methods()):
        module.__dict__[name] = _documented(inner, name)


def _documented(inner, name):
    """A method of a script object, with the text that documents the function it was compiled from."""
    method = inner._get_method(name)
    facts = _rushlight.facts_of(inner)
    function = facts.member(name) if facts is not None else None
    method.__doc__ = function.__doc__ if isinstance(function, types.FunctionType) else None
    return method


def wrap(inner, origin=None):
    """The Python module of a script object: always the same one while it lives."""
    known = _wrappers.get(inner._id())
    if known is not None and known._c._same(inner):
        return known
    module = RecursiveScriptModule.__new__(RecursiveScriptModule)
    _adopt(module, inner, origin)
    return module


def wrap_frozen(inner):
    """The Python module of a script object that has been frozen: it lists no submodules."""
    module = wrap(inner)
    module.__dict__["_modules"] = _Unlisted(inner)
    return module


def _wrapped_copy(module, inner, kind=None):
    kind = kind or type(module)
    out = kind.__new__(kind)
    _adopt(out, inner, None)
    return out


def script_instance(module, share_types=True):
    """``torch.jit.script`` of a module instance; its type and those of its parts are its own where they are not shared."""
    return wrap(_rushlight.script_module(module, share_types=share_types), module)


def _wrap_object(inner, is_module):
    return wrap(inner) if is_module else inner


_rushlight.register("wrap_object", _wrap_object)

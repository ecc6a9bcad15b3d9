"""``Module``: the base of everything that holds parameters.

Parameters, buffers and submodules live in three tables of the instance; attribute access looks there after the usual
places. Hooks, state, conversions and walks are in files of their own.
"""

from collections import OrderedDict
from typing import Optional, TypeVar

from ... import _alias
from ..._notebook import module_html
from ..._functions import typename
from ..._rushlight import Tensor
from ..parameter import Buffer, Parameter
from . import _hooks
from ._conversion import Conversions
from ._hooks import (  # noqa: F401
    HookTables,
    _global_backward_hooks,
    _global_backward_pre_hooks,
    _global_buffer_registration_hooks,
    _global_forward_hooks,
    _global_forward_pre_hooks,
    _global_module_registration_hooks,
    _global_parameter_registration_hooks,
    register_module_backward_hook,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from ._state import StateDicts, _EXTRA as _EXTRA_STATE_KEY_SUFFIX, _IncompatibleKeys  # noqa: F401
from ._traversal import Traversal

__all__ = [
    "Module", "register_module_backward_hook", "register_module_buffer_registration_hook", "register_module_forward_hook",
    "register_module_forward_pre_hook", "register_module_full_backward_hook", "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook", "register_module_parameter_registration_hook",
]

_TABLES = ("_parameters", "_buffers", "_modules")


def _addindent(text, spaces):
    """Indents all lines but the first."""
    return text.replace("\n", "\n" + " " * spaces)


class Module:
    """The base class of modules."""

    dump_patches: bool = False
    _version: int = 1
    training: bool
    # Only modules trained elsewhere set it; archives name it with this type.
    _is_full_backward_hook: Optional[bool]
    call_super_init: bool = False
    # What ``state_dict`` writes into.
    T_destination = TypeVar("T_destination", bound=dict)

    def __init__(self, *args, **kwargs):
        if not self.call_super_init and kwargs:
            raise TypeError(f"{type(self).__name__}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'")
        if not self.call_super_init and args:
            raise TypeError(f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} were given")
        state = self.__dict__
        state["training"] = True
        state["_parameters"] = {}
        state["_buffers"] = {}
        state["_non_persistent_buffers_set"] = set()
        for table in _hooks.TABLES[:2]:
            state[table] = OrderedDict()
        state["_is_full_backward_hook"] = None
        for table in _hooks.TABLES[2:]:
            state[table] = OrderedDict()
        state["_modules"] = {}
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    def forward(self, *_, **__):
        """What the module computes, for subclasses to write."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args, **kwargs):
        if Module._call_impl is not _call_impl:
            # A program has put something else in its place.
            return self._call_impl(*args, **kwargs)
        if (
            _hooks.call_forward is not None
            or self._backward_hooks
            or self._backward_pre_hooks
            or self._forward_pre_hooks
            or self._forward_hooks
            or _global_forward_hooks
            or _global_forward_pre_hooks
            or _global_backward_hooks
            or _global_backward_pre_hooks
        ):
            return _hooks.run_with_hooks(self, args, kwargs)
        return self.forward(*args, **kwargs)

    _compiled_call_impl = None
    # Calls by the names that they have inside of the reference.
    _wrapped_call_impl = __call__

    def _call_impl(self, *args, **kwargs):
        """What a call does: the forward, between hooks where there are some."""
        if _hooks.any_for(self):
            return _hooks.run_with_hooks(self, args, kwargs)
        return self.forward(*args, **kwargs)

    def _slow_forward(self, *args, **kwargs):
        """``forward`` without hooks."""
        return self.forward(*args, **kwargs)

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if "_call_impl" in cls.__dict__ and "__call__" not in cls.__dict__:
            cls.__call__ = cls._call_impl
        _alias.adopt_class(cls)

    # Registration.

    def _check_name(self, kind, table, name):
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain "."' + (f", got: {name}" if kind == "module" else ""))
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if hasattr(self, name) and name not in table:
            raise KeyError(f"attribute '{name}' already exists")

    def register_buffer(self, name, tensor, persistent=True):
        """Adds a tensor that belongs to the state without being trained; non-persistent ones stay out of ``state_dict``."""
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_name("buffer", self._buffers, name)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        if _global_buffer_registration_hooks:
            tensor = _hooks.registered(_global_buffer_registration_hooks, self, name, tensor)
        self._buffers[name] = tensor
        (self._non_persistent_buffers_set.discard if persistent else self._non_persistent_buffers_set.add)(name)

    def register_parameter(self, name, param):
        """Adds a parameter, or None in its place."""
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        self._check_name("parameter", self._parameters, name)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{typename(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)"
            )
        if param is not None and param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. To "
                f"express '{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        if param is not None and _global_parameter_registration_hooks:
            param = _hooks.registered(_global_parameter_registration_hooks, self, name, param)
        self._parameters[name] = param

    def add_module(self, name, module):
        """Adds a submodule."""
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{typename(module)} is not a Module subclass")
        self._check_name("module", self._modules, name)
        self._set_module(name, module)

    def register_module(self, name, module):
        """Adds a submodule."""
        self.add_module(name, module)

    # Attributes.

    def __getattr__(self, name):
        state = self.__dict__
        for table in _TABLES:
            held = state.get(table)
            if held is not None and name in held:
                return held[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name, value):
        state = self.__dict__
        if isinstance(value, Parameter):
            self._make_room(name, "_parameters", "parameters")
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            self._make_room(name, "_modules", "module")
            self._set_module(name, value)
        elif name in state.get("_parameters", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as parameter '{name}' (torch.nn.Parameter or None expected)"
                )
            self.register_parameter(name, value)
        elif name in state.get("_modules", ()):
            if value is not None:
                raise TypeError(f"cannot assign '{typename(value)}' as child module '{name}' (torch.nn.Module or None expected)")
            self._set_module(name, value)
        elif isinstance(value, Buffer) or name in state.get("_buffers", ()):
            self._set_buffer(name, value)
        else:
            super().__setattr__(name, value)

    def _make_room(self, name, table, what):
        """Takes a name out of the places other than ``table``."""
        state = self.__dict__
        if table not in state:
            raise AttributeError(f"cannot assign {what} before Module.__init__() call")
        state.pop(name, None)
        for other in _TABLES:
            if other != table:
                state[other].pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def _set_module(self, name, value):
        if _global_module_registration_hooks:
            value = _hooks.registered(_global_module_registration_hooks, self, name, value)
        self._modules[name] = value

    def _set_buffer(self, name, value):
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(
                f"cannot assign '{typename(value)}' as buffer '{name}' (torch.nn.Buffer, torch.Tensor or None expected)"
            )
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        if isinstance(value, Buffer):
            persistent = value.persistent
        else:
            persistent = name not in self._non_persistent_buffers_set
        if name not in self._buffers:
            self._make_room(name, "_buffers", "buffer")
        self.register_buffer(name, value, persistent)

    def __delattr__(self, name):
        for table in _TABLES:
            if name in self.__dict__.get(table, ()):
                del self.__dict__[table][name]
                self._non_persistent_buffers_set.discard(name)
                return
        super().__delattr__(name)

    def __dir__(self):
        names = {*dir(type(self)), *self.__dict__}
        for table in _TABLES:
            names.update(self.__dict__[table])
        return sorted(name for name in names if not name[0].isdigit())

    def __setstate__(self, state):
        self.__dict__.update(state)
        for table in _hooks.TABLES:
            self.__dict__.setdefault(table, OrderedDict())
        self.__dict__.setdefault("_non_persistent_buffers_set", set())

    # Printing.

    def _get_name(self):
        return type(self).__name__

    def extra_repr(self):
        """What ``repr`` shows between the parentheses, for subclasses to write."""
        return ""

    def _repr_html_(self):
        """What notebooks show: a tree that folds."""
        return module_html(self)

    def __repr__(self):
        extra = self.extra_repr()
        extra_lines = extra.split("\n") if extra else []
        children = [f"({name}): " + _addindent(repr(child), 2) for name, child in self._modules.items()]
        if len(extra_lines) == 1 and not children:
            return f"{self._get_name()}({extra_lines[0]})"
        lines = extra_lines + children
        if not lines:
            return f"{self._get_name()}()"
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"


# What the parts have becomes the class's own; messages about calls name the class that people know.
for _part in (HookTables, StateDicts, Conversions, Traversal):
    for _name, _method in vars(_part).items():
        if callable(_method) and hasattr(_method, "__qualname__"):
            _method.__qualname__ = f"Module.{_name}"
        if _name not in vars(Module):
            setattr(Module, _name, _method)
_call_impl = Module._call_impl

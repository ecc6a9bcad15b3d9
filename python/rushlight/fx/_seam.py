"""Where functions of the library meet proxies: calls with one among their arguments are recorded instead of made.

Operators, methods of tensors and functions of ``torch.nn.functional`` look at nothing but tensors, so that ordinary calls
cost nothing. While a proxy is alive they look for proxies first: the classes behind operators get another ``__call__``,
functions written in Python another code. With the last proxy everything is as before.
"""

import inspect
import threading
import types

import rushlight

from .. import functional, nn
from .._rushlight import Builtin, ScriptMethod, ScriptObject, Tensor
from ..nn import functional as F
from ._targets import Method

_lock = threading.RLock()
_alive = 0
# What undoes each change, while there are changes.
_undo = []

# Functions that stay as they are: they call others, which are recorded.
_TRANSPARENT = frozenset((
    "sigmoid", "tanh", "upsample", "upsample_bilinear", "upsample_nearest", "assert_int_or_pair", "boolean_dispatch", "filled",
    "repeated", "publish", "has_torch_function", "has_torch_function_unary", "has_torch_function_variadic",
))
# Parameters that are not recorded, and the order of those by name where it is not that of the definition.
_LEFT_OUT = {"l1_loss": ("weight",)}
_ORDERS = {
    "multi_head_attention_forward": (
        "training", "key_padding_mask", "need_weights", "attn_mask", "is_causal", "use_separate_proj_weight",
        "q_proj_weight", "k_proj_weight", "v_proj_weight", "static_k", "static_v", "average_attn_weights",
    ),
}
# Operators that the reference keeps as Python functions with arguments by name, and what is recorded for those.
_NAMED_DEFAULTS = {"meshgrid": {"indexing": None}}


def entered():
    """A proxy has been made."""
    global _alive
    with _lock:
        _alive += 1
        if not _undo:
            _install()


def left():
    """A proxy is gone."""
    global _alive
    with _lock:
        _alive -= 1
        if _alive == 0:
            while _undo:
                _undo.pop()()


def find_proxy(values):
    """The first proxy among arguments, also inside of their containers; None where there is none."""
    from .proxy import Proxy

    for value in values:
        if isinstance(value, Proxy):
            return value
        if isinstance(value, (tuple, list)):
            found = find_proxy(value)
        elif isinstance(value, dict):
            found = find_proxy(value.values())
        elif isinstance(value, slice):
            found = find_proxy((value.start, value.stop, value.step))
        else:
            continue
        if found is not None:
            return found
    return None


def _record(proxy, function, args, kwargs):
    return type(proxy).__torch_function__(function, (type(proxy),), args, kwargs)


def _set(owner, name, value):
    before = owner.__dict__[name]
    setattr(owner, name, value)
    _undo.append(lambda: setattr(owner, name, before))
    return before


def _install():
    # The calls of operators.
    call = Builtin.__dict__["__call__"]

    def call_operator(self, *args, **kwargs):
        proxy = find_proxy((*args, *kwargs.values()))
        if proxy is None:
            return call(self, *args, **kwargs)
        if self.__name__ in _NAMED_DEFAULTS:
            kwargs = {**_NAMED_DEFAULTS[self.__name__], **kwargs}
        elif self.__name__ == "einsum" and len(args) == 2 and isinstance(args[1], (list, tuple)):
            args = (args[0], *args[1])
        return _record(proxy, self, args, kwargs)

    _set(Builtin, "__call__", call_operator)
    # Methods of tensors.
    get = Method.__dict__["__get__"]

    def get_method(self, tensor, owner=None):
        found = get(self, tensor, owner)
        return _TensorMethod(found, self, tensor) if isinstance(found, Builtin) else found

    _set(Method, "__get__", get_method)
    _set(ScriptMethod, "__call__", _script_call(ScriptMethod.__dict__["__call__"]))
    for name, recorded in _DIRECT_METHODS.items():
        _set(Tensor, name, _looking_for_proxies(recorded, Tensor.__dict__[name]))
    if not _prepared:
        _prepared.extend(_other_code(function, target) for function, target in _python_functions())
    for function, own, other, signature in _prepared:
        function.__code__ = other
        # Who asks for the parameters still finds them.
        function.__signature__ = signature
    _undo.append(_restore_code)


# (function, its code, the code that looks for proxies, its signature): made once.
_prepared = []


def _restore_code():
    for function, own, _, _ in _prepared:
        function.__code__ = own
        del function.__signature__


# Methods that the class of tensors has itself, and what is recorded for each. Comparisons and changes in place are among
# them because Python would turn them round.
_DIRECT_METHODS = {
    **{f"__{name}__": name for name in ("lt", "le", "gt", "ge", "eq", "ne")},
    **{f"__i{name}__": f"{name}_" for name in ("add", "sub", "mul")},
    **{name: name for name in ("__getitem__", "__ior__", "__iand__", "__ixor__")},
    **{name: name for name in ("new_tensor", "where", "type", "size", "stride")},
    **{f"__{name}__": name for name in ("add", "sub", "mul", "matmul", "pow")},
    **{name: name for name in ("__floordiv__", "__lshift__", "__rshift__", "__and__", "__or__", "__xor__", "__setitem__")},
    "__truediv__": "div", "__mod__": "remainder", "__itruediv__": "div_",
}


class _TensorMethod:
    """A method of a certain tensor, which is no proxy."""

    __slots__ = ("_bound", "_method", "_tensor")

    def __init__(self, bound, method, tensor):
        self._bound, self._method, self._tensor = bound, method, tensor

    def __call__(self, *args, **kwargs):
        proxy = find_proxy((*args, *kwargs.values()))
        if proxy is None:
            return self._bound(*args, **kwargs)
        return _record(proxy, self._method, (self._tensor, *args), kwargs)

    def __getattr__(self, name):
        return getattr(self._bound, name)

    def __repr__(self):
        return repr(self._bound)


def _script_call(call):
    """Calls of compiled methods: they are recorded where it is plain which of the root's modules they belong to."""

    def call_method(self, *args, **kwargs):
        proxy = find_proxy((*args, *kwargs.values()))
        owner = None if proxy is None else _owner(self, proxy.tracer)
        if owner is None:
            return call(self, *args, **kwargs)
        return proxy.tracer.create_proxy("call_method", self.name, (owner, *args), kwargs)

    return call_method


def _owner(method, tracer):
    """The script object of a method, if just one below the root has it."""
    found = []
    for _, module in getattr(tracer, "root", nn.Module()).named_modules():
        held = vars(module).get("_c")
        theirs = getattr(held, method.name, None) if isinstance(held, ScriptObject) else None
        if isinstance(theirs, ScriptMethod) and str(theirs.schema) == str(method.schema):
            found.append(held)
    return found[0] if len(found) == 1 else None


def _looking_for_proxies(recorded, method):
    def look(tensor, *args, **kwargs):
        proxy = find_proxy((*args, *kwargs.values()))
        if proxy is None:
            return method(tensor, *args, **kwargs)
        return proxy.tracer.create_proxy("call_method", recorded, (tensor, *args), kwargs)

    return look


def _python_functions():
    """The functions written in Python, each with the function that is recorded for it."""
    flags = {}
    for name, function in vars(F).items():
        if hasattr(function, "_boolean_dispatch"):
            flags[function._boolean_dispatch[4]] = function
    seen = set()
    for name, function in list(vars(F).items()):
        if not isinstance(function, types.FunctionType) or name in _TRANSPARENT or name.startswith("__"):
            continue
        # Some have two names.
        if hasattr(function, "_boolean_dispatch") or function in flags or function in seen:
            continue
        seen.add(function)
        yield function, function
    for function, target in flags.items():
        yield function, target
    for name in ("norm", "stft", "cdist", "tensordot", "unique", "unique_consecutive"):
        yield getattr(functional, name), getattr(functional, name)
    for name in ("split", "chunk", "is_floating_point", "is_complex", "numel", "_assert"):
        yield getattr(rushlight, name), getattr(rushlight, name)


def _template(*args, **kwargs):
    recorder = "recorder"
    return recorder(*args, **kwargs)


def _other_code(function, target):
    """What :data:`_prepared` has for a function: a body that looks for proxies among the arguments."""
    own = function.__code__
    original = types.FunctionType(own, function.__globals__, function.__name__, function.__defaults__, function.__closure__)
    original.__kwdefaults__ = function.__kwdefaults__
    signature = inspect.signature(function)

    def recorder(*args, **kwargs):
        proxy = find_proxy((*args, *kwargs.values()))
        if proxy is None:
            return original(*args, **kwargs)
        return _record(proxy, target, *_as_recorded(target.__name__, signature, args, kwargs))

    constants = tuple(recorder if constant == "recorder" else constant for constant in _template.__code__.co_consts)
    other = _template.__code__.replace(
        co_consts=constants, co_freevars=own.co_freevars, co_name=own.co_name, co_filename=own.co_filename,
        co_firstlineno=own.co_firstlineno,
    )
    return function, own, other, signature


def _as_recorded(name, signature, args, kwargs):
    """Arguments without a default by position, the others by name and all of them, as the reference records them."""
    if name in _AS_CALLED:
        return args, kwargs
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    positional, named = [], {}
    for parameter in signature.parameters.values():
        value = bound.arguments[parameter.name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional += value
        elif parameter.kind is parameter.VAR_KEYWORD:
            named.update(value)
        elif parameter.default is parameter.empty and parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
            positional.append(value)
        elif parameter.name not in _LEFT_OUT.get(name, ()):
            named[parameter.name] = value
    if name == "unique":
        named = {"sorted": True, "return_inverse": False, "return_counts": False, "dim": None, **named}
    if name in _ORDERS:
        named = {key: named[key] for key in _ORDERS[name]}
    return tuple(positional), named


# Functions of Python that are operators in the reference.
_AS_CALLED = frozenset(("chunk", "is_floating_point", "is_complex", "numel", "_assert"))

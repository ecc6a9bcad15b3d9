"""Where functions of the library ask their arguments for operators of their own (``__torch_function__``), and modes.

Ordinary calls look at nothing but tensors. While there is a reason (a proxy of ``torch.fx`` is alive, a program has defined
a class that overrides, a mode is on), the classes behind operators and methods have another ``__call__``, attributes of
tensors are other descriptors, and functions written in Python have another code, which all look at the arguments first.
With the last reason everything is as before. Of a class that is looked up (``torch.Tensor.add``), and under the names of
functions, programs get the same objects at all times.
"""

import contextlib
import inspect
import threading
import types
import warnings

import rushlight

from . import functional, nn  # noqa: F401  for the functions whose code changes
from ._once import warn_once
from ._rushlight import Builtin, ScriptMethod, Tensor
from ._tensor_kinds import _disabled_torch_function_impl
from .nn import functional as F

Method = type(Tensor.__dict__["add"])
_OPERATOR_ATTRIBUTE = type(Tensor.__dict__["T"])
_lock = threading.RLock()
# How many there are of each reason.
_reasons = {"proxies": 0, "classes": 0, "modes": 0}
# What undoes each change, while there are changes.
_undo = []
# The module of `torch.fx` that records, while proxies are alive.
_proxies = None


class _State(threading.local):
    """What a thread has switched on and off."""

    modes = ()
    modes_off = 0
    subclasses_off = 0


state = _State()


def add(reason, proxies=None):
    """There is one more reason to ask."""
    global _proxies
    with _lock:
        _reasons[reason] += 1
        _proxies = proxies or _proxies
        if not _undo:
            _install()
        if reason == "modes" and _reasons["modes"] == 1:
            _watch_makers()


def drop(reason):
    """There is one reason less."""
    global _proxies
    with _lock:
        _reasons[reason] -= 1
        if not _reasons["proxies"]:
            _proxies = None
        if reason == "modes" and not _reasons["modes"]:
            vars(rushlight).update(_makers)
        if not any(_reasons.values()):
            while _undo:
                _undo.pop()()


def class_defined(kind):
    """A program has defined a class of tensors; it is asked from here on, unless it has switched that off."""
    if overrides(kind) and not _reasons["classes"]:
        add("classes")


def overrides(kind):
    """Whether a class brings operators of its own."""
    handler = getattr(kind, "__torch_function__", None)
    return handler is not None and handler is not _disabled_torch_function_impl and kind is not Tensor


# Classes of most arguments: they bring nothing.
_PLAIN = frozenset((Tensor, int, float, bool, str, complex, type(None), slice, type(...), rushlight.dtype, rushlight.device))


def _place(asked, value, kind):
    """Adds an argument to those that are asked: one of each class, subclasses before what they derive from."""
    if not any(type(other) is kind for other in asked):
        place = next((i for i, other in enumerate(asked) if issubclass(kind, type(other))), len(asked))
        asked.insert(place, value)


def who_is_asked(values):
    """The values that bring operators, in the order of asking."""
    asked = []
    for value in values:
        if overrides(type(value)):
            _place(asked, value, type(value))
    return asked


def _ask(args, kwargs):
    """Who is asked about a call: None where nobody is, an empty list where only a mode is."""
    asked = None
    if not state.subclasses_off:
        for value in (*args, *kwargs.values()) if kwargs else args:
            kind = type(value)
            if kind in _PLAIN:
                continue
            for item in value if kind is list or kind is tuple else (value,):
                kind = type(item)
                if kind not in _PLAIN and overrides(kind):
                    asked = [] if asked is None else asked
                    _place(asked, item, kind)
    if asked is None and state.modes and not state.modes_off:
        return []
    return asked


@contextlib.contextmanager
def _without(mode_stack):
    before = state.modes
    state.modes = mode_stack
    try:
        yield
    finally:
        state.modes = before


def _handler(value, of_python):
    """How an argument is asked."""
    handler = value.__torch_function__
    if getattr(handler, "__self__", None) is value:
        if of_python:
            warnings.warn(
                "Defining your `__torch_function__ as a plain method is deprecated and will be an error in future, please define "
                "it as a classmethod.", DeprecationWarning, stacklevel=4,
            )  # fmt: skip
        else:
            warn_once(
                "Defining your `__torch_function__` as a plain method is deprecated and will be an error in future, please "
                "define it as a classmethod.", stacklevel=4,
            )  # fmt: skip
    return handler


def dispatch(function, asked, args, kwargs, kinds=None, of_python=False):
    """What the mode that is on, or the arguments that bring operators, make of a call.

    ``of_python``: whether the reference has the function in Python, where keywords are always a dictionary and refusals have
    other words.
    """
    kinds = tuple(type(each) for each in asked) if kinds is None else kinds
    kwargs = kwargs or ({} if of_python else None)
    mode = None
    if state.modes and not state.modes_off:
        *rest, mode = state.modes
        with _without(tuple(rest)):
            result = mode.__torch_function__(function, kinds, args, kwargs)
        if result is not NotImplemented:
            return result
    for each in asked:
        result = _handler(each, of_python)(function, kinds, args, kwargs)
        if result is not NotImplemented:
            return result
    raise TypeError(_refusal(function, asked, mode, of_python))


def _refusal(function, asked, mode, of_python):
    if of_python:
        also = "" if mode is None else f" nor in mode {mode!r}"
        kinds = [type(each) for each in asked]
        return f"no implementation found for '{_path(function)}' on types that implement __torch_function__: {kinds}{also}"
    lines = [] if mode is None else [f"  - mode object {mode!r}"]
    lines += [f"  - tensor subclass {type(each)}" for each in asked]
    told = "\n".join(lines)
    return (
        f"Multiple dispatch failed for '{_path(function, inner=True)}'; all __torch_function__ handlers returned NotImplemented:"
        f"\n\n{told}\n\nFor more information, try re-running with TORCH_LOGS=not_implemented"
    )


def _path(function, inner=False):
    """The dotted name of a function in refusals. ``inner``: with the name that an operator has within."""
    from .fx._targets import qualified_name

    if inner and isinstance(function, Builtin):
        space, _, name = function.path.rpartition(".")
        space = "torch.nn" if space in ("torch.nn.functional", "torch._C._nn") else space
        return f"{space}.{name if space in ('torch', 'torch.nn') else function.__name__}"
    if function.__name__ in ("__get__", "__set__", "__delete__"):
        from .overrides import resolve_name

        return resolve_name(function)
    path = qualified_name(function)
    return path.replace("torch.nn.functional.", "torch.nn.") if inner else path


def default(kind, function, types, args, kwargs):
    """What ``Tensor.__torch_function__`` does: the plain call, with tensors among the results made ones of the class."""
    if not all(issubclass(kind, each) for each in types):
        return NotImplemented
    state.subclasses_off += 1
    try:
        result = function(*args, **(kwargs or {}))
        if kind is Tensor or function in nowrap_functions():
            return result
        return _converted(result, kind)
    finally:
        state.subclasses_off -= 1


def _converted(result, kind):
    if isinstance(result, Tensor):
        return result if isinstance(result, kind) else result.as_subclass(kind)
    if isinstance(result, (tuple, list)):
        parts = [_converted(each, kind) for each in result]
        # Named tuples are made of their parts one by one.
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    return result


_nowrap = None


def nowrap_functions():
    """Attributes whose value stays as it is."""
    global _nowrap
    if _nowrap is None:
        _nowrap = {getattr(Tensor, name).__get__ for name in ("_base", "grad")}
    return _nowrap


# What the class of tensors keeps for itself.
_OWN = frozenset((
    "__new__", "__init__", "__init_subclass__", "__torch_function__", "__hash__", "__getattribute__", "__dict__", "__doc__", "__module__",
    "__weakref__", "__delitem__", "__array_priority__", "__dlpack__", "__iter__", "as_subclass", "_make_subclass", "_same", "_op",
    "_script_text", "number", "_repr_html_",
))  # fmt: skip
# Operators of Python, and the methods that are handed over for those.
_FORWARDED = {
    **{f"__{name}__": name for name in ("add", "sub", "mul", "matmul", "lt", "le", "gt", "ge", "ne", "neg", "abs")},
    **{f"__i{name}__": f"{name}_" for name in ("add", "sub", "mul")},
    "__radd__": "add", "__rmul__": "mul", "__truediv__": "div", "__mod__": "remainder", "__itruediv__": "div_", "__imod__": "remainder_",
    "__ifloordiv__": "floor_divide_", "__rand__": "bitwise_and", "__ror__": "bitwise_or", "__rxor__": "bitwise_xor", "__pos__": "positive",
}  # fmt: skip
# Operators that leave what they do not take to the other operand.
_SIGNS = frozenset(
    f"__{side}{name}__"
    for side in ("", "r", "i")
    for name in "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift lt le gt ge eq ne".split()
)
# Those of them, and other methods, that the reference has in Python.
_OF_PYTHON = frozenset((
    "__rsub__", "__rtruediv__", "__floordiv__", "__rfloordiv__", "__rmod__", "__pow__", "__rpow__", "__ipow__", "__rmatmul__", "__rlshift__",
    "__rrshift__", "__len__", "__repr__", "__format__", "__reduce_ex__", "__reversed__", "__contains__", "__array__", "__deepcopy__", "norm", "backward",
    "unique", "unique_consecutive", "stft", "storage", "is_shared", "share_memory_", "register_hook", "register_post_accumulate_grad_hook",
))  # fmt: skip
# Methods of the reference's Python that are operators here, with their keywords.
_METHOD_DEFAULTS = {"split": {"dim": 0}, "norm": {"p": "fro", "dim": None, "keepdim": False, "dtype": None}}
# What `torch.fx` records for methods that the class of tensors has itself. Comparisons and changes in place are among
# them because Python would turn them round.
_RECORDED = {
    **{f"__{name}__": name for name in ("lt", "le", "gt", "ge", "eq", "ne")},
    **{f"__i{name}__": f"{name}_" for name in ("add", "sub", "mul")},
    **{name: name for name in ("__getitem__", "__ior__", "__iand__", "__ixor__")},
    **{name: name for name in ("new_tensor", "where", "type", "size", "stride")},
    **{f"__{name}__": name for name in ("add", "sub", "mul", "matmul", "pow")},
    **{name: name for name in ("__floordiv__", "__lshift__", "__rshift__", "__and__", "__or__", "__xor__", "__setitem__")},
    "__truediv__": "div", "__mod__": "remainder", "__itruediv__": "div_",
}


class _TensorMethod:
    """A method of a certain tensor."""

    __slots__ = ("_bound", "_method", "_tensor")

    def __init__(self, bound, method, tensor):
        self._bound, self._method, self._tensor = bound, method, tensor

    def __call__(self, *args, **kwargs):
        if _proxies is not None:
            proxy = _proxies.find_proxy((*args, *kwargs.values()))
            if proxy is not None:
                return _proxies.record(proxy, self._method, (self._tensor, *args), kwargs)
        asked = _ask((self._tensor, *args), kwargs)
        if asked is None:
            return self._bound(*args, **kwargs)
        return _dispatch_method(self._method, asked, (self._tensor, *args), kwargs)

    def __getattr__(self, name):
        return getattr(self._bound, name)

    def __repr__(self):
        return repr(self._bound)


def _dispatch_method(method, asked, args, kwargs):
    if method.__name__ in _METHOD_DEFAULTS:
        kwargs = {**_METHOD_DEFAULTS[method.__name__], **kwargs}
        return dispatch(method, asked, args, kwargs, _kinds(args), of_python=True)
    return dispatch(method, asked, args, kwargs)


def _kinds(args):
    """The classes of all arguments that are tensors or bring operators, in the order of asking."""
    found = []
    for value in args:
        for item in value if type(value) in (list, tuple) else (value,):
            kind = type(item)
            if kind is Tensor or kind not in _PLAIN and overrides(kind):
                _place(found, item, kind)
    return tuple(type(each) for each in found)


class _Slot:
    """An attribute of the class of tensors that is called and asks first. Of the class itself it is the attribute of before."""

    def __init__(self, name, before):
        self.before = before = _FOR_CLASSES[name](before) if name in _FOR_CLASSES else before
        self.call = _asking_slot(name, before)

    def __get__(self, tensor, owner=None):
        return self.before if tensor is None else types.MethodType(self.call, tensor)


def _asking_slot(name, before):
    handed_over = getattr(Tensor, _FORWARDED.get(name, name)) if name in _FORWARDED else before
    recorded = _RECORDED.get(name)
    of_python, leaves = name in _OF_PYTHON, name in _SIGNS
    signature = inspect.signature(before) if of_python and isinstance(before, types.FunctionType) else None

    def call(tensor, *args, **kwargs):
        if _proxies is not None and recorded is not None:
            proxy = _proxies.find_proxy((*args, *kwargs.values()))
            if proxy is not None:
                return proxy.tracer.create_proxy("call_method", recorded, (tensor, *args), kwargs)
        args = (tensor, *args)
        asked = _ask(args, kwargs)
        if asked is None:
            return before(*args, **kwargs)
        kinds = _kinds(args) if of_python else None
        if name == "__eq__" and not overrides(type(tensor)):
            return _equal(asked, args)
        if name in _METHOD_DEFAULTS:
            names = tuple(_METHOD_DEFAULTS[name])
            args, kwargs = (tensor,), {**_METHOD_DEFAULTS[name], **dict(zip(names, args[1:])), **kwargs}
        elif signature is not None:
            args, kwargs = as_recorded(name, signature, args, kwargs)
        if not leaves:
            return dispatch(handed_over, asked, args, kwargs, kinds, of_python)
        try:
            return dispatch(handed_over, asked, args, kwargs, kinds, of_python)
        except TypeError:
            return NotImplemented

    call.__name__ = name
    return call


_NO_COPY = (
    "The default implementation of __deepcopy__() for non-wrapper subclasses only works for subclass types that implement "
    "new_empty() and for which that function returns another instance of the same subclass. You should either properly "
    "implement new_empty() for your subclass or override __deepcopy__() if it is intended behavior for new_empty() to return "
    "an instance of a different type."
)


def _deepcopied(before):
    def __deepcopy__(self, memo):
        tensor, kind = self, type(self)
        if not overrides(kind):
            return before(tensor, memo)
        if id(tensor) in memo:
            return memo[id(tensor)]
        if type(tensor.new_empty([])) is not kind:
            raise RuntimeError(_NO_COPY)
        import copy

        out = before(tensor, memo).as_subclass(kind)
        memo[id(tensor)] = out
        vars(out).update(copy.deepcopy(vars(tensor), memo))
        return out

    return __deepcopy__


def _equal(asked, args):
    """``==`` of a tensor that is not asked with what is."""
    try:
        return dispatch(Tensor.eq, asked, args, None)
    except TypeError:
        return NotImplemented


def _shown(before):
    def __repr__(self, *, tensor_contents=None):
        text = before(self)
        from .nn.parameter import Parameter

        kind = type(self)
        if kind in (Tensor, Parameter) or not text.startswith("tensor("):
            return text
        # The lines below the first begin where the numbers do.
        wider = len(kind.__name__) - len("tensor")
        first, *rest = text.splitlines()
        rest = [line and (" " * wider + line if wider >= 0 else line[min(-wider, len(line) - len(line.lstrip())):]) for line in rest]
        text = "\n".join((kind.__name__ + first.removeprefix("tensor"), *rest))
        return f"Parameter({text})" if isinstance(self, Parameter) else text

    return __repr__


def _formatted(before):
    def __format__(self, format_spec):
        return object.__format__(self, format_spec) if overrides(type(self)) else before(self, format_spec)

    return __format__


# Methods that do more for classes that override.
_FOR_CLASSES = {"__deepcopy__": _deepcopied, "__repr__": _shown, "__format__": _formatted}


def _iterated(tensor):
    """The parts, by operators that are asked."""
    if tensor.dim() == 0:
        raise TypeError("iteration over a 0-d tensor")
    return iter(tensor.unbind(0))


class _Routed:
    """A method that goes by others where somebody is asked. Of the class itself it is the method of before."""

    def __init__(self, before, by):
        self.before, self.by = before, by

    def __get__(self, tensor, owner=None):
        if tensor is None:
            return self.before
        by_others = _ask((tensor,), None) is not None
        return types.MethodType(self.by if by_others else self.before, tensor)


class _Attribute:
    """An attribute of tensors that asks first. Of the class itself it is the attribute of before."""

    def __init__(self, before):
        self.before = before

    def __get__(self, tensor, owner=None):
        if tensor is None:
            return self.before
        asked = _ask((tensor,), None)
        if asked is None:
            return self.before.__get__(tensor, owner)
        return dispatch(self.before.__get__, asked, (tensor,), None, (type(tensor),))

    def __set__(self, tensor, value):
        asked = _ask((tensor,), None)
        if asked is None:
            return self.before.__set__(tensor, value)
        return dispatch(self.before.__set__, asked, (tensor, value), None, (type(tensor),))

    def __delete__(self, tensor):
        self.before.__delete__(tensor)


def _set(owner, name, value):
    before = owner.__dict__[name]
    setattr(owner, name, value)
    _undo.append(lambda: setattr(owner, name, before))


def _get_of_methods(get):
    def __get__(self, tensor, owner=None):
        if tensor is None:
            return self
        found = get(self, tensor, owner)
        return found if found is self else _TensorMethod(found, self, tensor)

    return __get__


def _call_of_methods(call):
    def __call__(self, *args, **kwargs):
        asked = _ask(args, kwargs)
        if asked is None:
            return call(self, *args, **kwargs)
        return _dispatch_method(self, asked, args, kwargs)

    return __call__


# Operators that the reference keeps as Python functions, with the keywords that graphs have for them.
_NAMED_DEFAULTS = {"meshgrid": {"indexing": None}}
_FUNCTIONS_OF_PYTHON = frozenset((
    "atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_tensors", "cartesian_prod", "chain_matmul", "einsum",
    "lu", "meshgrid", "unravel_index",
))  # fmt: skip


def _call_of_operators(call):
    def call_operator(self, *args, **kwargs):
        proxy = None
        if _proxies is not None:
            proxy = _proxies.find_proxy((*args, *kwargs.values()))
        asked = _ask(args, kwargs) if proxy is None else []
        # Methods have been asked for already.
        if asked is None or self.path.startswith("aten::") and proxy is None:
            return call(self, *args, **kwargs)
        name = self.__name__
        if proxy is not None and name in _NAMED_DEFAULTS:
            kwargs = {**_NAMED_DEFAULTS[name], **kwargs}
        elif name == "einsum" and len(args) == 2 and isinstance(args[1], (list, tuple)):
            args = (args[0], *args[1])
        if proxy is not None:
            return _proxies.record(proxy, self, args, kwargs)
        if name in _FUNCTIONS_OF_PYTHON:
            return dispatch(self, asked, args, kwargs, _kinds(args), of_python=True)
        return dispatch(self, asked, args, kwargs)

    return call_operator


def _install():
    _set(Builtin, "__call__", _call_of_operators(Builtin.__dict__["__call__"]))
    _set(ScriptMethod, "__call__", _call_of_scripts(ScriptMethod.__dict__["__call__"]))
    _set(Method, "__get__", _get_of_methods(Method.__dict__["__get__"]))
    _set(Method, "__call__", _call_of_methods(Method.__dict__["__call__"]))
    for name, value in list(Tensor.__dict__.items()):
        if name == "__iter__":
            _set(Tensor, name, _Routed(value, _iterated))
        elif name in _OWN or isinstance(value, Method):
            continue
        elif isinstance(value, (property, types.GetSetDescriptorType, _OPERATOR_ATTRIBUTE)):
            _set(Tensor, name, _Attribute(value))
        elif callable(value):
            _set(Tensor, name, _Slot(name, value))
    if not _prepared:
        _prepared.extend(_other_code(function, target) for function, target in _python_functions())
    for function, own, other, signature in _prepared:
        function.__code__ = other
        # Who asks for the parameters still finds them.
        function.__signature__ = signature
    _undo.append(_restore_code)


# Functions that make tensors of what is none: they are as they were unless a mode is on.
_makers = {name: getattr(rushlight, name) for name in ("tensor", "as_tensor")}


def _watch_makers():
    vars(rushlight).update({name: _Maker(name, before) for name, before in _makers.items()})


class _Maker:
    """Such a function while a mode is on. It counts as the function itself where functions are looked up."""

    __module__ = "torch"

    def __init__(self, name, before):
        self.__name__ = self.__qualname__ = name
        self.before = before

    def __call__(self, *args, **kwargs):
        asked = _ask((), None)
        return self.before(*args, **kwargs) if asked is None else dispatch(self, asked, args, kwargs)

    def __eq__(self, other):
        return self is other or self.before is other

    def __hash__(self):
        return hash(self.before)

    def __repr__(self):
        return repr(self.before)


def _call_of_scripts(call):
    """Calls of compiled methods, which are recorded where proxies are among the arguments."""

    def call_method(self, *args, **kwargs):
        if _proxies is None:
            return call(self, *args, **kwargs)
        return _proxies.record_script_call(call, self, args, kwargs)

    return call_method


# (function, its code, the code that asks, its signature): made once.
_prepared = []


def _restore_code():
    for function, own, _, _ in _prepared:
        function.__code__ = own
        del function.__signature__


# Functions that stay as they are: they call others, which ask.
_TRANSPARENT = frozenset((
    "sigmoid", "tanh", "upsample", "upsample_bilinear", "upsample_nearest", "assert_int_or_pair", "boolean_dispatch", "filled",
    "repeated", "publish", "has_torch_function", "has_torch_function_unary", "has_torch_function_variadic",
))  # fmt: skip
# Parameters that are not handed over, and the order of those by name where it is not that of the definition.
_LEFT_OUT = {"l1_loss": ("weight",)}
_ORDERS = {
    "multi_head_attention_forward": (
        "training", "key_padding_mask", "need_weights", "attn_mask", "is_causal", "use_separate_proj_weight",
        "q_proj_weight", "k_proj_weight", "v_proj_weight", "static_k", "static_v", "average_attn_weights",
    ),
}  # fmt: skip
# Functions of Python that are operators in the reference.
_AS_CALLED = frozenset(("chunk", "is_floating_point", "is_complex", "numel", "_assert"))
_OPERATORS_OF_NN = frozenset((
    "adaptive_avg_pool1d", "avg_pool1d", "avg_pool2d", "avg_pool3d", "bilinear", "celu_", "channel_shuffle", "conv1d", "conv2d", "conv3d",
    "conv_tbc", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "cosine_similarity", "elu_", "gelu", "hardshrink", "hardtanh_",
    "leaky_relu_", "linear", "logsigmoid", "native_channel_shuffle", "one_hot", "pairwise_distance", "pdist", "pixel_shuffle",
    "pixel_unshuffle", "prelu", "relu_", "rrelu_", "scaled_dot_product_attention", "selu_", "softplus", "softshrink", "threshold_",
))  # fmt: skip


def _python_functions():
    """The functions written in Python, each with the function that is handed over for it."""
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
    """What :data:`_prepared` has for a function: a body that asks the arguments."""
    own = function.__code__
    original = types.FunctionType(own, function.__globals__, function.__name__, function.__defaults__, function.__closure__)
    original.__kwdefaults__ = function.__kwdefaults__
    signature = inspect.signature(function)
    of_python = target.__name__ not in _AS_CALLED and target.__name__ not in _OPERATORS_OF_NN

    def recorder(*args, **kwargs):
        if _proxies is not None:
            proxy = _proxies.find_proxy((*args, *kwargs.values()))
            if proxy is not None:
                return _proxies.record(proxy, target, *as_recorded(target.__name__, signature, args, kwargs))
        asked = _ask(args, kwargs)
        if asked is None or target.__name__ == "_assert":
            return original(*args, **kwargs)
        if not of_python:
            return dispatch(target, asked, args, kwargs)
        kinds = _kinds((*args, *kwargs.values()))
        return dispatch(target, asked, *as_recorded(target.__name__, signature, args, kwargs), kinds, of_python=True)

    constants = tuple(recorder if constant == "recorder" else constant for constant in _template.__code__.co_consts)
    other = _template.__code__.replace(
        co_consts=constants, co_freevars=own.co_freevars, co_name=own.co_name, co_filename=own.co_filename,
        co_firstlineno=own.co_firstlineno,
    )  # fmt: skip
    return function, own, other, signature


def as_recorded(name, signature, args, kwargs):
    """Arguments without a default by position, the others by name and all of them, as the reference hands them over."""
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

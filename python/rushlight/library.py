"""``torch.library``: operators that programs define.

An operator has a schema, kernels (Python functions), and may have a function for sizes, a derivative and a rule for ``vmap``.
It is reached as ``torch.ops.ns.name``. Scripts call it as a function of the program; a module whose code calls one cannot be saved.
"""

import contextlib
import sys
import weakref

from ._custom import registry
from ._custom.definition import CustomOpDef, custom_op, register_autograd as _give_autograd
from ._custom.infer import infer_schema
from ._custom.keys import key as _key, key_of_device as _key_of_device
from ._custom.operators import OpOverload, OpOverloadPacket

__all__ = [
    "Library", "impl", "define", "fallthrough_kernel", "impl_abstract", "register_autocast", "register_fake",
    "register_torch_dispatch", "register_vmap", "get_ctx", "get_kernel", "custom_op", "triton_op", "wrap_triton", "infer_schema",
]

_RESERVED = ("prim",)
# Where the namespaces that have definitions got them: those that are there from the start, in the library itself.
_OWN = (
    "aten", "prims", "quantized", "_quantized", "_c10d_functional", "_c10d_functional_autograd", "c10d", "sparse", "mkldnn", "mkl",
    "onednn", "mkldnn_prepacked", "profiler", "cuda", "_nnapi",
)  # fmt: skip
_defining = dict.fromkeys(_OWN, "registered at rushlight")
# Libraries made by functions of this module live as long as the process.
_keep_alive = []


def _where(depth):
    frame = sys._getframe(depth)
    return f"registered at {frame.f_code.co_filename}:{frame.f_lineno}"


def fallthrough_kernel():
    """Stands for no kernel at all; it is never called."""
    raise NotImplementedError("fallthrough_kernel() should never be called.")


class Library:
    """Definitions and kernels of a namespace of operators.

    Args:
        ns: the namespace.
        kind: ``"DEF"`` for the definitions of a namespace (one of them), ``"FRAGMENT"`` for more of them, ``"IMPL"`` for kernels.
        dispatch_key: what kernels are for unless they say so.
    """

    def __init__(self, ns, kind, dispatch_key=""):
        if kind not in ("IMPL", "DEF", "FRAGMENT"):
            raise ValueError("Unsupported kind: " + kind)
        if ns in _RESERVED and kind in ("DEF", "FRAGMENT"):
            raise ValueError(ns + " is a reserved namespace. Please try creating a library with another name.")
        place = _where(2)
        if kind == "DEF":
            if ns in _defining:
                raise RuntimeError(
                    f"Only a single TORCH_LIBRARY can be used to register the namespace {ns}; please put all of your definitions in a "
                    "single TORCH_LIBRARY block.  If you were trying to specify implementations, consider using TORCH_LIBRARY_IMPL "
                    "(which can be duplicated).  If you really intended to define operators for a single namespace in a distributed "
                    "way, you can use TORCH_LIBRARY_FRAGMENT to explicitly indicate this.  Previous registration of TORCH_LIBRARY was "
                    f"{_defining[ns]}; latest registration was {place}"
                )
            _defining[ns] = place
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key
        self._place = place
        self._op_defs, self._op_impls = set(), set()
        self._defined, self._undo = [], []
        # What nobody holds any more is gone.
        self._release = weakref.finalize(self, _release, ns, kind, self._defined, self._undo)
        self._release.atexit = False

    def __repr__(self):
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def define(self, schema, alias_analysis="", *, tags=()):
        """Defines an operator by its schema, ``"norm(Tensor x, int n=2) -> Tensor"``, and returns its name."""
        if alias_analysis not in ("", "FROM_SCHEMA", "CONSERVATIVE"):
            raise RuntimeError(f"Invalid alias_analysis type {alias_analysis}")
        name = schema.split("(", 1)[0]
        if self.kind == "IMPL":
            raise RuntimeError(
                f'def("{name}"): Cannot define an operator inside of a TORCH_LIBRARY_IMPL block.  All def()s should be placed in the '
                "(unique) TORCH_LIBRARY block for their namespace.  (Error occurred while processing TORCH_LIBRARY_IMPL block at "
                f"{self._place.removeprefix('registered at ')})"
            )
        space = name.partition("::")[0]
        if "::" in name and space != self.ns:
            block = "TORCH_LIBRARY" if self.kind == "DEF" else "TORCH_LIBRARY_FRAGMENT"
            raise RuntimeError(
                f"Explicitly provided namespace ({space}) in schema string does not match namespace of enclosing {block} block "
                f"({self.ns}).  Move this definition to the (unique) {block} block corresponding to this namespace (and consider "
                "deleting the namespace from your schema string.)  (Error occurred while processing "
                f"{block} block at {self._place.removeprefix('registered at ')})"
            )
        # Refusals show the schema as it was given: it is read once without the namespace.
        if "::" not in name:
            registry.parse(schema)
        text = schema if "::" in name else f"{self.ns}::{schema}"
        parsed, shown = registry.parse(text)
        defined = registry.Defined(parsed, shown, self._place, tags)
        registry.add(defined)
        self._defined.append(defined)
        self._op_defs.add(parsed.name)
        # The name comes back as it was given.
        return name.split(".")[0] if "::" in name else parsed.name.split("::")[1]

    def impl(self, op_name, fn, dispatch_key="", *, with_keyset=False, allow_override=False):
        """Gives an operator a kernel: a function with the parameters of its schema."""
        if not callable(fn):
            raise TypeError(f"Input function is required to be a callable but found type {type(fn)}")
        key = _key(dispatch_key or self.dispatch_key or "CompositeImplicitAutograd")
        if isinstance(op_name, OpOverload):
            full = op_name.name().removesuffix(".default")
        else:
            full = str(op_name).removesuffix(".default")
            full = full if "::" in full else f"{self.ns}::{full}"
        if fn is fallthrough_kernel:
            return
        if _complete(full):
            return
        _refuse_builtin(full, "get another kernel")
        self._op_impls.add(f"{full}/{key}")
        undo = self._undo

        def give(defined):
            kernel = fn
            if with_keyset:
                # There are no sets of keys here.
                def kernel(*args, **kwargs):
                    return fn(None, *args, **kwargs)

            defined.kernels[key] = kernel
            undo.append(lambda: defined.kernels.pop(key, None))

        registry.when_defined(full, give)

    def fallback(self, fn, dispatch_key="", *, with_keyset=False):
        """Refused: there is no dispatcher that would call it."""
        raise NotImplementedError("Library.fallback is not supported: kernels belong to operators here")

    def _register_fake(self, op_name, fn, _stacklevel=1, *, allow_override=False):
        register_fake(op_name if "::" in op_name else f"{self.ns}::{op_name}", fn)

    def _destroy(self):
        """Takes all that was defined and given away again."""
        self._release()

    m = property(lambda self: self, doc="The library.")


def _release(ns, kind, defined, undo):
    for step in undo:
        step()
    for one in defined:
        registry.remove(one)
    if kind == "DEF":
        _defining.pop(ns, None)


def _complete(op):
    """Whether an operator is one of a library that this package stands in for.

    Those have derivatives, casts and sizes of their own: what the library's Python part registers for them is not needed.
    """
    return isinstance(op, str) and op.startswith(("torchvision::", "torchaudio::"))


def _refuse_builtin(full, what):
    from . import _rushlight

    qualified = full.split(".")[0]
    if registry.overloads(qualified) is None and _rushlight.has_operator(qualified):
        raise NotImplementedError(f"{qualified} is a built-in operator, which cannot {what} in this version")


@contextlib.contextmanager
def _scoped_library(*args, **kwargs):
    """A library until the end of a ``with``."""
    library = Library(*args, **kwargs)
    try:
        yield library
    finally:
        library._destroy()


def _qualname(qualname):
    names = qualname.split("::")
    if len(names) != 2:
        raise ValueError(
            f'Expected `qualname` to be of the form "namespace::name", but got {qualname}. The qualname passed to the torch.library APIs '
            "must consist of a namespace and a name, e.g. aten::sin"
        )
    return names


def define(qualname, schema=None, *, lib=None, tags=()):
    """Defines an operator: ``define("mylib::sin", "(Tensor x) -> Tensor")``; a decorator under a :class:`Library`."""
    if isinstance(qualname, Library):
        return lambda fn: (qualname.define(schema), fn)[1]
    namespace, name = _qualname(qualname)
    if not isinstance(schema, str):
        raise ValueError(f"define(qualname, schema): expected schema to be of type str, got {type(schema)}")
    if not (schema.startswith("(") and "->" in schema):
        raise ValueError(
            f'define(qualname, schema, ...): expected schema to look like e.g. "(Tensor x) -> Tensor" but got "{schema}"'
        )
    if lib is None:
        lib = Library(namespace, "FRAGMENT")
        _keep_alive.append(lib)
    lib.define(name + schema, tags=tags)


def impl(qualname, types=None, func=None, *, lib=None):
    """Gives an operator a kernel for kinds of devices (``"cpu"``, ``"default"`` for all); a decorator without ``func``."""
    if isinstance(qualname, Library):
        # The old form: a library, a name and a dispatch key.
        library, name, key = qualname, types, func or ""

        def give(function):
            library.impl(name, function, key)
            return function

        return give
    kinds = (types,) if isinstance(types, str) else tuple(types)
    keys = set()
    for kind in kinds:
        if kind == "default":
            keys.add("CompositeExplicitAutograd")
        else:
            try:
                keys.add(_key_of_device(kind))
            except RuntimeError:
                keys.add(_maybe_key(kind))
    namespace, _ = _qualname(qualname)

    def register(function):
        library = lib
        if library is None:
            library = Library(namespace, "FRAGMENT")
            _keep_alive.append(library)
        for key in keys:
            library.impl(qualname, function, key)

    return register if func is None else register(func)


def _maybe_key(kind):
    try:
        return _key(kind)
    except RuntimeError:
        return _key_of_device(kind)


def _operator(op):
    """The overload that a name, an overload or a definition means."""
    if isinstance(op, CustomOpDef):
        return op._defined
    if isinstance(op, OpOverloadPacket):
        op = op.default
    if isinstance(op, OpOverload):
        if isinstance(getattr(op, "_defined", None), registry.Defined):
            return op._defined
        # Built-in operators are overloads as well.
        op = op.name()
    if not isinstance(op, str):
        raise ValueError(f"got unexpected type for op: {type(op)}")
    namespace, name = _qualname(op)
    found = registry.find(op)
    if found is None:
        _refuse_builtin(op, "be extended")
        raise AttributeError(f"'_OpNamespace' '{namespace}' object has no attribute '{name}'")
    return found


def register_kernel(op, device_types, func=None, /, *, lib=None):
    """Gives an operator a kernel for kinds of devices; None for all of them."""
    if isinstance(op, CustomOpDef):
        return op.register_kernel(device_types, *([] if func is None else [func]))
    name = op.name() if isinstance(op, OpOverload) else op
    if not isinstance(name, str):
        raise ValueError(f"register_kernel({op}): got unexpected type for op: {type(op)}")
    return impl(name, "default" if device_types is None else device_types, func, lib=lib)


def register_fake(op, func=None, /, *, lib=None, _stacklevel=1, allow_override=True):
    """Gives an operator the function that says sizes and dtypes of its results; a decorator without ``func``."""
    full = op if isinstance(op, str) else _operator(op).full
    if isinstance(op, str):
        _qualname(op)

    def register(function):
        def give(defined):
            defined.fake = function

        registry.when_defined(full, give)
        return function

    return register if func is None else register(func)


def impl_abstract(qualname, func=None, *, lib=None, _stacklevel=1):
    """The old name of :func:`register_fake`."""
    return register_fake(qualname, func, lib=lib)


def register_autograd(op, backward, /, *, setup_context=None, lib=None):
    """Gives an operator its derivative.

    Args:
        op: the operator, or its name.
        backward: ``backward(ctx, *gradients)`` gives the gradients of the arguments.
        setup_context: ``setup_context(ctx, inputs, output)`` keeps what ``backward`` needs; with arguments that are given by name
            alone ``setup_context(ctx, inputs, keyword_only_inputs, output)``.
    """
    if _complete(op):
        return
    defined = _operator(op)
    _give_autograd(defined, backward, setup_context, defined.definition or defined.dotted)


def register_vmap(op, func=None, /, *, lib=None):
    """Gives an operator its rule for ``vmap``: ``func(info, in_dims, *args)``; a decorator without ``func``."""
    defined = _operator(op)

    def register(function):
        defined.vmap = function

    return register if func is None else register(func)


def register_autocast(op, device_type, cast_inputs, /, *, lib=None):
    """Says what floating point arguments are cast to where autocast is on."""
    if device_type not in ("cpu", "cuda"):
        raise ValueError(f"Unknown device type: {device_type}")
    if not _complete(op):
        _operator(op).autocast[device_type] = cast_inputs


def register_torch_dispatch(op, torch_dispatch_class, func=None, /, *, lib=None):
    """Refused: classes of tensors do not take calls over here."""
    raise NotImplementedError("register_torch_dispatch: tensor subclasses with __torch_dispatch__ are not supported")


def get_ctx():
    """The context of a function for sizes that runs. Sizes are never unknown here."""
    return FakeImplCtx()


class FakeImplCtx:
    """What a function for sizes may ask for."""

    def new_dynamic_size(self, *, min=0, max=None):
        """Refused: a size that depends on elements is not known without them."""
        raise NotImplementedError("sizes that depend on elements are not supported where there are no elements")

    create_unbacked_symint = new_dynamic_size


class SafeKernelFunction:
    """A kernel of an operator."""

    def __init__(self, function, where):
        self._function = function
        self._where = where

    def call_boxed(self, keyset, *args, **kwargs):
        """Calls the kernel; the keys are of no account here."""
        return self._function(*args, **kwargs)

    def __repr__(self):
        return f"SafeKernelFunction(debug='{self._where}')"


def get_kernel(op, dispatch_key):
    """The kernel of an operator for a dispatch key."""
    if isinstance(op, str) and registry.find(op) is None:
        raise RuntimeError(f"operator {op} does not exist")
    defined = _operator(op)
    key = _key(dispatch_key)
    kernel = defined.kernels.get(key)
    if kernel is None and key in ("CPU", "CUDA", "Meta"):
        kernel = defined.kernels.get("CompositeExplicitAutograd") or defined.kernels.get("CompositeImplicitAutograd")
    if kernel is None:
        raise RuntimeError(f"no kernel for {key} for {defined.full}")
    return SafeKernelFunction(kernel, defined.where)


def triton_op(name, fn=None, /, *, mutates_args, schema=None):
    """Refused: there is no Triton here."""
    raise NotImplementedError("triton_op: kernels in Triton need a GPU, and there is none here")


def wrap_triton(triton_kernel, /):
    """Refused: there is no Triton here."""
    raise NotImplementedError("wrap_triton: kernels in Triton need a GPU, and there is none here")


def opcheck(op, args, kwargs=None, **options):
    """Tries an operator: does it write only what its schema says, and is its function for sizes right? See :mod:`._custom.check`."""
    from ._custom.check import opcheck as check

    return check(op, args, kwargs, **options)

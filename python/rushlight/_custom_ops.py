"""``torch._custom_ops``: the old way to define operators."""

from .library import CustomOpDef, Library, _keep_alive, _operator, get_ctx, infer_schema, register_fake  # noqa: F401
from .library import impl as _impl

__all__ = ["custom_op", "impl", "impl_abstract", "get_ctx", "impl_save_for_backward", "impl_backward"]


def custom_op(qualname, func_or_schema=None):
    """Defines an operator from a function's annotations or from a schema."""
    namespace, name = qualname.split("::")

    def define(function):
        library = Library(namespace, "FRAGMENT")
        _keep_alive.append(library)
        library.define(name + (function if isinstance(function, str) else infer_schema(function, mutates_args=())))
        return function

    return define if func_or_schema is None else define(func_or_schema)


def impl(qualname, *, device_types=("cpu", "cuda"), func=None):
    """Gives an operator a kernel."""
    return _impl(qualname, device_types, func)


def impl_abstract(qualname, *, func=None):
    """Gives an operator the function that says sizes of results."""
    return register_fake(qualname, func)


def impl_save_for_backward(qualname, *, func=None):
    """Says what is kept for the derivative: ``func(inputs, output)`` returns it."""

    def register(function):
        defined = _operator(qualname)

        def setup_context(ctx, inputs, output):
            names = [a.name for a in defined.arguments]
            ctx.kept = function(_Inputs(zip(names, inputs)), output)

        defined.setup_context = setup_context
        return function

    return register if func is None else register(func)


class _Inputs(dict):
    """The arguments of a call by name, as attributes."""

    def __getattr__(self, name):
        return self[name]


def impl_backward(qualname, output_differentiability=None, *, func=None):
    """Gives an operator its derivative: ``func(ctx, saved, *gradients)`` returns a dictionary of gradients by name."""

    def register(function):
        defined = _operator(qualname)

        def backward(ctx, *gradients):
            found = function(ctx, ctx.kept, *gradients)
            return tuple(found.get(a.name) for a in defined.arguments)

        defined.backward = backward
        return function

    return register if func is None else register(func)

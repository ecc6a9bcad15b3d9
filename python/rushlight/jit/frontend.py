"""``torch.jit.frontend``: the exceptions of the compiler, and how functions look to it."""

from ._errors import FrontendError, NotSupportedError, UnsupportedNodeError  # noqa: F401


class FrontendTypeError(FrontendError):
    """An annotation that the compiler does not take."""


def __getattr__(name):
    if name in ("get_jit_def", "SourceRange"):
        from . import _syntax_tree

        return getattr(_syntax_tree, name)
    if name in ("get_default_args", "is_reserved_name", "is_static_fn", "get_static_fn", "FunctionModifiers"):
        from . import _internal_names

        return getattr(_internal_names, name)
    raise AttributeError(f"module 'torch.jit.frontend' has no attribute '{name}'")

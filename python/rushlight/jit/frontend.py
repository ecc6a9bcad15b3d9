"""``torch.jit.frontend``: the exceptions of the compiler, and how functions look to it."""

from ._errors import FrontendError, NotSupportedError, UnsupportedNodeError  # noqa: F401


def __getattr__(name):
    if name in ("get_jit_def", "SourceRange"):
        from . import _syntax_tree

        return getattr(_syntax_tree, name)
    raise AttributeError(f"module 'torch.jit.frontend' has no attribute '{name}'")

"""``torch.jit.frontend``: the exceptions of the compiler."""

from ._errors import FrontendError, NotSupportedError, UnsupportedNodeError  # noqa: F401

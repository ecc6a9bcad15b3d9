"""``torch.jit._async``: where ``fork`` and ``wait`` live."""

from ._names import fork, wait  # noqa: F401

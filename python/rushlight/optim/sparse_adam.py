"""``torch.optim.sparse_adam``: where :class:`SparseAdam` lives."""

from . import Optimizer, SparseAdam  # noqa: F401

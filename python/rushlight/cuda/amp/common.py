"""``torch.cuda.amp.common``."""

from . import amp_definitely_not_available  # noqa: F401

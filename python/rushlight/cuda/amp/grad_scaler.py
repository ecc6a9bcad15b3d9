"""Where programs look for what is in ``torch.cuda.amp``."""

from . import GradScaler  # noqa: F401

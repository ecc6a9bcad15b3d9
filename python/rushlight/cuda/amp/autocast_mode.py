"""Where programs look for what is in ``torch.cuda.amp``."""

from . import autocast, custom_bwd, custom_fwd  # noqa: F401

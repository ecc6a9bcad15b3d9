"""``torch.utils.benchmark``: how long statements take."""

from .timer import Measurement, Timer, timer  # noqa: F401

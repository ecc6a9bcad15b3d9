"""``torch.autograd.profiler_legacy``: profiles by their older name."""

from ._measuring import profile  # noqa: F401
from .profiler_util import EventList, FunctionEvent  # noqa: F401

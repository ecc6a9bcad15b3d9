"""``torch.autograd``: switches of gradient recording and marks for profilers."""

from . import grad_mode, profiler
from .grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled

"""``torch.autograd``: switches of gradient recording and marks for profilers."""

from . import grad_mode, profiler
from .grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled


def __getattr__(name):
    if name in ("grad", "backward", "Function", "functional", "gradcheck"):
        raise AttributeError(f"module 'torch.autograd' has no attribute '{name}' (this version of Rushlight does not record gradients)")
    raise AttributeError(f"module 'torch.autograd' has no attribute '{name}'")

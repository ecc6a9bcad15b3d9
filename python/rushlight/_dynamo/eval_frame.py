"""``torch._dynamo.eval_frame``: what a compiler makes of modules."""

from ..nn.modules.module import Module

__all__ = ["OptimizedModule"]


class OptimizedModule(Module):
    """A compiled module. There are none: programs ask whether a module is one."""

    def __init__(self, mod, dynamo_ctx=None):
        raise NotImplementedError("torch.compile is not part of Rushlight; use torch.jit.script")

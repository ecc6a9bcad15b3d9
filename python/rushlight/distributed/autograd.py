"""``torch.distributed.autograd``: gradients through calls of functions of other processes, which are not part of this version."""

from .._absent import refuse


def is_available():
    """Whether there are such gradients: no."""
    return False


refuse(globals(), ("context", "backward", "get_gradients"), NotImplementedError,
       lambda name: f"torch.distributed.autograd.{name}: gradients through calls of other processes are not part of Rushlight")

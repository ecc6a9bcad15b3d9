"""``torch.autograd.forward_ad``: numbers with their directions. None are made here; ``torch.func.jvp`` follows directions."""

from collections import namedtuple

from .._absent import refuse

UnpackedDualTensor = namedtuple("UnpackedDualTensor", "primal tangent")


def unpack_dual(tensor, *, level=None):
    """A tensor and its direction, which is None: no tensor has one."""
    return UnpackedDualTensor(tensor, None)


refuse(globals(), ("make_dual", "dual_level", "enter_dual_level", "exit_dual_level"), NotImplementedError, lambda name: (
    f"torch.autograd.forward_ad.{name} is not part of Rushlight; torch.func.jvp follows directions through functions"
))

"""``torch._tensor_str``: how tensors print."""

from ._printing import set_printoptions  # noqa: F401
from ._rushlight import Tensor


def _str(self, *, tensor_contents=None):
    """What ``print`` shows of a tensor."""
    return Tensor.__repr__(self)


_str_intern = _str

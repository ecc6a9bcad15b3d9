"""Parameters as one vector."""

import rushlight as torch

from ..._library import publish
from ..._rushlight import Tensor


def parameters_to_vector(parameters):
    """All parameters one after the other."""
    return torch.cat([p.view(-1) for p in parameters])


def vector_to_parameters(vec, parameters):
    """Puts the parts of a vector into the parameters."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {torch.typename(vec)}")
    start = 0
    for p in parameters:
        p.data = vec[start : start + p.numel()].view_as(p).data
        start += p.numel()


publish(globals())

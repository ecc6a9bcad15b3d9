"""``torch.utils._foreach_utils``: tensors of lists by their devices and dtypes, for optimizers."""

from typing import Dict, List, Optional, Tuple

from ..autograd.grad_mode import no_grad
from .._rushlight import Tensor

Indices = List[int]
TensorListList = List[List[Optional[Tensor]]]
_foreach_supported_types = [Tensor]


def _get_foreach_kernels_supported_devices():
    """The kinds of devices that operators on lists of tensors are made for."""
    return ["cuda", "xpu", "mtia", "privateuseone"]


def _get_fused_kernels_supported_devices():
    """The kinds of devices on which optimizers have steps of one operator."""
    return ["mps", "cuda", "xpu", "hpu", "cpu", "mtia", "privateuseone"]


@no_grad()
def _group_tensors_by_device_and_dtype(tensorlistlist: TensorListList, with_indices: bool = False) -> Dict[Tuple, Tuple]:
    """Lists of as many tensors, by device and dtype of those of the first list; with places where asked for."""
    groups = {}
    for place, column in enumerate(zip(*tensorlistlist)):
        first = column[0]
        lists, indices = groups.setdefault((first.device, first.dtype), ([[] for _ in tensorlistlist], []))
        for found, tensor in zip(lists, column):
            found.append(tensor)
        if with_indices:
            indices.append(place)
    return groups


def _device_has_foreach_support(device):
    """Whether operators on lists of tensors are of use on a device."""
    return device.type in _get_foreach_kernels_supported_devices() + ["cpu"]


def _has_foreach_support(tensors, device):
    """Whether they are for these tensors, some of which may be None."""
    return _device_has_foreach_support(device) and all(t is None or type(t) in _foreach_supported_types for t in tensors)

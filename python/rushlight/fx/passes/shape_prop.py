"""``torch.fx.passes.shape_prop``: runs a graph and notes of every node what its tensors are like."""

import traceback
from typing import Any, Dict, NamedTuple, Optional, Tuple

from ... import Size, contiguous_format, channels_last, channels_last_3d
from ..._rushlight import Tensor, dtype
from .._aggregate import map_aggregate
from ..interpreter import Interpreter

__all__ = ["TensorMetadata", "ShapeProp"]


class TensorMetadata(NamedTuple):
    """What a tensor is like, without its data."""

    shape: Size
    dtype: dtype
    requires_grad: bool
    stride: Tuple[int, ...]
    memory_format: Optional[Any]
    is_quantized: bool
    qparams: Dict[str, Any]


def _extract_tensor_metadata(result, include_contiguity=True):
    """The :class:`TensorMetadata` of a tensor."""
    memory_format = None
    if include_contiguity:
        for known in (contiguous_format, channels_last, channels_last_3d):
            if result.is_contiguous(memory_format=known):
                memory_format = known
                break
    qparams = {}
    if result.is_quantized:
        scheme = qparams["qscheme"] = result.qscheme()
        if "channel" in str(scheme):
            qparams["scale"] = result.q_per_channel_scales().tolist()
            qparams["zero_point"] = result.q_per_channel_zero_points().tolist()
            qparams["axis"] = result.q_per_channel_axis()
        else:
            qparams["scale"] = result.q_scale()
            qparams["zero_point"] = result.q_zero_point()
    return TensorMetadata(
        result.shape, result.dtype, result.requires_grad, tuple(result.stride()), memory_format, result.is_quantized, qparams
    )


class ShapeProp(Interpreter):
    """Notes in ``meta["tensor_meta"]`` the :class:`TensorMetadata` of what a node gives, and in ``meta["type"]`` its type."""

    def __init__(self, gm, fake_mode=None):
        if fake_mode is not None:
            raise NotImplementedError("ShapeProp cannot run on fake tensors, which Rushlight does not have")
        super().__init__(gm)
        self.fake_module = None
        self.real_module = self.module

    def run_node(self, n):
        """The value of a node, after what it is like has been noted."""
        try:
            result = super().run_node(n)
        except Exception as error:
            traceback.print_exc()
            raise RuntimeError(f"ShapeProp error for: node={n.format_node()} with meta={n.meta}") from error
        found = False

        def extract(leaf):
            nonlocal found
            if isinstance(leaf, Tensor):
                found = True
                return _extract_tensor_metadata(leaf)
            return leaf

        meta = map_aggregate(result, extract)
        if found:
            n.meta["tensor_meta"] = meta
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args):
        """Runs the graph for these arguments; returns its result."""
        return super().run(*args)

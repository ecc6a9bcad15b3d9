"""Quantized layers with zeros: there are none here. The names are, and say so when they are called."""

from ..._library import publish

__all__ = ["get_static_sparse_quantized_mapping", "get_dynamic_sparse_quantized_mapping"]


def _refuse(name: str):
    raise NotImplementedError(f"torch.ao.pruning.{name} is not supported by Rushlight: there are no sparse quantized layers")


def get_static_sparse_quantized_mapping():
    """Raises."""
    _refuse("get_static_sparse_quantized_mapping")


def get_dynamic_sparse_quantized_mapping():
    """Raises."""
    _refuse("get_dynamic_sparse_quantized_mapping")


publish(globals())

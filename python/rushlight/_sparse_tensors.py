"""Tensors that keep only elements that are not zero: not part of this version. Making one raises."""

from ._absent import refuse

_TEXT = "sparse tensors are not part of Rushlight: tensors keep all their elements (torch.zeros and Tensor.index_put_ make dense ones)"
MAKERS = (
    "sparse_coo_tensor", "sparse_csr_tensor", "sparse_csc_tensor", "sparse_bsr_tensor", "sparse_bsc_tensor", "sparse_compressed_tensor",
)
METHODS = ("to_sparse", "to_sparse_coo", "to_sparse_csr", "to_sparse_csc", "to_sparse_bsr", "to_sparse_bsc", "sparse_mask", "sparse_resize_")

refuse(globals(), MAKERS, NotImplementedError, lambda name: f"torch.{name}: {_TEXT}")


def methods():
    """Functions that refuse in the place of methods of tensors, by name."""
    found = {}
    refuse(found, METHODS, NotImplementedError, lambda name: f"Tensor.{name}: {_TEXT}")
    return found

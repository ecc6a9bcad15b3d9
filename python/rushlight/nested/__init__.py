"""``torch.nested``: tensors of tensors of different sizes, laid out one behind another (jagged) or each by itself (strided).

What there is: making them and taking them apart, padding, what works number by number, products with matrices, norms and softmax
over the last dimension, sums; gradients of all of these. Other functions raise ``NotImplementedError``.
"""

from .._once import warn_once

__all__ = ["to_padded_tensor", "as_nested_tensor", "nested_tensor", "nested_tensor_from_jagged", "narrow", "masked_select"]


_PROTOTYPE = (
    "The PyTorch API of nested tensors is in prototype stage and will change in the near future. We recommend specifying "
    "layout=torch.jagged when constructing a nested tensor, as this layout receives active development, has better operator coverage, "
    "and works with torch.compile."
)


def _warn_of_prototype():
    """Says once that nested tensors of the strided layout are new."""
    warn_once(_PROTOTYPE, stacklevel=None)


def _classes():
    # The classes make calls look at their arguments: they are made when the first nested tensor is.
    from ._internal import nested_tensor as module

    return module


def nested_tensor(tensor_list, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """A nested tensor that copies tensors (or lists of numbers) and is a leaf."""
    return _classes().make(tensor_list, dtype, layout, device, requires_grad, copies=True)


def as_nested_tensor(ts, dtype=None, device=None, layout=None):
    """A nested tensor of tensors, through which gradients pass to them."""
    return _classes().make(ts, dtype, layout, device, False, copies=False)


def to_padded_tensor(input, padding, output_size=None, out=None):
    """A plain tensor with room for the largest, filled up with a number."""
    return input.to_padded_tensor(padding, output_size)


def nested_tensor_from_jagged(values, offsets=None, lengths=None, jagged_dim=None, min_seqlen=None, max_seqlen=None):
    """A jagged nested tensor in the memory of its values: where each one begins, or how long it is, or both."""
    return _classes().from_jagged(values, offsets, lengths, jagged_dim)


def narrow(tensor, dim, start, length, layout=None):
    """Parts of the rows of a tensor, each from a place and of a length of its own."""
    return _classes().narrow(tensor, dim, start, length, layout)


def masked_select(tensor, mask):
    """What a mask selects of every row."""
    return _classes().masked_select(tensor, mask)

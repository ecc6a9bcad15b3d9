"""Tensors that keep only some of their elements, with their places: COO (``torch.sparse_coo``), CSR and CSC, and CSR and CSC
of blocks (BSR, BSC).

``_tensor`` is the class. What the extension holds of such a tensor has sizes and a dtype, and no elements; places and values are dense
tensors beside it, and gradients are those of the values. The extension hands every call of an operator with such a tensor among
its arguments to ``_rules``, which makes it of dense operators. ``_makers`` are the functions that make such tensors.
"""

from . import _rules  # noqa: F401  what operators do: it gives the class its methods

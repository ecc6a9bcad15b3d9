"""``torch.jit._decomposition_utils``: registers what operators are made of."""

from .._passes.decompose import register as _register_decomposition  # noqa: F401

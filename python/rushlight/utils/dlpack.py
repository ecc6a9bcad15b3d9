"""``torch.utils.dlpack``: tensors to and from other libraries without a copy."""

from .._functions import from_dlpack, to_dlpack  # noqa: F401

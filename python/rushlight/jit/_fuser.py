"""``torch.jit._fuser``: where the switches of the executor live."""

from ._executor import fuser, optimized_execution, set_fusion_strategy  # noqa: F401

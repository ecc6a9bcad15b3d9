"""Operators that programs define: their schemas, kernels and derivatives, for ``torch.library`` and ``torch.ops``."""

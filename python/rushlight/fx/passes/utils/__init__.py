"""``torch.fx.passes.utils``: what passes share."""

from .common import compare_graphs, lift_subgraph_as_module  # noqa: F401

__all__ = ["lift_subgraph_as_module", "compare_graphs"]

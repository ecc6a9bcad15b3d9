"""``torch.fx.passes.graph_drawer``: graphs as pictures, which Rushlight does not draw."""

__all__ = ["FxGraphDrawer"]


class FxGraphDrawer:
    """Pictures of graphs need Graphviz and ``pydot``."""

    def __init__(self, *args, **kwargs):
        raise RuntimeError(
            "FXGraphDrawer is not part of Rushlight: print the graph, or `graph_module.print_readable()`, instead"
        )

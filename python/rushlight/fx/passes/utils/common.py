"""``torch.fx.passes.utils.common``: parts of graphs as modules, and whether two graphs are alike."""

from .... import nn
from ...graph_module import GraphModule

__all__ = ["HolderModule", "lift_subgraph_as_module", "compare_graphs"]


class HolderModule(nn.Module):
    """A module that holds others, given as a dictionary."""

    def __init__(self, d):
        super().__init__()
        for name, module in d.items():
            self.add_module(name, module)


def lift_subgraph_as_module(gm, subgraph, comp_name="", class_name="GraphModule"):
    """(a graph module of a graph whose nodes call what a larger module has, {new dotted name: name there})."""
    held, names = HolderModule({}), {}
    for node in subgraph.nodes:
        if node.op not in ("call_module", "get_attr"):
            continue
        target = node.target
        *prefix, last = target.split(".")
        ours, theirs = held, gm
        for part in prefix:
            theirs = getattr(theirs, part)
            if not hasattr(ours, part):
                ours.add_module(part, HolderModule({}))
            ours = getattr(ours, part)
        value = getattr(theirs, last)
        if not hasattr(ours, last):
            if isinstance(value, nn.Module) or isinstance(value, nn.Parameter):
                setattr(ours, last, value)
            elif last in getattr(theirs, "_buffers", ()):
                ours.register_buffer(last, value)
            else:
                setattr(ours, last, value)
        names[f"{comp_name}.{target}" if comp_name else target] = target
    return GraphModule(held, subgraph, class_name), names


def compare_graphs(left, right):
    """Whether two graphs do the same with nodes in the same order of use."""
    from .matcher_utils import SubgraphMatcher

    return len(left.nodes) == len(right.nodes) and bool(
        SubgraphMatcher(left, match_output=True, match_placeholder=True).match(right)
    )



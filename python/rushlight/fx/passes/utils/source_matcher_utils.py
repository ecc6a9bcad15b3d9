"""``torch.fx.passes.utils.source_matcher_utils``: nodes by what they were recorded from."""

from dataclasses import dataclass, field
from typing import List

from ...node import Node

__all__ = ["get_source_partitions", "check_subgraphs_connected", "SourcePartition"]


@dataclass
class SourcePartition:
    """The nodes of one module or function of a program."""

    nodes: List[Node]
    source: object
    input_nodes: List[Node] = field(default_factory=list)
    output_nodes: List[Node] = field(default_factory=list)
    params: List[Node] = field(default_factory=list)


def get_source_partitions(graph, wanted_sources, filter_fn=None):
    """{source: [:class:`SourcePartition`]} of nodes whose ``meta["source_fn_stack"]`` names one of some sources."""
    groups = {}
    for node in graph.nodes:
        stack = node.meta.get("source_fn_stack") or node.meta.get("torch_fn")
        source = stack[-1] if stack and isinstance(stack[-1], tuple) else stack
        if source is None or source[1] not in wanted_sources:
            continue
        groups.setdefault(source[1], {}).setdefault(source[0], []).append(node)
    found = {
        source: [_partition(nodes, source) for nodes in named.values() if filter_fn is None or all(map(filter_fn, nodes))]
        for source, named in groups.items()
    }
    return {source: parts for source, parts in found.items() if parts}


def _partition(nodes, source):
    inside = set(nodes)
    inputs = list(dict.fromkeys(used for node in nodes for used in node.all_input_nodes if used not in inside))
    return SourcePartition(
        nodes, source, [node for node in inputs if node.op != "get_attr"],
        [node for node in nodes if any(user not in inside for user in node.users)],
        [node for node in (*inputs, *nodes) if node.op == "get_attr"],
    )


def check_subgraphs_connected(subgraph1, subgraph2):
    """Whether something in the second takes in what the first gives."""
    given = set(subgraph1.output_nodes)
    return any(used in given for node in subgraph2.nodes for used in node.all_input_nodes)

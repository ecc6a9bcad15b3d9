"""``torch.fx.subgraph_rewriter``: puts one small graph in the place of another."""

import copy
from dataclasses import dataclass
from typing import Dict, List, NamedTuple

from .. import nn
from ._attributes import _assign_attr
from ._symbolic_trace import symbolic_trace
from .graph import Graph
from .graph_module import GraphModule
from .node import Node

__all__ = ["Match", "replace_pattern", "replace_pattern_with_filters", "ReplacedPatterns"]


class Match(NamedTuple):
    """Where a pattern was found: its anchor, and what stood for each of its nodes."""

    anchor: Node
    nodes_map: Dict[Node, Node]


@dataclass
class ReplacedPatterns:
    """A :class:`Match` and the nodes that came in its place."""

    anchor: Node
    nodes_map: Dict[Node, Node]
    replacements: List[Node]


def replace_pattern(gm, pattern, replacement):
    """Replaces a pattern wherever a graph module has it, and generates its code anew.

    ``pattern`` and ``replacement`` are functions or modules with the same parameters, which stand for any values.
    Returns a :class:`Match` for every place.
    """
    replaced = _replace_pattern(gm, pattern, replacement)
    return [Match(anchor=each.anchor, nodes_map=each.nodes_map) for each in replaced]


def replace_pattern_with_filters(
    gm, pattern, replacement=None, match_filters=None, ignore_literals=False, replacement_callback=None, node_name_match=""
):
    """As :func:`replace_pattern`, only where all filters, called with the match and both graphs, say yes.

    With ``ignore_literals`` constants match whatever they are; ``replacement_callback`` makes the replacement for a match.
    Returns a :class:`ReplacedPatterns` for every place.
    """
    return _replace_pattern(
        gm, pattern, replacement, match_filters, ignore_literals, replacement_callback, node_name_match
    )


def _graph_of(source):
    if isinstance(source, GraphModule):
        return source.graph
    return source if isinstance(source, Graph) else symbolic_trace(source).graph


def _replace_attributes(gm, replacement):
    """Gives a module what the replacement reads and calls, where it has nothing of that name itself."""
    gm.delete_all_unused_submodules()
    if isinstance(replacement, GraphModule):
        replacement.graph.lint()

    def find(module, path):
        for part in path.split("."):
            module = getattr(module, part, None)
            if module is None:
                return None
        return module

    for node in gm.graph.nodes:
        if node.op not in ("call_module", "get_attr") or find(gm, node.target) is not None:
            continue
        theirs = find(replacement, node.target)
        if theirs is None:
            raise RuntimeError(
                'Attempted to create a "', node.op, '" node during subgraph rewriting '
                f"with target {node.target}, but the referenced attribute does not exist in the replacement GraphModule",
            )
        _assign_attr(copy.deepcopy(theirs), gm, node.target)


def _replace_pattern(
    gm, pattern, replacement=None, match_filters=None, ignore_literals=False, replacement_callback=None, node_name_match=""
):
    from .passes.utils.matcher_utils import SubgraphMatcher

    graph, pattern_graph = gm.graph, _graph_of(pattern)
    filters = match_filters or []
    matcher = SubgraphMatcher(
        pattern_graph, match_output=False, match_placeholder=False, remove_overlapping_matches=True,
        ignore_literals=ignore_literals,
    )
    matches = [
        match for match in matcher.match(graph) if all(accept(match, graph, pattern_graph) for accept in filters)
    ]
    common = None if replacement_callback else _graph_of(replacement)
    # What came in the place of nodes that later matches speak of.
    changed = {}
    replaced = []
    for match in matches:
        new = replacement_callback(match, graph, pattern_graph) if common is None else common
        replaced.append(_replace_one(graph, pattern_graph, new, match, changed))
    gm.recompile()
    if isinstance(replacement, nn.Module):
        _replace_attributes(gm, replacement)
    return replaced


def _now(node, changed):
    """What stands for a node now."""
    seen = set()
    while isinstance(node, Node) and node in changed and node not in seen:
        seen.add(node)
        node = changed[node]
    return node


def _replace_one(graph, pattern_graph, replacement, match, changed):
    places = [node for node in replacement.nodes if node.op == "placeholder"]
    assert len(match.placeholder_nodes) == len(places)
    given = [_now(node, changed) for node in match.placeholder_nodes]
    match.nodes_map = {ours: _now(theirs, changed) for ours, theirs in match.nodes_map.items()}
    values = dict(zip(places, given))
    users = {user for node in match.returning_nodes for user in node.users}
    inner = {node for node in match.nodes_map.values() if isinstance(node, Node)}
    following = [node for node in graph.nodes if node in users and node not in inner]
    before = following[0] if following else _after(graph, match.returning_nodes)
    with graph.inserting_before(before):
        copied = graph.graph_copy(replacement, values)
    made = (copied,) if isinstance(copied, Node) else copied
    assert len(match.returning_nodes) == len(made)
    for old, new in zip(match.returning_nodes, made):
        old.replace_all_uses_with(new)
        changed[old] = new
    for node in reversed(pattern_graph.nodes):
        if node.op not in ("placeholder", "output"):
            graph.erase_node(match.nodes_map[node])
    new_nodes = [node for node in values.values() if isinstance(node, Node) and not any(node is each for each in given)]
    return ReplacedPatterns(anchor=match.anchors[0], nodes_map=match.nodes_map, replacements=new_nodes)


def _after(graph, nodes):
    """The node after the last of some nodes."""
    last = [node for node in graph.nodes if node in nodes][-1]
    return last.next

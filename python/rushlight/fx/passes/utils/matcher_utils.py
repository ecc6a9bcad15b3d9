"""``torch.fx.passes.utils.matcher_utils``: finds a small graph in a large one."""

import copy
from dataclasses import dataclass, field
from typing import Any, Dict, List

from ...node import Node

__all__ = ["SubgraphMatcher", "InternalMatch"]


@dataclass
class InternalMatch:
    """Where a pattern was found: what stands for each of its nodes, for its placeholders and for its results."""

    # The nodes of the pattern from which the search started.
    anchors: List[Node]
    nodes_map: Dict[Node, Any] = field(default_factory=dict)
    placeholder_nodes: List[Any] = field(default_factory=list)
    returning_nodes: List[Node] = field(default_factory=list)
    name_node_map: Dict[str, Node] = field(default_factory=dict)

    def __copy__(self):
        return InternalMatch(
            anchors=self.anchors, nodes_map=self.nodes_map.copy(), placeholder_nodes=self.placeholder_nodes.copy(),
            returning_nodes=self.returning_nodes.copy(), name_node_map=self.name_node_map.copy(),
        )


def _attribute(node):
    """The value that a node reads from its module; None where it has no module."""
    held = node.graph.owning_module
    for part in node.target.split("."):
        held = getattr(held, part, None)
    return held


class SubgraphMatcher:
    """Finds a pattern, itself a graph, in other graphs.

    Args:
        pattern: the graph; its placeholders stand for any node, or constant.
        match_output: whether its output has to be the other graph's.
        match_placeholder: whether its placeholders have to be placeholders.
        remove_overlapping_matches: whether matches may share no nodes.
        ignore_literals: whether constants match whatever they are.
    """

    def __init__(
        self, pattern, match_output=False, match_placeholder=False, remove_overlapping_matches=True, ignore_literals=False
    ):
        if len(pattern.nodes) == 0:
            raise ValueError("SubgraphMatcher cannot be initialized with an empty pattern")
        for node in pattern.nodes:
            if node.op not in ("output", "placeholder"):
                assert len(node.users) > 0, (
                    "SubgraphMatcher cannot be initialized with a pattern with dead code"
                )
        self.pattern = pattern
        self.match_output = match_output
        self.match_placeholder = match_placeholder
        self.remove_overlapping_matches = remove_overlapping_matches
        self.ignore_literals = ignore_literals
        output = next(iter(reversed(pattern.nodes)))
        self.pattern_placeholder_nodes = [node for node in pattern.nodes if node.op == "placeholder"]
        self.pattern_returning_nodes = output.all_input_nodes
        self.pattern_anchors = (
            [output] if match_output else [node for node in output.all_input_nodes if len(node.users) == 1]
        )

    def _nodes_are_equal(self, pn, gn):
        if not self.match_placeholder and pn.op == "placeholder":
            return True
        if pn.op != gn.op:
            return False
        if pn.op in ("placeholder", "output"):
            return True
        if pn.op == "get_attr":
            return self._attributes_are_equal(pn, gn)
        return pn.target == gn.target

    def _attributes_are_equal(self, pn, gn):
        from ...._rushlight import Tensor

        ours, theirs = _attribute(pn), _attribute(gn)
        if isinstance(theirs, Tensor):
            return isinstance(ours, Tensor)
        return type(ours) is type(theirs)

    def _match_constants(self, pn, gn, match):
        """Where at least one side is a constant."""
        if isinstance(pn, Node):
            if pn.op != "placeholder":
                return False
            if pn in match.nodes_map:
                return match.nodes_map[pn] == gn
            match.nodes_map[pn] = gn
            return True
        if isinstance(gn, Node):
            return False
        return self.ignore_literals or (type(gn) is type(pn) and gn == pn)

    def _match_values(self, pn, gn, match):
        """Arguments: nodes, constants, or containers of such."""
        if isinstance(pn, Node) and isinstance(gn, Node):
            return self._match_nodes(pn, gn, match)
        if isinstance(pn, (list, tuple)) and isinstance(gn, (list, tuple)):
            return len(pn) == len(gn) and all(self._match_values(p, g, match) for p, g in zip(pn, gn))
        if isinstance(pn, dict) and isinstance(gn, dict):
            return pn.keys() == gn.keys() and all(self._match_values(pn[key], gn[key], match) for key in pn)
        if isinstance(pn, slice) and isinstance(gn, slice):
            return all(
                self._match_values(getattr(pn, part), getattr(gn, part), match) for part in ("start", "stop", "step")
            )
        return self._match_constants(pn, gn, match)

    def _match_nodes(self, pn, gn, match):
        if pn in match.nodes_map:
            return match.nodes_map[pn] is gn
        if any(gn is taken for taken in match.nodes_map.values()) or not self._nodes_are_equal(pn, gn):
            return False
        before = copy.copy(match)
        match.nodes_map[pn] = gn
        if pn.op == "placeholder":
            return True
        if self._arguments_match(pn, gn, match):
            return True
        match.nodes_map.clear()
        match.nodes_map.update(before.nodes_map)
        return False

    def _arguments_match(self, pn, gn, match):
        ours, theirs = (pn.args, pn.kwargs), (gn.args, gn.kwargs)
        if len(pn.args) != len(gn.args) or list(pn.kwargs) != list(gn.kwargs):
            if pn.op != "call_function" or set(pn.kwargs) != set(gn.kwargs) or len(pn.args) != len(gn.args):
                return False
            theirs = (gn.args, {key: gn.kwargs[key] for key in pn.kwargs})
        return self._match_values(ours[0], theirs[0], match) and self._match_values(
            list(ours[1].values()), list(theirs[1].values()), match
        )

    def _is_contained(self, match):
        """Whether nobody outside of the match uses what is inside."""
        inside = {
            gn for pn, gn in match.nodes_map.items()
            if isinstance(gn, Node) and pn.op != "placeholder"
        }
        returned = {match.nodes_map[pn] for pn in self.pattern_returning_nodes if pn in match.nodes_map}
        return all(user in inside for gn in inside - returned for user in gn.users)

    def match(self, graph, node_name_match=""):
        """All places of the pattern in a graph, in its order."""
        starts = [
            [gn for gn in graph.nodes if self._nodes_are_equal(pn, gn)] for pn in self.pattern_anchors
        ]
        found = []

        def search(index, match):
            if index == len(self.pattern_anchors):
                match.placeholder_nodes = [
                    match.nodes_map[pn] for pn in self.pattern_placeholder_nodes if pn in match.nodes_map
                ]
                match.returning_nodes = [match.nodes_map[pn] for pn in self.pattern_returning_nodes]
                found.append(match)
                return
            for gn in starts[index]:
                trial = copy.copy(match)
                if self._match_nodes(self.pattern_anchors[index], gn, trial):
                    search(index + 1, trial)

        search(0, InternalMatch(anchors=self.pattern_anchors))
        found = [match for match in found if self._is_contained(match)]
        found = [match for match in found if _is_connected_enough(match, graph)]
        return self._apart(found) if self.remove_overlapping_matches else found

    def _apart(self, found):
        """The matches that share no node with one before."""
        kept, taken = [], set()
        for match in found:
            own = {
                gn for pn, gn in match.nodes_map.items() if isinstance(gn, Node) and pn.op not in ("placeholder", "output")
            }
            if not own & taken:
                kept.append(match)
                taken |= own
        return kept


def _is_connected_enough(match, graph):
    """Whether the matched nodes can be replaced as one: no result of them comes back into them from outside."""
    inside = {gn for pn, gn in match.nodes_map.items() if isinstance(gn, Node) and pn.op not in ("placeholder", "output")}
    order = {node: index for index, node in enumerate(graph.nodes)}
    seen = set()
    pending = [
        used for gn in inside for used in gn.all_input_nodes if used not in inside
    ]
    first = min((order[gn] for gn in inside), default=0)
    while pending:
        node = pending.pop()
        if node in inside:
            return False
        if node in seen or order.get(node, -1) < first:
            continue
        seen.add(node)
        pending += node.all_input_nodes
    return True

"""Finds the patterns of a backend among nodes."""

import dataclasses
from typing import Any, Iterable, Optional

from ....fx import Graph, Node
from ...._library import publish
from ....nn import Module
from ..backend_config import BackendConfig, BackendPatternConfig

__all__: list[str] = []


@dataclasses.dataclass
class _Match:
    """Nodes that follow one another as the operations of a pattern do."""

    nodes: list[Node]
    config: BackendPatternConfig

    @property
    def first(self) -> Node:
        """The node whose arguments go into the pattern."""
        return self.nodes[0]

    @property
    def last(self) -> Node:
        """The node with the result of the pattern."""
        return self.nodes[-1]


def _sequence(config: BackendPatternConfig) -> tuple[Any, ...]:
    """The operations of a pattern in the order of the program.

    Raises:
        NotImplementedError: the pattern is no sequence.
    """
    if config.pattern is not None:
        return config.pattern if isinstance(config.pattern, tuple) else (config.pattern,)
    found, rest = [], config._pattern_complex_format
    while isinstance(rest, tuple):
        if len(rest) != 2:
            raise NotImplementedError(
                f"the pattern {config._pattern_complex_format}, which is no sequence, is not supported by Rushlight"
            )
        operation, rest = rest
        found.append(operation)
    return tuple(reversed([*found, rest]))


def _is_match(modules: dict[str, Module], node: Any, operation: Any) -> bool:
    """Whether a node is an operation: calls a module of a class, a function, or a method of a name."""
    if not isinstance(node, Node):
        return False
    if node.op == "call_module":
        return isinstance(operation, type) and type(modules.get(node.target)) is operation
    if node.op == "call_method":
        return isinstance(operation, str) and node.target == operation
    if node.op == "call_function":
        if node.target is getattr:
            return isinstance(operation, str) and node.args[1] == operation
        return not isinstance(operation, (type, str)) and node.target == operation
    return False


def _nodes_of(modules: dict[str, Module], last: Node, operations: tuple[Any, ...]) -> Optional[list[Node]]:
    """The nodes of a sequence of operations that ends with a node: all but the last have no other user."""
    found: list[Node] = []
    node: Any = last
    for operation in reversed(operations):
        if not _is_match(modules, node, operation) or found and len(node.users) > 1:
            return None
        found.append(node)
        node = node.args[0] if node.args else None
    return found[::-1]


def _find_matches(
    graph: Graph, modules: dict[str, Module], configs: Iterable[BackendPatternConfig]
) -> list[_Match]:
    """What of a graph matches patterns, from its end on: longer patterns first, no node in two of them."""
    ordered = sorted(((_sequence(config), config) for config in configs), key=lambda each: -len(each[0]))
    found: list[_Match] = []
    taken: set[Node] = set()
    for node in reversed(graph.nodes):
        if node in taken:
            continue
        for operations, config in ordered:
            nodes = _nodes_of(modules, node, operations)
            if nodes is not None and not taken.intersection(nodes):
                found.append(_Match(nodes, config))
                taken.update(nodes)
                break
    return found


def _configs_to_fuse(backend_config: BackendConfig) -> list[BackendPatternConfig]:
    """The patterns that become one module."""
    return [config for config in backend_config.configs if config.fuser_method is not None]


publish(globals())

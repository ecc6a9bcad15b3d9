"""``torch.fx.passes.tools_common``: names of what nodes call, and nodes in an order in which they can run."""

import collections
import heapq
from typing import List, Set, Tuple, Union

from ..._rushlight import Tensor
from ..graph import Graph
from ..node import Node, _get_qualified_name

__all__ = [
    "get_acc_ops_name", "get_node_target", "is_node_output_tensor", "FxNetAccFusionsFinder", "legalize_graph",
    "stable_topological_sort",
]

Tensors = Union[Tuple[Tensor], List[Tensor]]
TensorOrTensors = Union[Tensor, Tensors]
NodeList = List[Node]
NodeSet = Set[Node]
Names = List[str]
CALLABLE_NODE_OPS = {"call_module", "call_function", "call_method"}


def get_acc_ops_name(k):
    """The dotted name of an operator, without what stands behind ``acc_ops``."""
    if isinstance(k, str):
        return k
    if k.__module__ and "acc_ops" in k.__module__:
        return f"acc_ops.{k.__name__}"
    module = k.__module__.replace("torch._ops", "torch.ops")
    return f"{module if module else ''}.{k.__name__}"


def get_node_target(submodules, node):
    """What a calling node calls: the class of a module, the name of a function or method."""
    assert node.op in CALLABLE_NODE_OPS, (
        "Expect op types of " + ", ".join(CALLABLE_NODE_OPS) + f", but found {node.op}"
    )
    if node.op == "call_module":
        module = submodules[node.target]
        from .._targets import module_of

        kind = type(module)
        return f"{module_of(kind)}.{kind.__name__}"
    return _get_qualified_name(node.target) if node.op == "call_function" else node.target


def is_node_output_tensor(node):
    """Whether a node is known to give a tensor."""
    kind = node.meta.get("type", None)
    return kind is not None and issubclass(kind, Tensor)


class FxNetAccFusionsFinder:
    """Groups of nodes for an accelerator: there is none here."""

    def __init__(self, module, acc_nodes):
        raise NotImplementedError("FxNetAccFusionsFinder is for accelerators, which Rushlight does not have")


def _sorted(gm, pick):
    """The nodes of a graph, each after those that it uses; ``pick`` chooses among those that may come next."""
    waiting = {node: len(node.all_input_nodes) for node in gm.graph.nodes}
    places = {node: index for index, node in enumerate(gm.graph.nodes)}
    ready = pick.start([node for node, count in waiting.items() if not count], places)
    made, env = Graph(), {}
    while len(ready):
        node = pick.take(ready)
        env[node] = made.node_copy(node, env.__getitem__)
        for user in node.users:
            waiting[user] -= 1
            if not waiting[user]:
                pick.put(ready, user, places)
    if len(made.nodes) < len(gm.graph.nodes):
        raise RuntimeError(
            f"Input graph has cycles, unable to add {[node for node, count in waiting.items() if count]}"
        )
    made._codegen = gm.graph._codegen
    gm.graph = made
    return gm


class _FirstCome:
    """Nodes in the order in which they become ready."""

    start = staticmethod(lambda nodes, places: collections.deque(nodes))
    take = staticmethod(lambda ready: ready.popleft())
    put = staticmethod(lambda ready, node, places: ready.append(node))


class _ByPlace:
    """Of the nodes that are ready, the one that stood first."""

    @staticmethod
    def start(nodes, places):
        ready = [(places[node], node) for node in nodes]
        heapq.heapify(ready)
        return ready

    take = staticmethod(lambda ready: heapq.heappop(ready)[1])
    put = staticmethod(lambda ready, node, places: heapq.heappush(ready, (places[node], node)))


def legalize_graph(gm):
    """Puts the nodes of a graph module's graph into an order in which they can run; returns the module."""
    return _sorted(gm, _FirstCome)


def stable_topological_sort(gm):
    """As :func:`legalize_graph`; nodes that may stay where they are stay."""
    return _sorted(gm, _ByPlace)



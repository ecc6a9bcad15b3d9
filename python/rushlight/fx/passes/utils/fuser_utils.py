"""``torch.fx.passes.utils.fuser_utils``: groups of nodes as modules in their place."""

import operator

from ...graph import Graph
from ...node import Node
from ..tools_common import stable_topological_sort
from .common import lift_subgraph_as_module


def topo_sort(nodes):
    """Some nodes, each after those that it uses."""
    wanted = set(nodes)
    waiting = {node: sum(used in wanted for used in node.all_input_nodes) for node in nodes}
    ready = [node for node in nodes if not waiting[node]]
    ordered = []
    while ready:
        node = ready.pop(0)
        ordered.append(node)
        for user in node.users:
            if user in wanted:
                waiting[user] -= 1
                if not waiting[user]:
                    ready.append(user)
    if len(ordered) != len(nodes):
        raise AssertionError("topological sorted nodes doesn't have same length as input nodes")
    return ordered


def validate_partition(partition):
    """Whether nodes can become one: nothing that they give comes back to them from outside."""
    inside = set(partition)
    pending = [user for node in partition for user in node.users if user not in inside]
    seen = set()
    while pending:
        node = pending.pop()
        if node in inside:
            return False
        if node not in seen:
            seen.add(node)
            pending += node.users
    return True


def fuse_as_graphmodule(gm, nodes, module_name, partition_lookup_table=None, *, always_return_tuple=False):
    """(a graph module of some nodes, the nodes that it takes in, the nodes that it gives)."""
    for node in nodes:
        if node.graph.owning_module is not gm:
            raise AssertionError(f"{node} doesn't belong to passed in graph module {gm._get_name()}")
        if node._erased:
            raise AssertionError(f"{node} has been removed from owning graph")
    if not validate_partition(nodes):
        raise AssertionError("Invalid partition, found dependency cycles")
    inside = set(nodes)
    graph, env = Graph(), {}

    def inner(used):
        if used not in env:
            made = env[used] = graph.placeholder(used.name, type_expr=used.type)
            made.meta = used.meta.copy()
        return env[used]

    for node in nodes:
        copied = graph.node_copy(node, inner)
        env[node] = copied
    outputs = [node for node in nodes if any(user not in inside for user in node.users)]
    given = tuple(env[node] for node in outputs)
    graph.output(given[0] if len(given) == 1 and not always_return_tuple else given)
    graph.lint()
    module, _ = lift_subgraph_as_module(gm, graph, comp_name="", class_name=module_name)
    inputs = tuple(used for used in env if used not in inside)
    return module, inputs, tuple(outputs)


def insert_subgm(gm, sub_gm, orig_inputs, orig_outputs, insertion_point=None):
    """Puts a call of a module into a graph, whose results stand for some of its nodes."""
    name = type(sub_gm).__name__
    gm.add_submodule(name, sub_gm)
    place = insertion_point or max(orig_outputs)
    with gm.graph.inserting_after(place):
        call = gm.graph.call_module(name, args=orig_inputs)
        result = next(node for node in reversed(sub_gm.graph.nodes) if node.op == "output").args[0]
        if isinstance(result, Node):
            orig_outputs[0].replace_all_uses_with(call, propagate_meta=True)
        else:
            with gm.graph.inserting_before(call.next):
                for number, old in enumerate(orig_outputs):
                    item = gm.graph.call_function(operator.getitem, (call, number))
                    old.replace_all_uses_with(item, propagate_meta=True)
    return gm


def erase_nodes(gm, nodes):
    """Takes out nodes that nobody outside of them uses."""
    for node in reversed(nodes):
        gm.graph.erase_node(node)


def fuse_by_partitions(gm, partitions, prefix="fused_", always_return_tuple=False):
    """Makes a module of each group of nodes, given as dictionaries, and calls it in their place; returns ``gm``."""
    for number, partition in enumerate(partitions):
        nodes = topo_sort(list(partition))
        module, inputs, outputs = fuse_as_graphmodule(
            gm, nodes, f"{prefix}{number}", always_return_tuple=always_return_tuple
        )
        insert_subgm(gm, module, inputs, outputs)
        erase_nodes(gm, nodes)
    stable_topological_sort(gm)
    gm.recompile()
    return gm

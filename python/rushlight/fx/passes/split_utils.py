"""``torch.fx.passes.split_utils``: cuts a graph into parts by the tags of its nodes."""

import copy
from dataclasses import dataclass, field
from typing import Dict, List, Optional

from ..graph import Graph
from ..graph_module import GraphModule
from ..node import Node, map_arg
from .utils.common import HolderModule, lift_subgraph_as_module

__all__ = ["getattr_recursive", "setattr_recursive", "Component", "split_by_tags", "move_non_tensor_nodes_on_boundary"]


def getattr_recursive(obj, name):
    """The attribute of a dotted name; None where a module has no such."""
    for part in name.split("."):
        if hasattr(obj, "_modules") and part in obj._modules:
            obj = obj._modules[part]
        elif hasattr(obj, part):
            obj = getattr(obj, part)
        else:
            return None
    return obj


def setattr_recursive(obj, attr, value):
    """Sets the attribute of a dotted name."""
    *prefix, last = attr.split(".")
    for part in prefix:
        obj = getattr(obj, part)
    setattr(obj, last, value)


@dataclass
class Component:
    """One part of a graph."""

    graph: Graph
    order: int
    name: str
    input_placeholders: List[Node] = field(default_factory=list)
    orig_inputs: List[Node] = field(default_factory=list)
    orig_outputs: List[Node] = field(default_factory=list)
    getattr_maps: Dict[Node, Node] = field(default_factory=dict)
    constructor_args: List[str] = field(default_factory=list)
    gm: Optional[GraphModule] = None


def move_non_tensor_nodes_on_boundary(subgraphs):
    """Parts for accelerators: there are none here."""
    raise NotImplementedError("move_non_tensor_nodes_on_boundary is for accelerators, which Rushlight does not have")


def split_by_tags(gm, tags, return_fqn_mapping=False, return_tuple=False, GraphModuleCls=GraphModule):
    """A graph module of parts: nodes with the same ``tag`` become a module of that name, in the order of ``tags``.

    With ``return_fqn_mapping`` also a dictionary from dotted names in the parts to those in ``gm``.
    """
    components = {tag: Component(Graph(), number, tag) for number, tag in enumerate(tags)}
    home, copies, outputs_of = {}, {}, {}
    main, env = Graph(), {}
    output = None

    for node in gm.graph.nodes:
        if node.op == "output":
            if output is not None:
                raise RuntimeError("Multiple output nodes in graph!")
            output = node
            continue
        if node.op == "placeholder":
            env[node] = main.placeholder(node.name, type_expr=node.type)
            env[node].meta = copy.copy(node.meta)
            continue
        if node.op == "get_attr":
            continue
        component = components[node.tag]
        latest = max((home[used].order for used in node.all_input_nodes if used in home), default=0)
        assert component.order >= latest, (
            f"Node {node} order must not be smaller than that of its arguments"
        )

        def inner(used, component=component):
            if used.op == "get_attr":
                if used not in component.getattr_maps:
                    component.getattr_maps[used] = component.graph.get_attr(used.target, type_expr=used.type)
                return component.getattr_maps[used]
            if used.op != "placeholder" and home[used] is component:
                return copies[used]
            if used not in component.orig_inputs:
                component.orig_inputs.append(used)
                made = component.graph.placeholder(used.name, type_expr=used.type)
                made.meta = copy.copy(used.meta)
                component.input_placeholders.append(made)
                if used.op != "placeholder":
                    outputs_of.setdefault(home[used].name, {}).setdefault(used)
            return component.input_placeholders[component.orig_inputs.index(used)]

        made = component.graph.node_copy(node, inner)
        copies[node], home[node] = made, component

    if output is not None:
        for used in output.all_input_nodes:
            if used in home:
                outputs_of.setdefault(home[used].name, {}).setdefault(used)
            elif used.op == "get_attr":
                raise RuntimeError("attributes cannot be outputs of a graph that is split")

    names = {}
    for component in components.values():
        if not len(component.graph.nodes):
            continue
        component.orig_outputs = list(outputs_of.get(component.name, ()))
        given = tuple(copies[node] for node in component.orig_outputs)
        single = len(given) == 1 and not return_tuple
        component.graph.output(given[0] if single else given)
        component.gm, own = lift_subgraph_as_module(gm, component.graph, comp_name=component.name)
        names.update(own)
        call = main.call_module(component.name, args=tuple(env[node] for node in component.orig_inputs))
        if single:
            env[component.orig_outputs[0]] = call
            continue
        from ..proxy import Proxy

        proxy = Proxy(call)
        for number, node in enumerate(component.orig_outputs):
            env[node] = proxy[number].node
    if output is not None:
        main.output(map_arg(output.args[0], env.__getitem__))
    root = HolderModule({component.name: component.gm for component in components.values() if component.gm is not None})
    made = GraphModuleCls(root, main)
    return (made, names) if return_fqn_mapping else made

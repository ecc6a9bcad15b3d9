"""``torch.fx.experimental.const_fold``: what depends on no argument is computed once."""

import operator

from ... import nn
from ..._rushlight import Tensor
from .._symbolic_trace import symbolic_trace
from ..graph import Graph
from ..graph_module import GraphModule
from ..node import map_arg

__all__ = ["FoldedGraphModule", "get_unique_attr_name_in_module", "split_const_subgraphs"]


class FoldedGraphModule(GraphModule):
    """A graph module that computes what depends on no argument when it first runs."""

    def __init__(
        self, root, graph, const_subgraph=None, fx_const_folded_attrs_name=None, device_for_folded_attrs="cuda"
    ):
        super().__init__(root, graph)
        self.const_subgraph_module = None if const_subgraph is None else GraphModule(root, const_subgraph)
        self.has_folding_been_run = False
        self.fx_const_folded_attrs_name = fx_const_folded_attrs_name
        self.device_for_folded_attrs = device_for_folded_attrs

    def __call__(self, *args, **kwargs):
        if not self.has_folding_been_run:
            self.run_folding()
        return super().__call__(*args)

    def run_folding(self):
        """Computes what depends on no argument."""
        if self.const_subgraph_module is None or self.fx_const_folded_attrs_name is None:
            return
        assert not self.has_folding_been_run
        self.has_folding_been_run = True
        folded = self.const_subgraph_module()

        def kept(value):
            if not isinstance(value, Tensor):
                return value
            return nn.Parameter(value.detach().clone(), requires_grad=value.requires_grad)

        made = nn.ParameterList([kept(value) for value in folded]) if isinstance(folded, tuple) else kept(folded)
        setattr(self, self.fx_const_folded_attrs_name, made)


def get_unique_attr_name_in_module(mod_traced, name):
    """A name that a module does not have yet."""
    number, base = 0, name
    while hasattr(mod_traced, name):
        number += 1
        name = f"{base}_{number}"
    return name


def split_const_subgraphs(
    module, skip_folding_node_fn=None, device_for_folded_attrs="cpu", is_impure_node=None
):
    """A :class:`FoldedGraphModule` of a module.

    ``skip_folding_node_fn`` says of a node that it is to stay; ``is_impure_node`` that it has other effects.
    """
    traced = module if isinstance(module, GraphModule) else symbolic_trace(module)
    constant, found = set(), False
    for node in traced.graph.nodes:
        if node.op in ("placeholder", "output"):
            continue
        if node.op != "get_attr" and not set(node.all_input_nodes) <= constant:
            continue
        if node.op != "get_attr" and not node.all_input_nodes:
            continue
        if skip_folding_node_fn and skip_folding_node_fn(node):
            continue
        impure = is_impure_node(node) if is_impure_node else node.is_impure()
        if impure or (node.op == "call_module" and getattr(traced.get_submodule(node.target), "training", False)):
            continue
        constant.add(node)
        found = found or node.op != "get_attr"
    if not found:
        return FoldedGraphModule(traced, traced.graph)
    return _split(traced, constant, device_for_folded_attrs)


def _split(traced, constant, device):
    """Two graphs: of the constant nodes, and of the others, which read what the first gives."""
    first, first_env = Graph(), {}
    for node in traced.graph.nodes:
        if node in constant:
            name = f"{node.name}_1" if node.op == "get_attr" else node.name
            made = first.create_node(
                node.op, node.target, map_arg(node.args, first_env.__getitem__),
                map_arg(node.kwargs, first_env.__getitem__), name=name, type_expr=node.type,
            )
            made.meta = node.meta.copy()
            first_env[node] = made
    crossing = [
        node for node in constant_in_order(traced, constant)
        if node.op != "get_attr" and any(user not in constant for user in node.users)
    ]
    first.output(first_env[crossing[0]] if len(crossing) == 1 else tuple(first_env[node] for node in crossing))
    for node in list(reversed(first.nodes)):
        if node.op == "get_attr" and not node.users:
            first.erase_node(node)

    name = get_unique_attr_name_in_module(traced, "_FX_CONST_FOLDED_ATTRS")
    second, env, folded = Graph(), {}, None
    for node in traced.graph.nodes:
        if node.op == "placeholder":
            env[node] = second.node_copy(node)
            continue
        if folded is None:
            folded = second.create_node("get_attr", name)
            if len(crossing) == 1:
                env[crossing[0]] = folded
            else:
                for number, crossed in enumerate(crossing):
                    env[crossed] = second.call_function(operator.getitem, (folded, number))
        if node in constant and (node.op != "get_attr" or all(user in constant for user in node.users)):
            continue
        if node.op == "output":
            second.output(map_arg(node.args[0], env.__getitem__), type_expr=node.type)
            continue
        env[node] = made = second.create_node(
            node.op, node.target, map_arg(node.args, env.__getitem__), map_arg(node.kwargs, env.__getitem__),
            type_expr=node.type,
        )
        made.meta = node.meta.copy()
    return FoldedGraphModule(_with_room(traced, name), second, first, name, device)


def constant_in_order(traced, constant):
    """The constant nodes in the order of the graph."""
    return [node for node in traced.graph.nodes if node in constant]


def _with_room(traced, name):
    """The module with an attribute for what will be computed."""
    setattr(traced, name, nn.Parameter())
    return traced


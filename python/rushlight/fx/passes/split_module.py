"""``torch.fx.passes.split_module``: cuts a graph into parts, each a module of its own."""

from collections import OrderedDict

from ...nn import Module
from ..graph import Graph
from ..graph_module import GraphModule
from ..node import map_arg

__all__ = ["Partition", "split_module", "split_module_simple"]


class Partition:
    """One part: its nodes, what it takes in and gives out, and which other parts it needs."""

    def __init__(self, name):
        self.name = name
        self.submod_name = f"submod_{name}"
        self.node_names = []
        self.inputs = {}
        self.outputs = {}
        self.dependencies = {}
        self.dependents = {}
        self.graph = Graph()
        self.environment = {}
        self.targets = {}

    def __repr__(self):
        return (
            f"name: {self.name},\n nodes: {self.node_names},\n inputs: {self.inputs},\n outputs: {self.outputs},\n "
            f"partitions depended on: {self.dependencies},\n partition dependents: {self.dependents}"
        )


def _attribute(module, path):
    for part in path.split("."):
        if not hasattr(module, part):
            raise RuntimeError(f"Node target {path} not found!")
        module = getattr(module, part)
    return module


_IN_PARTS = ("call_module", "call_method", "call_function")


class _Splitter:
    def __init__(self, module, callback, affix):
        self.module = module
        self.callback = callback
        self.affix = affix
        self.parts = {}
        # {node: the key of its part}
        self.home = {}
        self.nodes = {node.name: node for node in module.graph.nodes}

    def part(self, key):
        """The part of a key, made when it is first asked for."""
        found = self.parts.get(key)
        if found is None:
            found = self.parts[key] = Partition(key if self.affix is None else f"{self.affix}_{key}")
        return found

    def assign(self):
        """Puts nodes into parts, and notes what crosses from one into another."""
        for node in self.module.graph.nodes:
            if node.op in _IN_PARTS:
                key = str(self.callback(node))
                self.home[node] = key
                self.part(key).node_names.append(node.name)
        for node in self.module.graph.nodes:
            for used in node.all_input_nodes:
                self._note(used, node)

    def _note(self, used, user):
        source, target = self.home.get(used), self.home.get(user)
        if source == target:
            return
        if source is not None:
            self.parts[source].outputs.setdefault(used.name)
            if target is not None:
                self.parts[source].dependents.setdefault(target)
        if target is not None:
            self.parts[target].inputs.setdefault(used.name)
            if source is not None:
                self.parts[target].dependencies.setdefault(source)

    def order(self):
        """The keys of the parts, each after those that it needs."""
        waiting = {key: len(part.dependencies) for key, part in self.parts.items()}
        ready = [key for key, count in waiting.items() if not count]
        ordered = []
        while ready:
            key = ready.pop(0)
            ordered.append(key)
            for dependent in self.parts[key].dependents:
                waiting[dependent] -= 1
                if not waiting[dependent]:
                    ready.append(dependent)
        if len(ordered) != len(self.parts):
            raise RuntimeError("cycle exists between partitions!")
        return ordered

    def fill(self, keep_node_name, keep_input_name, qualname_map):
        """Copies the nodes into the graphs of their parts."""
        for part in self.parts.values():
            for number, name in enumerate(part.inputs):
                old = self.nodes[name]
                default = old.args[0] if old.op == "placeholder" and old.args else Graph._no_default
                made = part.graph.placeholder(
                    name if keep_input_name else f"arg_{number}", type_expr=old.type, default_value=default
                )
                made.meta = old.meta.copy()
                part.environment[old] = made
        for node in self.module.graph.nodes:
            if node not in self.home:
                continue
            part = self.parts[self.home[node]]
            target = node.target
            if node.op == "call_module":
                target = target.replace(".", "_")
                part.targets[target] = _attribute(self.module, node.target)
                if qualname_map is not None:
                    qualname_map[f"{part.submod_name}.{target}"] = node.target
            made = part.graph.create_node(
                node.op, target, map_arg(node.args, part.environment.__getitem__),
                map_arg(node.kwargs, part.environment.__getitem__), name=node.name if keep_node_name else None,
                type_expr=node.type,
            )
            made.meta = node.meta.copy()
            part.environment[node] = made


def split_module(
    m, root_m, split_callback, qualname_map=None, keep_original_order=False, keep_original_node_name=False,
    keep_original_input_name=True, *, partition_affix=None, tuple_return=False,
):
    """A graph module of the parts of another, in the order in which they need one another.

    Args:
        m: the graph module.
        root_m: the module that it was recorded from; not looked at.
        split_callback: the part of a node, any key.
        qualname_map: filled with what the modules in the parts are called in ``m``.
        keep_original_order: parts, and attributes before them, stand in the order of their first nodes.
        keep_original_node_name: nodes in the parts keep their names.
        keep_original_input_name: the parts' inputs have the names of the nodes that they stand for.
        partition_affix: stands in the names of the parts.
        tuple_return: parts always give tuples.

    Raises ``RuntimeError`` where parts need one another in a circle.
    """
    splitter = _Splitter(m, split_callback, partition_affix)
    splitter.assign()
    ordered = splitter.order()
    if keep_original_order:
        firsts = list(dict.fromkeys(splitter.home.values()))
        ready, kept = set(), []
        while firsts:
            key = next((k for k in firsts if set(splitter.parts[k].dependencies) <= ready), None)
            assert key is not None
            firsts.remove(key)
            ready.add(key)
            kept.append(key)
        ordered = kept
    splitter.fill(keep_original_node_name, keep_original_input_name, qualname_map)
    return _assemble(m, splitter, ordered, keep_original_order, tuple_return)


def _assemble(m, splitter, ordered, keep_original_order, tuple_return):
    base, env, attributes = Graph(), {}, OrderedDict()

    def copy_attribute(node):
        made = env[node] = base.get_attr(node.target, type_expr=node.type)
        made.meta = node.meta.copy()
        attributes[node.target] = _attribute(m, node.target)

    for node in m.graph.nodes:
        if node.op == "placeholder":
            default = node.args[0] if node.args else Graph._no_default
            env[node] = base.placeholder(node.target, type_expr=node.type, default_value=default)
            env[node].meta = node.meta.copy()
        elif node.op == "get_attr" and not keep_original_order:
            copy_attribute(node)
    for key in ordered:
        part = splitter.parts[key]
        results = tuple(part.environment[splitter.nodes[name]] for name in part.outputs)
        single = len(results) == 1 and not tuple_return
        part.graph.output(results[0] if single else results)
        for name in part.inputs:
            old = splitter.nodes[name]
            if old not in env and old.op == "get_attr":
                copy_attribute(old)
        attributes[part.submod_name] = GraphModule(part.targets, part.graph)
        call = base.call_module(part.submod_name, tuple(env[splitter.nodes[name]] for name in part.inputs))
        if single:
            env[splitter.nodes[next(iter(part.outputs))]] = call
            continue
        from ..proxy import Proxy

        proxy = Proxy(call)
        for number, name in enumerate(part.outputs):
            env[splitter.nodes[name]] = proxy[number].node
    for node in m.graph.nodes:
        if node.op == "output":
            for used in node.all_input_nodes:
                if used not in env:
                    copy_attribute(used)
            made = base.output(map_arg(node.args[0], env.__getitem__), type_expr=node.type)
            made.meta = node.meta.copy()
    return GraphModule(attributes, base)


def split_module_simple(m, node_to_partition, *, partition_affix=None):
    """As :func:`split_module`, with the part of every node in a dictionary."""
    return split_module(m, Module(), node_to_partition.__getitem__, partition_affix=partition_affix)

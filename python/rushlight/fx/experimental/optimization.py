"""``torch.fx.experimental.optimization``: normalisation folded into convolutions, dropout taken out, parts cut out."""

import copy

from ... import nn
from ...nn.utils.fusion import fuse_conv_bn_eval
from .._symbolic_trace import Tracer, symbolic_trace
from ..graph import Graph
from ..graph_module import GraphModule

__all__ = [
    "matches_module_pattern", "replace_node_module", "fuse", "remove_dropout", "extract_subgraph", "modules_to_mkldnn",
    "reset_modules", "MklSubgraph", "gen_mkl_autotuner", "use_mkl_length", "UnionFind", "optimize_for_inference",
]


def _parent_name(target):
    """(the dotted name of what holds a name, the name itself)."""
    parent, _, name = target.rpartition(".")
    return parent, name


def matches_module_pattern(pattern, node, modules):
    """Whether a node, called with the result of another, calls modules of these two classes, one after the other."""
    if len(node.args) == 0:
        return False
    for expected, current in zip(pattern, (node.args[0], node)):
        if getattr(current, "op", None) != "call_module" or not isinstance(current.target, str):
            return False
        if type(modules.get(current.target)) is not expected:
            return False
    return True


def replace_node_module(node, modules, new_module):
    """Puts another module in the place of the one that a node calls."""
    assert isinstance(node.target, str)
    parent, name = _parent_name(node.target)
    modules[node.target] = new_module
    setattr(modules[parent], name, new_module)


_PATTERNS = (
    (nn.Conv1d, nn.BatchNorm1d), (nn.Conv2d, nn.BatchNorm2d), (nn.Conv3d, nn.BatchNorm3d), (nn.Linear, nn.BatchNorm1d),
)


def _fused(first, norm):
    if isinstance(first, nn.Linear):
        from ...nn.utils.fusion import fuse_linear_bn_eval

        return fuse_linear_bn_eval(first, norm)
    return fuse_conv_bn_eval(first, norm)


def fuse(model, inplace=False, no_trace=False):
    """A module in which normalisation that follows a convolution or a linear layer is part of it.

    ``model`` must be in evaluation mode; it stays as it is unless ``inplace``. With ``no_trace`` it is a graph module
    already.
    """
    if not inplace:
        model = copy.deepcopy(model)
    if not no_trace or not isinstance(model, GraphModule):
        traced = symbolic_trace(model)
    else:
        traced = model
    modules = dict(traced.named_modules())
    graph = copy.deepcopy(traced.graph)
    for pattern in _PATTERNS:
        for node in graph.nodes:
            if not matches_module_pattern(pattern, node, modules):
                continue
            if len(node.args[0].users) > 1:
                continue  # somebody needs the result before normalisation
            norm = modules[node.target]
            if not norm.track_running_stats:
                continue
            replace_node_module(node.args[0], modules, _fused(modules[node.args[0].target], norm))
            node.replace_all_uses_with(node.args[0])
            graph.erase_node(node)
    return GraphModule(traced, graph)


def remove_dropout(model):
    """A module without dropout."""
    from ..interpreter import Transformer

    class DropoutRemover(Transformer):
        """Gives what dropout takes in."""

        def call_module(self, target, args, kwargs):
            if isinstance(self.submodules[target], nn.Dropout):
                assert len(args) == 1
                return args[0]
            return super().call_module(target, args, kwargs)

    return DropoutRemover(symbolic_trace(model)).transform()


def extract_subgraph(orig_module, nodes, inputs, outputs):
    """A graph module of some nodes of a module's graph: what it takes in, and the list of what it gives."""
    graph, env = Graph(), {}
    for node in inputs:
        env[node] = graph.placeholder(node.name)
    for node in nodes:
        env[node] = graph.node_copy(node, env.__getitem__)
    graph.output([env[node] for node in outputs])
    graph.lint()
    return GraphModule(orig_module, graph)


def _no_mkldnn(name):
    raise NotImplementedError(f"{name} needs tensors in MKL-DNN's layout, which Rushlight does not have")


def modules_to_mkldnn(nodes, modules):
    """Modules in MKL-DNN's layout: there is no such layout here."""
    _no_mkldnn("modules_to_mkldnn")


def reset_modules(nodes, modules, old_modules):
    """Puts modules back that :func:`modules_to_mkldnn` has replaced."""
    for node in nodes:
        if node.op == "call_module":
            held = modules[node.target]
            if held in old_modules:
                replace_node_module(node, modules, old_modules[held])


class MklSubgraph:
    """Nodes that would run in MKL-DNN's layout."""

    def __init__(self, fx_graph):
        self.fx_graph = fx_graph
        self.nodes = []
        self.start_nodes = []
        self.end_nodes = []


def gen_mkl_autotuner(example_inputs, iters=10, warmup=1):
    """Who measures whether MKL-DNN's layout helps: there is no such layout here."""
    _no_mkldnn("gen_mkl_autotuner")


def use_mkl_length(graph):
    """Whether a part is long enough for MKL-DNN's layout."""
    return len(graph.nodes) > 2


class UnionFind:
    """Which numbers belong together."""

    def __init__(self, n):
        self.parent = [None] * n
        self.size = [0] * n

    def make_set(self, v):
        """Makes a number known, for itself."""
        self.parent[v] = v
        self.size[v] = 1

    def find(self, v):
        """The number that stands for all that belong to this one."""
        parent = self.parent[v]
        if v == parent:
            return v
        assert parent is not None
        self.parent[v] = self.find(parent)
        return self.parent[v]

    def join(self, a, b):
        """Makes two numbers belong together."""
        a, b = self.find(a), self.find(b)
        if a == b:
            return a
        if self.size[a] < self.size[b]:
            a, b = b, a
        self.parent[b] = a
        self.size[a] += self.size[b]
        return None


def optimize_for_inference(model, pass_config=None, tracer=Tracer):
    """A module with normalisation folded in and without dropout.

    ``pass_config`` may say ``{"conv_bn_fuse": False}`` or ``{"remove_dropout": False}``. Layouts stay as they are: Rushlight
    has no MKL-DNN.
    """
    config = {"conv_bn_fuse": True, "remove_dropout": True, "mkldnn_layout_optimize": {}}
    config.update(pass_config or {})
    if config["conv_bn_fuse"]:
        model = fuse(model)
    if config["remove_dropout"]:
        model = remove_dropout(model)
    traced = tracer()
    graph = traced.trace(copy.deepcopy(model))
    return GraphModule(traced.root, graph)

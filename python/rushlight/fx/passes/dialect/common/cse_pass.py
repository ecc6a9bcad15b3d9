"""``torch.fx.passes.dialect.common.cse_pass``: equal calls become one."""

from ....graph_module import GraphModule
from ....graph import Graph
from ....node import Node, map_arg
from ...infra.pass_base import PassBase, PassResult

_RANDOM = ("dropout", "rand", "bernoulli", "multinomial", "normal", "rrelu", "poisson")


def get_CSE_banned_ops():
    """Operators whose calls stay apart: those that draw random numbers or whose result is fresh memory."""
    from ....._namespaces import NAMESPACES

    aten = NAMESPACES["ops"].aten
    names = ("rand", "rand_like", "randn", "randn_like", "randint", "randperm", "bernoulli", "dropout", "empty", "empty_like")
    return {getattr(aten, name) for name in names}


def _key(value):
    """An argument as something that can be compared, with the types of constants."""
    if isinstance(value, (list, tuple)):
        return type(value).__name__, tuple(map(_key, value))
    if isinstance(value, dict):
        return "dict", tuple((name, _key(held)) for name, held in value.items())
    if isinstance(value, slice):
        return "slice", _key(value.start), _key(value.stop), _key(value.step)
    return value if isinstance(value, Node) else (type(value), value)


class CSEPass(PassBase):
    """Makes one call of functions that are called several times with equal arguments."""

    def __init__(self, banned_ops=None):
        self.banned_ops = get_CSE_banned_ops() if banned_ops is None else banned_ops
        super().__init__()

    def _stays(self, node):
        if node.op != "call_function" or node.target in self.banned_ops:
            return True
        return any(word in getattr(node.target, "__name__", "") for word in _RANDOM) or node.is_impure()

    def call(self, graph_module):
        """The module with one call for equal ones, and whether there were any."""
        made, env, known, modified = Graph(), {}, {}, False
        for node in graph_module.graph.nodes:
            if self._stays(node):
                env[node] = made.node_copy(node, env.__getitem__)
                continue


            key = node.target, _key(map_arg(node.args, env.__getitem__)), _key(map_arg(node.kwargs, env.__getitem__))
            if key in known:
                modified = True
                env[node] = known[key]
                continue
            env[node] = known[key] = made.node_copy(node, env.__getitem__)
        return PassResult(GraphModule(graph_module, made), modified)

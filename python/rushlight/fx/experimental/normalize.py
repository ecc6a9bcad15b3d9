"""``torch.fx.experimental.normalize``: calls with all arguments, by name."""

from ..interpreter import Transformer
from ..operator_schemas import normalize_function, normalize_module
from ..proxy import Proxy


class NormalizeArgs(Transformer):
    """Makes a graph whose calls of functions and modules give all arguments, by name unless told otherwise."""

    def __init__(self, module, normalize_to_only_use_kwargs=True):
        super().__init__(module)
        self.node_map = {}
        self.normalize_to_only_use_kwargs = normalize_to_only_use_kwargs

    def run_node(self, n):
        """The proxy of a node's result."""
        result = super().run_node(n)
        if n.op != "output" and isinstance(result, Proxy):
            self.node_map[result] = n
            result.node.meta = n.meta
            result.node.type = n.type
        return result

    def call_function(self, target, args, kwargs, arg_types=None, kwarg_types=None):
        """The proxy of a function's result."""
        assert callable(target)
        try:
            given = normalize_function(target, args, kwargs, arg_types, kwarg_types, self.normalize_to_only_use_kwargs)
        except RuntimeError:
            given = None  # several overloads would do
        if given is None:
            return super().call_function(target, args, kwargs)
        return self.tracer.create_proxy("call_function", target, given.args, given.kwargs)

    def call_module(self, target, args, kwargs):
        """The proxy of a submodule's result."""
        given = normalize_module(
            self.module, target, args, kwargs, normalize_to_only_use_kwargs=self.normalize_to_only_use_kwargs
        )
        return super().call_module(target, *(given or (args, kwargs)))

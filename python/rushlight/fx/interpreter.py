"""``torch.fx.interpreter``: runs graphs node by node."""

import contextlib
import inspect

from . import traceback as fx_traceback
from ._aggregate import map_aggregate
from .graph import Graph
from .graph_module import GraphModule
from .node import map_arg
from .proxy import Proxy
from ._symbolic_trace import Tracer

__all__ = ["Interpreter", "Transformer"]


class Interpreter:
    """Runs the graph of a module node by node; each kind of node is a method that subclasses may write anew.

    Args:
        module: the module; its ``graph`` is run, or ``graph`` where that is given.
        garbage_collect_values: lets values go after their last use.
    """

    def __init__(self, module, garbage_collect_values=True, graph=None):
        self.module = module
        self.submodules = dict(self.module.named_modules())
        self.graph = graph if graph is not None else self.module.graph
        self.env = {}
        self.name = "Interpreter"
        self.garbage_collect_values = garbage_collect_values
        self.extra_traceback = True
        self.user_to_last_uses = {}
        if garbage_collect_values:
            seen = set()
            for user in reversed(self.graph.nodes):
                for used in user.all_input_nodes:
                    if used not in seen:
                        seen.add(used)
                        self.user_to_last_uses.setdefault(user, []).append(used)

    def run(self, *args, initial_env=None, enable_io_processing=True):
        """The result of the graph for these arguments.

        ``initial_env`` holds values of nodes that are known already, which are not run.
        """
        self.env = initial_env if initial_env is not None else {}
        if enable_io_processing:
            args = self.graph.process_inputs(*args)
        self.args_iter = iter(args)
        for node in self.graph.nodes:
            if node in self.env:
                continue
            try:
                self.env[node] = self.run_node(node)
            except Exception as error:
                if self.extra_traceback:
                    raise self._explained(error, node)
                raise
            if self.garbage_collect_values:
                for used in self.user_to_last_uses.get(node, ()):
                    self.env.pop(used, None)
            if node.op == "output":
                value = self.env[node]
                return self.graph.process_outputs(value) if enable_io_processing else value
        return None

    def _explained(self, error, node):
        told = f"While executing {node.format_node()}"
        told = f"{error.args[0]}\n\n{told}" if error.args else str(told)
        told += f"\nOriginal traceback:\n{node.stack_trace}"
        if isinstance(self.module, GraphModule):
            told += (
                "\nUse tlparse to see full graph. "
                "(https://github.com/pytorch/tlparse?tab=readme-ov-file#tlparse-parse-structured-pt2-logs)"
            )
        error.args = (told, *error.args[1:])
        if isinstance(error, KeyError):
            return RuntimeError(*error.args)
        return error

    def boxed_run(self, args_list):
        """As :meth:`run`, of arguments in one list, which it empties."""
        places = [node for node in self.graph.nodes if node.op == "placeholder"]
        if len(places) != len(args_list):
            which = "missing arguments" if len(args_list) < len(places) else "extra arguments"
            raise RuntimeError(
                f"Interpreter.boxed_run expected {len(places)} arguments for placeholders but received {len(args_list)} "
                f"({which})"
            )
        env = dict(zip(places, args_list))
        args_list.clear()
        return self.run(initial_env=env)

    @contextlib.contextmanager
    def _set_current_node(self, node):
        with fx_traceback.set_current_meta(node, f"Interpreter_{self.__class__.__name__}"):
            yield

    def run_node(self, n):
        """The value of one node."""
        with self._set_current_node(n):
            args, kwargs = self.fetch_args_kwargs_from_env(n)
            return getattr(self, n.op)(n.target, args, kwargs)

    def placeholder(self, target, args, kwargs):
        """The next argument, its default, or for ``*name`` all that are left."""
        if target.startswith("*"):
            return list(self.args_iter)
        try:
            return next(self.args_iter)
        except StopIteration:
            if args:
                return args[0]
            raise RuntimeError(f"Expected positional argument for parameter {target}, but one was not passed in!") from None

    def get_attr(self, target, args, kwargs):
        """The attribute of the module."""
        return self.fetch_attr(target)

    def call_function(self, target, args, kwargs):
        """The result of a function."""
        return target(*args, **kwargs)

    def call_method(self, target, args, kwargs):
        """The result of a method of the first argument."""
        self_obj, *rest = args
        return getattr(self_obj, target)(*rest, **kwargs)

    def call_module(self, target, args, kwargs):
        """The result of a submodule."""
        return self.fetch_attr(target)(*args, **kwargs)

    def output(self, target, args, kwargs):
        """The result of the graph."""
        return args[0]

    def fetch_attr(self, target):
        """The attribute of a dotted name."""
        held = self.module
        parts = target.split(".")
        for index, part in enumerate(parts):
            if not hasattr(held, part):
                raise RuntimeError(
                    f"Node referenced nonexistent target {'.'.join(parts[: index + 1])}, when traversing {target}"
                )
            held = getattr(held, part)
        return held

    def fetch_args_kwargs_from_env(self, n):
        """The arguments of a node, with the values of nodes in their place."""
        args = self.map_nodes_to_values(n.args, n)
        kwargs = self.map_nodes_to_values(n.kwargs, n)
        assert isinstance(args, tuple)
        assert isinstance(kwargs, dict)
        return args, kwargs

    def map_nodes_to_values(self, args, n):
        """An argument with the values of nodes in their place."""

        def value(used):
            if used not in self.env:
                raise RuntimeError(
                    f"Node {n} referenced nonexistent value {used}! Run Graph.lint() to diagnose such issues"
                )
            return self.env[used]

        return map_arg(args, value)


class Transformer(Interpreter):
    """Runs a graph with proxies, which makes another graph: methods that are written anew change what is in it."""

    def __init__(self, module):
        super().__init__(module)
        self.new_graph = Graph()
        self.new_graph.set_codegen(module.graph._codegen)

        class TransformerTracer(Tracer):
            """Records into the new graph; all modules are called as such."""

            def __init__(self, graph):
                super().__init__()
                self.graph = graph
                self.tensor_attrs = {}

            def is_leaf_module(self, _, __):
                return True

        self.tracer = TransformerTracer(self.new_graph)
        self.tracer.root = module

    def placeholder(self, target, args, kwargs):
        """A placeholder of the new graph."""
        default = next(iter(args)) if args else inspect.Signature.empty
        given = () if default is inspect.Signature.empty else (default,)
        return Proxy(self.new_graph.create_node("placeholder", target, given), self.tracer)

    def get_attr(self, target, args, kwargs):
        """The proxy of an attribute."""
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    def call_module(self, target, args, kwargs):
        """The proxy of a submodule's result."""
        submodule = self.fetch_attr(target)
        return self.tracer.call_module(submodule, submodule.forward, args, kwargs)

    def call_function(self, target, args, kwargs):
        """The proxy of a function's result."""
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    def transform(self):
        """The module of the new graph."""
        with fx_traceback.preserve_node_meta():
            result = super().run(enable_io_processing=False)
        # The proxies are needed no more.
        self.env = {}
        if result is not None:

            def strip(leaf):
                return leaf.node if isinstance(leaf, Proxy) else leaf

            outputs = [node for node in self.graph.nodes if node.op == "output"]
            made = self.new_graph.output(map_aggregate(result, strip))
            if outputs:
                made.meta.update(outputs[0].meta)
                made.type = outputs[0].type if outputs[0].type is not None else made.type
        from ._lazy_graph_module import _make_graph_module

        return _make_graph_module(self.module, self.new_graph)



"""``torch.fx.graph_module``: a module whose ``forward`` is generated from a graph."""

import contextlib
import copy
import warnings
from pathlib import Path

import rushlight

from .. import nn
from ._attributes import (  # noqa: F401
    _assign_attr, _copy_attr, _del_attr, _get_attr, _get_attr_via_attr_list, _has_attr, copy_rest,
)
from ._codegen import PythonCode, _BoxedCodeGen, _PyTreeCodeGen  # noqa: F401
from ._errors import _WrappedCall
from ._imports import import_block
from ._source_text import function_from
from .graph import Graph

__all__ = ["reduce_graph_module", "reduce_package_graph_module", "GraphModule"]


class _CodeOnlyModule(nn.Module):
    """The state of a graph module, with the function that its code defines."""

    def __init__(self, body):
        super().__init__()
        self.__dict__ = body


def _forward_from_src(src, globals, co_fields=None):
    """The function that generated code defines."""
    return function_from(src, globals, "forward", co_fields)


def _format_import_block(globals, importer=None):
    return import_block(globals)


def _deserialize_graph_module(forward, body, graph_module_cls=None):
    """The graph module of a function and a state: the function is recorded again."""
    from ._symbolic_trace import Tracer

    tracer_cls = body.get("_tracer_cls")
    graph_module_cls = graph_module_cls or GraphModule
    name = body.get("_graphmodule_cls_name", graph_module_cls.__name__)
    _CodeOnlyModule.forward = forward
    source = _CodeOnlyModule(body)

    class KeepModules(tracer_cls or Tracer):
        """What the code calls are modules; none is looked into."""

        def is_leaf_module(self, m, module_qualified_name):
            return True

    graph = KeepModules(**body.get("_tracer_extras", None) or {}).trace(source)
    graph._tracer_cls = tracer_cls
    made = graph_module_cls(source, graph, class_name=name)
    for key, value in body.items():
        if not hasattr(made, key):
            setattr(made, key, value)
    return made


def reduce_graph_module(body, import_block):
    """The graph module of its pickled state and the imports of its code."""
    code = body.get("_code") or body.get("code")
    names = {}
    exec(import_block, names)
    return _deserialize_graph_module(_forward_from_src(code, names), body)


def reduce_package_graph_module(importer, body, generated_module_name):
    """Graph modules in packages: there are no packages here."""
    raise NotImplementedError("torch.package is not part of Rushlight")


_HOOKS = ("_replace_hooks", "_create_node_hooks", "_erase_node_hooks", "_deepcopy_hooks")
# What copies keep besides what the graph needs.
_KEPT = (
    "_state_dict_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks", *_HOOKS,
)
_USER_PRESERVED_ATTRIBUTES_KEY = "_user_preserved_attributes"


class GraphModule(nn.Module):
    """A module whose ``forward`` is generated from ``graph``.

    Args:
        root: the module, or the dictionary of dotted names, that has what the graph calls and reads.
        graph: the :class:`Graph`.
        class_name: what the class says that it is called.

    After a change of the graph, :meth:`recompile` generates ``forward`` anew.
    """

    __jit_unused_properties__ = ["graph"]

    def __new__(cls, *args, **kwargs):
        # Each instance has a class of its own, which holds its `forward`.
        for base in cls.__mro__:
            if base.__qualname__.split(".")[-1] != "GraphModuleImpl":
                cls = base
                break

        class GraphModuleImpl(cls):
            pass

        return super().__new__(GraphModuleImpl)

    def __init__(self, root, graph, class_name="GraphModule"):
        super().__init__()
        self.__class__.__name__ = class_name
        if isinstance(root, nn.Module):
            if hasattr(root, "training"):
                self.training = root.training
            for node in graph.nodes:
                if node.op in ("get_attr", "call_module"):
                    assert isinstance(node.target, str)
                    _copy_attr(root, self, node.target)
        elif isinstance(root, dict):
            wanted = []
            for node in graph.nodes:
                if node.op in ("get_attr", "call_module"):
                    assert isinstance(node.target, str)
                    if node.target not in root:
                        raise RuntimeError(
                            f"Node {node} referenced target {node.target} but that target was not provided in ``root``!"
                        )
                    wanted.append(node.target)
            # Those near the root first, so that what lies below them finds them.
            for target in sorted(wanted, key=lambda path: path.count(".")):
                _assign_attr(root[target], self, target)
        else:
            raise RuntimeError("Unsupported type " + str(root) + " passed for root!")
        self.graph = graph
        self._tracer_cls = None
        tracer_cls = self.graph._tracer_cls
        if tracer_cls and "<locals>" not in tracer_cls.__qualname__:
            self._tracer_cls = tracer_cls
        self._tracer_extras = self.graph._tracer_extras or {}
        self.meta = {}
        for hooks in _HOOKS:
            setattr(self, hooks, [])
        self.shape_env = None

    @property
    def graph(self):
        """The graph; setting another generates ``forward`` anew."""
        return self._graph

    @graph.setter
    def graph(self, g):
        assert isinstance(g, Graph), f"Expected a Graph instance, but got {type(g)}"
        self._graph = g
        g.owning_module = self
        self.recompile()

    @property
    def code(self):
        """The text of ``forward``."""
        if not hasattr(self, "_code"):
            raise RuntimeError("Code has not been generated! Please report a bug to PyTorch")
        return self._code

    def recompile(self):
        """Generates ``forward`` from the graph; returns the code."""
        codegen = self._graph._codegen
        if isinstance(codegen, _PyTreeCodeGen):
            self._in_spec = codegen.pytree_info.in_spec
            self._out_spec = codegen.pytree_info.out_spec
        made = self._graph.python_code(root_module="self")
        self._code = made.src
        self._lineno_map = made._lineno_map
        self._prologue_start = made._prologue_start
        cls = type(self)
        cls.forward = _forward_from_src(self._code, made.globals, self._graph._co_fields)
        own_call = cls.__dict__.get("__call__")
        if "_wrapped_call" not in cls.__dict__:
            cls._wrapped_call = _WrappedCall(cls, own_call)

            def call_wrapped(self, *args, **kwargs):
                return self._wrapped_call(self, *args, **kwargs)

            cls.__call__ = call_wrapped
        return made

    def _recompile_submodules(self):
        return [
            (name, module.recompile()) for name, module in self.named_children() if isinstance(module, GraphModule)
        ]

    # Submodules.

    def add_submodule(self, target, m):
        """Adds a module under a dotted name, and modules on the way to it; whether there was room for it."""
        *prefix, field = target.split(".")
        module = self
        for part in prefix:
            inner = getattr(module, part, None)
            if inner is None:
                inner = nn.Module()
                setattr(module, part, inner)
            if not hasattr(module, part) or not isinstance(inner, nn.Module):
                return False
            module = inner
        module.add_module(field, m)
        return True

    def delete_submodule(self, target):
        """Takes the module of a dotted name out; whether it was there."""
        *prefix, name = target.split(".")
        module = self
        for part in prefix:
            if not hasattr(module, part):
                return False
            module = getattr(module, part)
            if not isinstance(module, nn.Module):
                return False
        if not hasattr(module, name) or not isinstance(getattr(module, name), nn.Module):
            return False
        delattr(module, name)
        return True

    def delete_all_unused_submodules(self):
        """Takes out the modules that the graph neither calls nor reads from."""
        used = set()
        for node in self.graph.nodes:
            if node.op not in ("call_module", "get_attr"):
                continue
            path = node.target.split(".")
            used.update(".".join(path[:count]) for count in range(1, len(path) + 1))
            if node.op == "call_module":
                try:
                    called = self.get_submodule(node.target)
                except AttributeError:
                    continue  # nothing there that could be kept
                used.update(f"{node.target}.{name}" for name, _ in called.named_modules() if name)
        for name in [name for name, _ in self.named_modules() if name and name not in used]:
            self.delete_submodule(name)

    # Copies.

    def __reduce__(self):
        state = self.__dict__.copy()
        code = self._graph.python_code(root_module="self")
        del state["_graph"]
        return reduce_graph_module, (state, import_block(code.globals))

    def _deepcopy_init(self):
        return GraphModule.__init__

    def __deepcopy__(self, memo):
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        held = _CodeOnlyModule(copy.deepcopy(self.__dict__, memo))
        self._deepcopy_init()(made, held, held.__dict__["_graph"])
        copy_rest(held, made)
        for name in _KEPT:
            if name in self.__dict__:
                setattr(made, name, copy.deepcopy(self.__dict__[name], memo))
        made.meta = dict(getattr(self, "meta", {}))
        for name, value in made.meta.get(_USER_PRESERVED_ATTRIBUTES_KEY, {}).items():
            setattr(made, name, value)
        for hook in self._deepcopy_hooks:
            hook(made)
        return made

    def __copy__(self):
        from ._lazy_graph_module import _make_graph_module

        made = _make_graph_module(self, self.graph)
        made.meta = getattr(self, "meta", {})
        return made

    def _replicate_for_data_parallel(self):
        made = self.__copy__()
        made._is_replica = True
        return made

    # Text.

    def __str__(self):
        hint = "# To see more debug info, please use `graph_module.print_readable()`"
        return "\n".join([super().__repr__(), self._code, hint])

    def __repr__(self):
        return super().__repr__()

    def print_readable(
        self, print_output=True, include_stride=False, include_device=False, colored=False, *, fast_sympy_print=False,
        expanded_def=False, additional_meta=None,
    ):
        """The code with what is known of its tensors and where it comes from, also that of graph modules inside; printed
        unless ``print_output`` says no."""
        return _print_readable(
            self, self._get_name(), print_output, include_stride, include_device, colored, expanded_def, additional_meta
        )

    def to_folder(self, folder, module_name="FxModule"):
        """Writes the module as a Python package: its code, its parameters, and modules that have no short text.

        Args:
            folder: the package's folder.
            module_name: the name of the class in it.
        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        state = folder / "state_dict.pt"
        rushlight.save(self.state_dict(), state)
        code = self.graph.python_code("self")
        indented = "\n".join(" " * 4 + line if line.strip() else "" for line in code.src.split("\n"))
        lines = [
            "", "import torch", *_ordered_imports(code.globals), "", "from torch.nn import *",
            f"class {module_name}(torch.nn.Module):", "    def __init__(self):", "        super().__init__()",
        ]
        opaque = []
        for name, module in self.named_children():
            text = repr(module)
            if type(module) in _SAID_BY_REPR:
                lines.append(f"        setattr(self, '{name}', {text})")
                continue
            opaque.append(name)
            file = folder / f"{name}.pt"
            rushlight.save(module, file)
            remark = text.replace("\r", " ").replace("\n", " ")
            lines.append(f"        setattr(self, '{name}', torch.load(r'{file}', weights_only=False)) # {remark}")
        for name, buffer in self._buffers.items():
            if buffer is not None:
                lines.append(
                    f"        self.register_buffer('{name}', torch.empty({list(buffer.shape)}, dtype={buffer.dtype}))"
                )
        for name, parameter in self._parameters.items():
            if parameter is not None:
                lines.append(
                    f"        setattr(self, '{name}', torch.nn.Parameter(torch.empty({list(parameter.shape)}, "
                    f"dtype={parameter.dtype})))"
                )
        lines.append(f"        self.load_state_dict(torch.load(r'{state}'))")
        (folder / "module.py").write_text("\n".join(lines) + "\n" + indented + "\n")
        (folder / "__init__.py").write_text("from .module import *")
        if opaque:
            warnings.warn(
                "Was not able to save the following children modules as reprs -saved as pickled files instead: "
                f"{opaque}",
                stacklevel=2,
            )

    # Hooks.

    @contextlib.contextmanager
    def _set_replace_hook(self, f):
        assert callable(f), "Replace hook must be a callable."
        self._register_replace_node_hook(f)
        try:
            yield
        finally:
            self._unregister_replace_node_hook(f)


def _add_hooks():
    for kind in ("replace_node", "create_node", "erase_node", "deepcopy"):
        table = "_replace_hooks" if kind == "replace_node" else f"_{kind}_hooks"

        def register(self, f, table=table):
            assert callable(f), f"{table} hook must be a callable."
            getattr(self, table).append(f)

        def unregister(self, f, table=table):
            getattr(self, table).remove(f)

        setattr(GraphModule, f"_register_{kind}_hook", register)
        setattr(GraphModule, f"_unregister_{kind}_hook", unregister)


_add_hooks()

_SAID_BY_REPR = (nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)


def _ordered_imports(names):
    from ._imports import import_statement

    return [line for line in (import_statement(name, obj) for name, obj in names.items()) if line]


def _print_readable(
    module, module_name, print_output=True, include_stride=False, include_device=False, colored=False, expanded_def=False,
    additional_meta=None,
):
    graph = module.graph
    assert graph is not None and isinstance(graph, Graph), "print_readable must be used on a module with a graph"
    code = graph.python_code(
        root_module="self", verbose=True, include_stride=include_stride, include_device=include_device, colored=colored,
        expanded_def=expanded_def,
    ).src.lstrip("\n")
    code = f"class {module_name}(torch.nn.Module):\n" + "\n".join("    " + line for line in code.split("\n"))
    inner = [
        _print_readable(child, name, False, include_stride, include_device, colored, expanded_def, additional_meta)
        for name, child in module.named_children() if hasattr(child, "graph") and isinstance(child.graph, Graph)
    ]
    text = code
    for part in inner:
        text += "\n" + "\n".join("    " + line for line in part.split("\n"))
    text = "\n".join(line if line.strip() else "" for line in text.split("\n"))
    if print_output:
        print(text)
    return text



"""``torch._dynamo.eval_frame``: functions and modules as ``torch.compile`` gives them back.

They run as they are. Where the backend is a function, what a call computes is recorded (`_recording`) for each kind of arguments; the
backend gets the graph and the tensors, and what it returns runs from then on. What cannot be one graph runs as it is.
"""

import functools
import inspect
import types

import rushlight as torch

from .. import compiler
from ..nn.modules.module import Module
from ..utils import _pytree as pytree
from . import exc
from ._recording import Break, Recorder

__all__ = ["OptimizedModule"]

Tensor = torch.Tensor
# As many graphs are made for one function; then it runs as it is.
_MOST = 8
_PLAIN = (int, float, bool, str, complex, type(None), torch.dtype, torch.device, torch.Size)
_MORE = "\n\nSet TORCHDYNAMO_VERBOSE=1 for the full Dynamo stack trace"


def _plain_values(values):
    return tuple((name, value) for name, value in values if isinstance(value, _PLAIN))


def _inner(fn):
    return fn.__func__ if isinstance(fn, types.MethodType) else fn


def _names_of(fn):
    """What a function reads from around it: (name, value)."""
    fn = _inner(fn)
    if not isinstance(fn, types.FunctionType):
        return []
    found = [(name, fn.__globals__[name]) for name in fn.__code__.co_names if name in fn.__globals__]
    for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or ()):
        try:
            found.append((name, cell.cell_contents))
        except ValueError:
            continue
    return found


class _Compiled:
    """A function for a backend: its graphs by the kinds of arguments that they are for."""

    def __init__(self, fn, backend, name, fullgraph):
        self.fn, self.backend, self.name, self.fullgraph = fn, backend, name, fullgraph
        self.module = fn if isinstance(fn, Module) else getattr(fn, "__self__", None)
        self.made = {}

    def _modules(self):
        found = [("", self.module)] if isinstance(self.module, Module) else []
        return found + [(name, value) for name, value in _names_of(self.fn) if isinstance(value, Module)]

    def _around(self):
        """Tensors that the function finds around it, by name."""
        found = {}
        for start, module in self._modules():
            first = f"{start or 'self'}_"
            for kind, named in (("parameters", module.named_parameters()), ("buffers", module.named_buffers())):
                for name, tensor in named:
                    path, _, own = name.rpartition(".")
                    found[f"L_{first}{f'modules_{path}_' if path else ''}{kind}_{own}_".replace(".", "_modules_")] = tensor
        for name, value in _names_of(self.fn):
            if isinstance(value, Tensor):
                found[f"L_{name}_"] = value
        return found

    def _guards(self):
        held = []
        for _, module in self._modules():
            for part in module.modules():
                held.append(_plain_values((k, v) for k, v in part.__dict__.items() if not k.startswith("_")))
        return tuple(held), _plain_values(_names_of(self.fn)), torch.is_grad_enabled()

    def __call__(self, *args, **kwargs):
        if kwargs:
            args, kwargs = self._in_order(args, kwargs)
        leaves, spec = pytree.tree_flatten((args, kwargs))
        kinds = tuple(
            (t.shape, t.stride(), t.dtype, t.device, t.requires_grad, type(t)) if isinstance(t, Tensor) else t for t in leaves
        )
        try:
            key = (kinds, str(spec), self._guards())
            known = self.made.get(key)
        except TypeError:
            return self.fn(*args, **kwargs)
        if known is None:
            if len(self.made) >= _MOST:
                return self.fn(*args, **kwargs)
            known = self.made[key] = self._make(args, kwargs, leaves, spec)
        return self.fn(*args, **kwargs) if known is _AS_IT_IS else known(leaves)

    def _in_order(self, args, kwargs):
        """Arguments by position as far as the function takes them so: the same call is the same, however it is written."""
        try:
            bound = inspect.signature(self.fn.forward if isinstance(self.fn, Module) else self.fn).bind(*args, **kwargs)
        except (TypeError, ValueError):
            return args, kwargs
        return bound.args, bound.kwargs

    def _make(self, args, kwargs, leaves, spec):
        """Runs the function once on copies, and gives the graph of it to the backend."""
        recorder, outputs, sources = self.record(leaves, spec, self._argument_names(args, kwargs, leaves))
        if recorder.reason is not None:
            if self.fullgraph:
                raise exc.Unsupported(recorder.reason)
            return _AS_IT_IS
        results, spec = pytree.tree_flatten(outputs)
        order, places = [], []
        for value in results:
            node = recorder.places.get(id(value)) if isinstance(value, Tensor) else None
            if isinstance(value, Tensor) and node is None:
                return _AS_IT_IS
            if node is not None and node not in order:
                order.append(node)
            places.append((None, value) if node is None else (order.index(node), None))
        if not recorder.calls:
            return _AS_IT_IS
        recorder.graph.output(tuple(order))
        used = [node for node in recorder.graph.nodes if node.op == "placeholder"]
        for node in used:
            if not node.users:
                recorder.graph.erase_node(node)
        used = [node for node in used if node.users]
        for node in recorder.graph.nodes:
            if node.op != "placeholder":
                node.meta.pop("example_value", None)
        graph_module = torch.fx.GraphModule(Module(), recorder.graph)
        fetch = [sources[node] for node in used]
        compiled = self._by_backend(graph_module, [get(leaves) for get in fetch])

        def run(leaves):
            found = compiled(*[get(leaves) for get in fetch])
            return pytree.tree_unflatten([value if at is None else found[at] for at, value in places], spec)

        return run

    def _by_backend(self, graph_module, examples):
        try:
            compiled = self.backend(graph_module, examples)
            if not callable(compiled):
                raise AssertionError("compiler_fn did not return callable")
            return compiled
        except Exception as error:
            raise exc.BackendCompilerFailed(f"backend='{self.name}' raised:\n{type(error).__name__}: {error}{_MORE}") from error

    def _argument_names(self, args, kwargs, leaves):
        """A name for each leaf of the arguments, by the parameters of the function."""
        fn = self.fn.forward if isinstance(self.fn, Module) else self.fn
        code = getattr(_inner(fn), "__code__", None)
        names = list(code.co_varnames[: code.co_argcount]) if code is not None else []
        if isinstance(fn, types.MethodType):
            names = names[1:]
        found = []
        for i, value in enumerate(args):
            found += _leaf_names(names[i] if i < len(names) else f"args_{i}", value)
        for name, value in kwargs.items():
            found += _leaf_names(name, value)
        return found if len(found) == len(leaves) else [f"x{i}" for i in range(len(leaves))]

    def record(self, leaves, spec, names):
        """The recorder after a run on copies, what came out, and how the tensors of its placeholders are found."""
        around = self._around()
        known = {id(tensor): name for name, tensor in around.items()}
        sources = {}

        def free(tensor):
            name = known.get(id(tensor))
            if name is None:
                raise Break("a tensor from outside of the function")
            node = recorder.placeholder(tensor, name)
            sources[node] = lambda _: self._around()[name]
            return node

        recorder = Recorder(free)
        before = [(tensor, tensor._version, tensor.detach().clone()) for tensor in around.values()]
        copies = []
        for i, leaf in enumerate(leaves):
            if isinstance(leaf, Tensor) and id(leaf) not in known:
                copy = leaf.detach().clone().requires_grad_(leaf.requires_grad)
                # A copy that may be written to although it takes gradients.
                copy = copy.view_as(copy) if leaf.requires_grad and not leaf.is_leaf else copy
                sources[recorder.placeholder(copy, f"L_{names[i]}_")] = functools.partial(_leaf, i)
                copies.append(copy)
            else:
                copies.append(leaf)
        args, kwargs = pytree.tree_unflatten(copies, spec)
        outputs, state = None, torch.get_rng_state()
        compiler._state.recording += 1
        try:
            with recorder:
                outputs = self.fn(*args, **kwargs)
        finally:
            compiler._state.recording -= 1
            torch.set_rng_state(state)
            with torch.no_grad():
                for tensor, version, copy in before:
                    if tensor._version != version:
                        tensor.copy_(copy)
        return recorder, outputs, sources


def _leaf(i, leaves):
    return leaves[i]


def _leaf_names(name, value):
    if isinstance(value, dict):
        return [found for key, part in value.items() for found in _leaf_names(f"{name}_{key}", part)]
    if isinstance(value, (list, tuple)):
        return [found for i, part in enumerate(value) for found in _leaf_names(f"{name}_{i}", part)]
    return [name]


_AS_IT_IS = object()


class OptimizedModule(Module):
    """A module as ``torch.compile`` gives it back: ``_orig_mod`` is the one that was given, and has its attributes."""

    _OWN = frozenset(("_orig_mod", "_run", "_how"))

    def __init__(self, mod, how=None):
        super().__init__()
        self._orig_mod = mod
        self._how = how
        self._begin()

    def _begin(self):
        how = self._how
        self._run = self._orig_mod if how is None else _Compiled(self._orig_mod, *how)

    def __call__(self, *args, **kwargs):
        return self._run(*args, **kwargs)

    def forward(self, *args, **kwargs):
        """The module's result."""
        return self._run(*args, **kwargs)

    def __getattr__(self, name):
        if name == "_orig_mod":
            return self._modules["_orig_mod"]
        return getattr(self._orig_mod, name)

    def __setattr__(self, name, value):
        if name in self._OWN or "_orig_mod" not in self.__dict__.get("_modules", ()):
            if name in ("_run", "_how"):
                self.__dict__[name] = value
            else:
                super().__setattr__(name, value)
            return
        setattr(self._orig_mod, name, value)

    def __delattr__(self, name):
        delattr(self._orig_mod, name)

    @property
    def training(self):
        """Whether the module is trained."""
        return self._orig_mod.training if "_orig_mod" in self.__dict__.get("_modules", ()) else self.__dict__.get("training", True)

    @training.setter
    def training(self, value):
        setattr(self._orig_mod, "training", value)

    def __dir__(self):
        return sorted({*super().__dir__(), *dir(self._orig_mod)})

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name != "_run"}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._begin()


def optimized(fn, backend, fullgraph):
    """A function or a module as ``torch.compile`` gives it back; ``backend`` is a name or a function."""
    if isinstance(fn, OptimizedModule):
        return fn
    how = (backend, getattr(backend, "__name__", str(backend)), fullgraph) if callable(backend) else None
    if isinstance(fn, Module):
        return OptimizedModule(fn, how)
    run = fn if how is None or isinstance(fn, type) else _Compiled(fn, *how)

    @functools.wraps(fn)
    def wrapped(*args, **kwargs):
        return run(*args, **kwargs)

    wrapped._torchdynamo_orig_callable = fn
    return wrapped


def is_dynamo_supported():
    """Whether ``torch.compile`` can be called: it can, and runs functions as they are."""
    return True

"""``torch.fx.proxy``: values that are not there yet; what a program does with them becomes nodes."""

import collections
import copy
import dataclasses
import dis
import enum
import operator
import sys
import traceback

from .. import _rushlight
from . import _seam
from . import traceback as fx_traceback
from ._aggregate import map_aggregate
from ._targets import Method, called_name
from .graph import Graph, magic_methods
from .node import Node, base_types

__all__ = [
    "TracerBase", "GraphAppendingTracer", "TraceError", "Proxy", "MetaProxy", "Attribute", "ParameterProxy", "Scope",
    "ScopeContextManager",
]


class TraceError(ValueError):
    """A program did with a proxy what cannot be recorded."""


class Scope:
    """Where in the modules a program is: the path and the class of the module that runs."""

    def __init__(self, module_path, module_type):
        self.module_path = module_path
        self.module_type = module_type


class ScopeContextManager:
    """Makes ``scope`` say what ``current_scope`` says, until it is left."""

    def __init__(self, scope, current_scope):
        self._prev_scope = copy.copy(scope)
        scope.module_path, scope.module_type = current_scope.module_path, current_scope.module_type
        self._scope = scope

    def __enter__(self):
        return self._scope

    def __exit__(self, *_):
        self._scope.module_path = self._prev_scope.module_path
        self._scope.module_type = self._prev_scope.module_type


_KEPT_META = ("seq_nr", "stack_trace", "nn_module_stack", "source_fn", "original_aten", "recompute", "from_node", "custom")


class TracerBase:
    """What records: makes nodes of what proxies are asked, and arguments of what programs give."""

    graph: Graph
    record_stack_traces = False
    _record_forward_stack_traces_only = False
    check_mutable_operations = False
    trace_asserts = False
    proxy_buffer_attributes = False
    traced_func_name = "forward"
    scope: Scope
    module_stack: collections.OrderedDict
    node_name_to_scope: dict

    def create_node(self, kind, target, args, kwargs, name=None, type_expr=None):
        """A node at the end of the graph that is being recorded."""
        if kind == "call_function" and self.check_mutable_operations:
            from .operator_schemas import check_for_mutable_operation

            check_for_mutable_operation(target, args, kwargs)
        node = self.graph.create_node(kind, target, args, kwargs, name, type_expr)
        if hasattr(self, "node_name_to_scope"):
            self.node_name_to_scope[node.name] = (self.scope.module_path, self.scope.module_type)
        if fx_traceback.has_preserved_node_meta():
            current = fx_traceback.get_current_meta()
            for field in _KEPT_META:
                if field in current:
                    node.meta[field] = copy.copy(current[field])
        elif getattr(self, "module_stack", None):
            node.meta["nn_module_stack"] = copy.copy(self.module_stack)
        if self.record_stack_traces and not node.stack_trace:
            frames = traceback.extract_stack(sys._getframe(1))
            shown = self._filter_traceback_frames(traceback.StackSummary.from_list(list(frames)))
            if shown:
                node.stack_trace = "".join(shown.format()).strip()
        return node

    def _filter_traceback_frames(self, user_stack_summary):
        """The frames of the program below the one that records it; those of this library are left out."""
        frames = list(user_stack_summary)
        starts = [i for i, frame in enumerate(frames) if frame.name == "trace" and frame.filename == _TRACER_FILE]
        inner = frames[starts[-1] + 1 :] if starts else frames
        return traceback.StackSummary.from_list(
            [frame for frame in inner if not frame.filename.startswith(_OWN_FOLDER)]
        )

    def proxy(self, node):
        """The proxy of a node."""
        return Proxy(node, self)

    def create_proxy(self, kind, target, args, kwargs, name=None, type_expr=None, proxy_factory_fn=None):
        """A node with these arguments, in which proxies may stand, and the proxy of it."""
        args_, kwargs_ = self.create_arg(args), self.create_arg(kwargs)
        assert isinstance(args_, tuple)
        assert isinstance(kwargs_, dict)
        node = self.create_node(kind, target, args_, kwargs_, name, type_expr)
        return self.proxy(node) if not proxy_factory_fn else proxy_factory_fn(node)

    def _find_user_frame(self):
        """The innermost frame that belongs to the program."""
        frame = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename.startswith(_OWN_FOLDER):
            frame = frame.f_back
        return frame

    def create_arg(self, a):
        """What stands in a node for a value: the node of a proxy, containers of such, constants.

        Raises ``NotImplementedError`` for a value of another kind.
        """
        if isinstance(a, Proxy):
            return a.node
        if hasattr(a, "__fx_create_arg__"):
            return a.__fx_create_arg__(self)
        if isinstance(a, tuple):
            items = [self.create_arg(item) for item in a]
            return type(a)(*items) if hasattr(a, "_fields") else tuple(items)
        if isinstance(a, list):
            return [self.create_arg(item) for item in a]
        if isinstance(a, dict):
            return {self._key(key): self.create_arg(value) for key, value in a.items()}
        if isinstance(a, slice):
            return slice(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        if isinstance(a, range):
            return range(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        if isinstance(a, (_rushlight.Builtin, *base_types, enum.Enum)) or a is None or a is ...:
            return a
        if dataclasses.is_dataclass(a) and not isinstance(a, type):
            fields = {field.name: self.create_arg(getattr(a, field.name)) for field in dataclasses.fields(a)}
            return self.create_node("call_function", a.__class__, (), fields)
        raise NotImplementedError(f"argument of type: {type(a)}")

    def _key(self, key):
        made = self.create_arg(key)

        def refuse(leaf):
            if isinstance(leaf, Node):
                raise RuntimeError(f"Keys for dictionaries used as an argument cannot contain a Node. Got key: {made}")
            return leaf

        map_aggregate(made, refuse)
        return made

    def to_bool(self, obj):
        """What a proxy gives where a condition stands; tracers may know better than to raise ``TraceError``."""
        raise TraceError("symbolically traced variables cannot be used as inputs to control flow")

    def iter(self, obj):
        """What a proxy gives where it is gone through; tracers may know better than to raise ``TraceError``."""
        raise TraceError(
            "Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or as a *args or "
            "**kwargs function argument. See the torch.fx docs on pytorch.org for a more detailed explanation of what types "
            "of control flow can be traced, and check out the Proxy docstring for help troubleshooting Proxy iteration errors"
        )

    def keys(self, obj):
        """What a proxy gives for its keys, as where it stands behind two stars."""
        return Attribute(obj, "keys")()


_OWN_FOLDER = __file__.removesuffix("fx/proxy.py")
_TRACER_FILE = _OWN_FOLDER + "fx/_symbolic_trace.py"


class GraphAppendingTracer(TracerBase):
    """Records at the end of a graph that somebody else has made."""

    def __init__(self, graph):
        super().__init__()
        self.graph = graph
        self.scope = Scope("", None)
        self.module_stack = collections.OrderedDict()
        self.node_name_to_scope = {}


def assert_fn(x):
    """An ``assert`` that stands in a graph."""
    assert x


def _instruction_at(frame):
    """The instructions of a frame from the one that is running."""
    instructions = list(dis.get_instructions(frame.f_code))
    here = next(i for i, instruction in enumerate(instructions) if instruction.offset == frame.f_lasti)
    return instructions[here:]


class Proxy:
    """Stands for the value of a node while a program runs: attributes, methods, operators and functions of the library
    are recorded. Its length, its truth and its elements are not known; asking for them raises :class:`TraceError`."""

    def __init__(self, node, tracer=None):
        state = self.__dict__
        state["tracer"] = GraphAppendingTracer(node.graph) if tracer is None else tracer
        state["node"] = node
        _seam.entered()
        state["_counted"] = True

    def __del__(self):
        if self.__dict__.get("_counted"):
            _seam.left()

    def __repr__(self):
        return f"Proxy({self.node.name})"

    def __getattr__(self, k):
        return Attribute(self, k)

    def __getstate__(self):
        return {key: value for key, value in self.__dict__.items() if key != "_counted"}

    def __setstate__(self, state):
        self.__dict__.update(state)

    def __deepcopy__(self, memo):
        return Proxy(copy.deepcopy(self.node, memo), self.tracer)

    def __call__(self, *args, **kwargs):
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self):
        caller = sys._getframe(1)
        instruction = _instruction_at(caller)[0]
        if instruction.opname == "UNPACK_SEQUENCE":
            return (self[index] for index in range(instruction.argval))
        return self.tracer.iter(self)

    def __bool__(self):
        if self.tracer.trace_asserts:
            following = [i for i in _instruction_at(sys._getframe(1)) if i.opname not in ("CACHE", "TO_BOOL", "NOT_TAKEN")]
            jump = following[0] if "JUMP" in following[0].opname else following[1]
            rest = following[following.index(jump) + 1 :]
            if "IF_TRUE" in jump.opname and rest and rest[0].opname in ("LOAD_ASSERTION_ERROR", "LOAD_COMMON_CONSTANT"):
                self.tracer.create_proxy("call_function", assert_fn, (self,), {})
                return True
        return self.tracer.to_bool(self)

    def keys(self):
        """The keys, as a proxy."""
        return self.tracer.keys(self)

    def __len__(self):
        raise RuntimeError(
            "'len' is not supported in symbolic tracing by default. If you want this call to be recorded, please call "
            "torch.fx.wrap('len') at module scope"
        )

    @classmethod
    def __torch_function__(cls, orig_method, types, args=None, kwargs=None):
        """Records the call of a function of the library."""
        args, kwargs = args or (), kwargs or {}
        tracers = {}

        def note(leaf):
            if isinstance(leaf, Proxy):
                tracers.setdefault(leaf.tracer)
            return leaf

        map_aggregate(args, note)
        map_aggregate(kwargs, note)
        if len(tracers) > 1:
            raise RuntimeError(
                f"Found multiple different tracers {list(tracers)} while trying to trace operations {orig_method}"
            )
        tracer = next(iter(tracers))
        if isinstance(orig_method, Method):
            return tracer.create_proxy("call_method", orig_method.__name__, args, kwargs)
        return tracer.create_proxy(
            "call_function", orig_method, args, kwargs, name=tracer.graph._target_to_str(called_name(orig_method))
        )


class MetaProxy(Proxy):
    """A proxy that knows what its value is like: not here, where there are no tensors without data behind them."""

    def __init__(self, node, tracer=None, fake_mode=None):
        raise NotImplementedError("torch.fx.proxy.MetaProxy needs fake tensors, which Rushlight does not have")


class Attribute(Proxy):
    """An attribute of a proxy. It becomes a node when it is used, unless it is called: then the call is a method's."""

    def __init__(self, root, attr):
        state = self.__dict__
        state["root"] = root
        state["attr"] = attr
        state["tracer"] = root.tracer
        state["_node"] = None

    @property
    def node(self):
        """The node that reads the attribute."""
        if self._node is None:
            self.__dict__["_node"] = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {}).node
        return self._node

    def __call__(self, *args, **kwargs):
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


class ParameterProxy(Proxy):
    """A proxy of a parameter whose shape is known while the program runs."""

    def __init__(self, tracer, node, name, param):
        super().__init__(node, tracer)
        assert isinstance(param, _rushlight.Tensor)
        self.__dict__["param"] = param
        self.__dict__["name"] = name

    def __repr__(self):
        return f"ParameterProxy({self.name})"

    @property
    def shape(self):
        """The sizes."""
        return self.param.shape

    def size(self):
        """The sizes."""
        return self.param.size()

    def dim(self):
        """How many dimensions there are."""
        return self.param.dim()

    @property
    def ndim(self):
        """How many dimensions there are."""
        return self.param.ndim

    def numel(self):
        """How many elements there are."""
        return self.param.numel()

    def nelement(self):
        """How many elements there are."""
        return self.param.numel()


def _define_operators():
    """The operators of Python, each recorded as the function of :mod:`operator`."""

    def forwards(name):
        target = getattr(operator, name)

        def method(*args, **kwargs):
            return args[0].tracer.create_proxy("call_function", target, args, kwargs)

        method.__name__ = f"__{name.strip('_')}__"
        setattr(Proxy, method.__name__, method)

    def backwards(name):
        target = getattr(operator, name)

        def method(self, other):
            if isinstance(other, _rushlight.Tensor):
                return self.tracer.create_proxy("call_method", _TENSOR_METHODS[name], (other, self), {})
            return self.tracer.create_proxy("call_function", target, (other, self), {})

        method.__name__ = f"__r{name.strip('_')}__"
        setattr(Proxy, method.__name__, method)

    # Tables keep a name of Python 2, which has no function any more.
    for name in magic_methods.keys() - {"div"} | {"abs"}:
        forwards(name)
    for name in _TENSOR_METHODS:
        backwards(name)
    # Proxies compare by being the same where dictionaries look for them.
    Proxy.__hash__ = object.__hash__


# What a tensor calls when it stands left of an operator.
_TENSOR_METHODS = {
    "add": "add", "sub": "sub", "mul": "mul", "matmul": "matmul", "truediv": "div", "floordiv": "__floordiv__",
    "mod": "remainder", "pow": "pow", "lshift": "__lshift__", "rshift": "__rshift__", "and_": "__and__", "or_": "__or__",
    "xor": "__xor__",
}
_define_operators()

"""torch.fx: tracers and proxies of one's own, classes made of proxies, functions that are always recorded, objects with __torch_function__"""
import collections
import math

import torch
import torch.fx as fx
import torch.nn as nn
import torch.nn.functional as F
from torch.fx.annotate import annotate
from torch.overrides import handle_torch_function, has_torch_function, is_tensor_like


class KnownShape(fx.Proxy):
    """A proxy that knows its sizes."""

    def __len__(self):
        return 4

    def __bool__(self):
        return True

    def __getattr__(self, name):
        return (4, 2) if name == "shape" else super().__getattr__(name)


class Knowing(fx.Tracer):
    def proxy(self, node):
        return KnownShape(node, self)

    def iter(self, obj):
        return iter([obj[i] for i in range(2)])


def uses_values(x):
    if x.sum() > 0:
        x = x + len(x)
    for part in x:
        x = x + part
    return x.view(x.size(0), *x.shape), F.relu(x)


print(Knowing().trace(uses_values))


class Deciding(fx.Tracer):
    def to_bool(self, obj):
        return True

    def keys(self, obj):
        return ["a", "b"]

    def create_arg(self, a):
        return str(a) if isinstance(a, set) else super().create_arg(a)

    def create_proxy(self, kind, target, args, kwargs, *rest, **more):
        made = super().create_proxy(kind, target, args, kwargs, *rest, **more)
        made.node.meta["kind"] = kind
        return made


graph = Deciding().trace(lambda x, d: x.foo({3}) if x > 1 else x)
print(graph, [node.meta for node in graph.nodes])
print(Deciding().trace(lambda d: dict(**d)))


class Weights(nn.Module):
    def __init__(self):
        super().__init__()
        self.w, self.v = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2))
        self.register_buffer("b", torch.ones(2))

    def forward(self, x):
        return self.encode(x) * self.w.numel()

    def encode(self, x):
        return x * self.w + self.v + self.b + self.v.shape[0] + self.w.dim()


class Fixed(fx.Tracer):
    def getattr(self, attr, attr_val, parameter_proxy_cache):
        return 3 if attr == "w" else super().getattr(attr, attr_val, parameter_proxy_cache)


class Encoding(fx.Tracer):
    traced_func_name = "encode"


print(Encoding().trace(Weights()))
print(fx.Tracer(param_shapes_constant=True).trace(Weights()))
try:
    Fixed().trace(Weights())
except AttributeError as error:
    print("<<AttributeError>>", error, "<<end>>", sep="\n")


def choose(x):
    return x if x > 0 else -x


tracer = fx.Tracer(autowrap_functions=(choose,))
print(tracer.trace(lambda x: choose(x) + math.ceil(x)))


class Pair(metaclass=fx.ProxyableClassMeta):
    def __init__(self, x, y):
        self.x, self.y = x, y

    def add(self, other):
        return Pair(self.x + other.x, self.y + other.y)


def pairs(p: Pair, a):
    q = p.add(Pair(a, a))
    return q.x * q.y


gm = fx.symbolic_trace(pairs)
print(gm.code, gm(Pair(1, 2), 3))
Point = collections.namedtuple("Point", "a b")
gm = fx.symbolic_trace(lambda x: Point(x, annotate(x + 1, torch.Tensor)))
print(gm.code, gm(1))
print(fx.symbolic_trace(Weights()).graph.find_nodes(op="get_attr"))


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.jit.script(nn.Sequential(nn.Linear(2, 2)))

    def forward(self, x):
        return self.inner(x) * 3


gm = fx.symbolic_trace(Outer())
print(gm.code, gm(torch.ones(1, 2)).shape)


class Hook:
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return function.__name__, [kind.__name__ for kind in types], len(args), kwargs


class Silent:
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return NotImplemented


def open_to_all(x, y=1):
    if has_torch_function((x, y)):
        return handle_torch_function(open_to_all, (x, y), x, y=y)
    return x + y


print(open_to_all(1), open_to_all(Hook()), open_to_all(Silent(), Hook())[1], is_tensor_like(Hook()), is_tensor_like(3))
try:
    open_to_all(Silent())
except TypeError as error:
    print("<<TypeError>>", error, "<<end>>", sep="\n")
print(fx.symbolic_trace(lambda x: open_to_all(x, 2)).graph)

"""Operators that a program defines are nodes of graphs: scripts, traces, archives and texts of graphs know them."""

import io

import torch
from torch.library import Library, impl

lib = Library("bench_ops", "DEF")
lib.define("scale(Tensor x, float s=2.0) -> Tensor")
lib.define("scale.int(Tensor x, int s, *, bool neg=False) -> Tensor")
lib.define("pair(Tensor x, Tensor[] ys, int[]? n=None) -> (Tensor, Tensor)")
lib.define("add1_(Tensor(a!) x) -> ()")
lib.define("counted(Tensor x) -> int")
lib.define("many(Tensor x, str s, float[] f, bool b, Scalar k, ScalarType t, Device? d=None, *, int[2] n=1) -> Tensor[]")
lib.define("fails(Tensor x) -> Tensor")
lib.define("wrong(Tensor x) -> Tensor")


@impl(lib, "scale", "CompositeExplicitAutograd")
def scale(x, s=2.0):
    return x * s


@impl(lib, "scale.int", "CPU")
def scale_int(x, s, neg=False):
    return x * s * (-1 if neg else 1)


@impl(lib, "pair", "CPU")
def pair(x, ys, n=None):
    return [sum(ys) + x, x + len(n or [])]


@impl(lib, "add1_", "CPU")
def add1_(x):
    x.add_(1)


@impl(lib, "counted", "CPU")
def counted(x):
    return x.numel()


@impl(lib, "many", "CPU")
def many(x, s, f, b, k, t, d=None, *, n=1):
    print("many", s, f, b, k, t, d)
    return [x, x + 1]


@impl(lib, "fails", "CPU")
def fails(x):
    raise ValueError("no good")


@impl(lib, "wrong", "CPU")
def wrong(x):
    return 3


@torch.library.custom_op("bench_ops::shifted", mutates_args=())
def shifted(x: torch.Tensor, n: int) -> torch.Tensor:
    return x + n


def show(f):
    try:
        scripted = torch.jit.script(f)
        print(scripted.graph)
        print(scripted.code)
        return scripted
    except Exception as error:
        print(type(error).__name__, str(error))


def uses(x):
    return torch.ops.bench_ops.scale(x, 3.0) + torch.ops.bench_ops.shifted(x, 2) + torch.ops.bench_ops.scale(x)


def chooses(x):
    return torch.ops.bench_ops.scale(x, 3, neg=True)


def several(x: torch.Tensor):
    y, z = torch.ops.bench_ops.pair(x, [x, x])
    torch.ops.bench_ops.add1_(y)
    return y, z, torch.ops.bench_ops.counted(x)


def types(x):
    return torch.ops.bench_ops.many(x, "a", [1.0, 2.0], True, 3, torch.float64, n=2)


def unused(x):
    y = torch.ops.bench_ops.shifted(x, 2)
    return x


def overload(x):
    return torch.ops.bench_ops.scale.default(x, 3.0)


def misfits(x):
    return torch.ops.bench_ops.scale(x, "a")


def missing(x):
    return torch.ops.bench_ops.nothing(x)


def missing_space(x):
    return torch.ops.no_such_space.nothing(x)


def space(x):
    return torch.ops.bench_ops


def of_fails(x):
    return torch.ops.bench_ops.fails(x)


def of_wrong(x):
    return torch.ops.bench_ops.wrong(x)


x = torch.arange(3.0)
for f in (uses, chooses, several, types, unused):
    print(show(f)(x))
for f in (overload, misfits, missing, missing_space, space):
    show(f)
for f in (of_fails, of_wrong):
    try:
        torch.jit.script(f)(x)
    except Exception as error:
        print(type(error).__name__, str(error).split("At:")[0])

traced = torch.jit.trace(lambda x: torch.ops.bench_ops.scale(x, 3.0) + shifted(x, 1) + torch.ops.bench_ops.scale.default(x), x)
print(traced.graph.str(False))
print(traced.code)
traced = torch.jit.trace(lambda x: torch.ops.bench_ops.pair(x, [x, x], [1, 2])[1] * 2, x)
print(traced.graph.str(False))
print(traced(x))
traced = torch.jit.trace(lambda x: torch.ops.bench_ops.many(x, "a", [1.0], True, 3.5, torch.int32)[1], x, check_trace=False)
print(traced.graph.str(False))
for f in (lambda x: torch.ops.bench_ops.counted(x), lambda x: torch.ops.bench_ops.fails(x)):
    try:
        torch.jit.trace(f, x)
    except Exception as error:
        print(type(error).__name__, str(error).split("At:")[0])

buffer = io.BytesIO()
torch.jit.save(torch.jit.script(uses), buffer)
buffer.seek(0)
loaded = torch.jit.load(buffer)
print(loaded.code)
print(loaded.graph.str(False))
print(loaded(x))

unit = torch.jit.CompilationUnit("def f(x):\n  return torch.ops.bench_ops.scale(x, 3.)\n")
leaf = torch.ones(2, requires_grad=True)
unit.f(leaf).sum().backward()
print(leaf.grad)
print(torch._C._jit_get_schemas_for_operator("bench_ops::scale"))
graph = torch._C.parse_ir(
    "graph(%x : Tensor):\n  %s : float = prim::Constant[value=3.]()\n  %y : Tensor = bench_ops::scale(%x, %s)\n  return (%y)"
)
print(graph)
print(torch._C._create_function_from_graph("from_text", graph)(x))


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(3))

    def forward(self, x):
        return torch.ops.bench_ops.scale(x * self.weight, 0.5)


net = torch.jit.script(Net().eval())
print(net(x))
print(torch.jit.freeze(net).graph.str(False))
net(x).sum().backward()
print(net.weight.grad)

buffer = io.BytesIO()
torch.jit.save(net, buffer)
buffer.seek(0)
print(torch.jit.load(buffer)(x))
lib._destroy()
try:
    torch.jit.script(chooses)
except Exception as error:
    print(type(error).__name__, str(error).split("  File")[0])

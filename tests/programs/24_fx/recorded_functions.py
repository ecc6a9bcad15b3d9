"""torch.fx: what of functions is recorded, operators, methods, wrapped functions, constants, arguments"""
import math
import operator
import typing

import torch
import torch.fx as fx
import torch.nn.functional as F


@fx.wrap
def scaled(x, by=2):
    return x * by


def later(x):
    return x + 1


fx.wrap("later")
fx.wrap("len")


def show(function, **options):
    gm = fx.symbolic_trace(function, **options)
    print(gm.code)
    print(gm.graph)
    return gm


def operators(x, y: int = 2, *, z: float = 1.0):
    a = -x + y - 1 * x / 2 // 3 % 4 ** x @ x
    b = ~x & 1 | 2 ^ (x << 1) >> 1
    return a, b, x < 1, 1 < x, x == y, x != y, abs(x), +x, x[0, ..., 1:, None], 2 - x, z


show(operators)


def methods(x, *args, **kwargs):
    first, second = x.chunk(2, dim=-1)
    total = first.sum() + second.shape[0] + args[0] * kwargs["scale"]
    x += 1
    x.add_(1).clamp(min=0)
    return total.item(), x.T, x.size(0), x.dtype


show(methods)


def functions(x):
    tensor = torch.ones(2)
    return (
        torch.relu(x), torch.cat([x, x], dim=1), F.relu(x), F.gelu(x), F.conv2d(x, x, padding=1), F.max_pool2d(x, 2),
        F.dropout(x, 0.1), F.interpolate(x, scale_factor=2), F.softmax(x, -1), F.layer_norm(x, (3,)), F.linear(x, x),
        F.cross_entropy(x, x), F.sigmoid(x), F.one_hot(x), F.l1_loss(x, x), F.max_pool2d(x, 2, return_indices=True),
        torch.einsum("ij->i", x), torch.split(x, 2)[0], torch.norm(x), torch.special.expit(x), torch.linalg.norm(x),
        torch.ops.aten.add.Tensor(x, 1), torch.zeros((x.size(0), 3)), tensor + x, tensor.add(x), tensor.view(x),
        tensor[x], tensor > x, x > tensor, torch.meshgrid(x, x), torch.is_floating_point(x), torch.chunk(x, 2),
    )


show(functions)


def wrapped(x):
    return scaled(x) + scaled(x, by=3) + later(x) + len(x) + math.floor(x.sum()) + math.sqrt(4.0) + scaled(1)


gm = show(wrapped)
print(gm(torch.ones(2)))


def constants(x):
    return (
        x.to(torch.float64, copy=True), torch.full((1,), float("inf"), device=torch.device("cpu")), float("nan"), 1e-5,
        x.contiguous(memory_format=torch.channels_last), {"k": [x, (x,)], "s": slice(x, None)}, "it's", None, 2j, (),
    )


show(constants)


def annotated(x: torch.Tensor, sizes: typing.List[int], more: typing.Optional[torch.Tensor] = None) -> torch.Tensor:
    return x.view(sizes)


show(annotated)


def branches(x, flag=True, n=3):
    return x * n if flag else x


gm = show(branches, concrete_args={"flag": True})
print(gm(torch.ones(1), True, 2))
try:
    gm(torch.ones(1), False)
except AssertionError as error:
    print("<<AssertionError>>", error, "<<end>>", sep="\n")


def nested(d, pair):
    return {"out": d["a"] + pair[0] * pair[1], "rest": [d["b"]]}


gm = show(nested, concrete_args={"d": {"a": fx.PH, "b": 3}, "pair": (fx.PH, fx.PH)})
print(gm({"a": 1, "b": 3}, (2, 5)), gm.graph.process_inputs({"a": 1, "b": 3}, (2, 5)))
print(fx.Interpreter(gm).run({"a": 1, "b": 3}, (2, 5)))
print([node.target is operator.add for node in gm.graph.nodes if node.op == "call_function"])


class Pair(metaclass=fx.ProxyableClassMeta):
    def __init__(self, x, y):
        self.x, self.y = x, y


show(lambda a: Pair(a, 1).x + 2)

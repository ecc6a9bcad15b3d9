"""torch.library.custom_op: schemas from annotations, kernels, derivatives, rules for vmap, checks."""
from typing import List, Optional, Sequence, Tuple

import numpy as np
import torch
from torch import Tensor
from torch.library import custom_op, opcheck


def tell(what, f):
    try:
        print(what, f())
    except Exception as e:
        print(what, type(e).__name__, str(e))


@custom_op("cases::sine", mutates_args=())
def sine(x: Tensor, k: float = 2.0) -> Tensor:
    return torch.from_numpy(np.sin(x.detach().numpy() * k))


x = torch.linspace(0, 1, 3)
print(sine, sine(x), torch.ops.cases.sine(x, 1.0), torch.ops.cases.sine(x, k=1.0))
op = torch.ops.cases.sine
print(op, repr(op), op.overloads(), op.default, repr(op.default), op.default._schema, op.default.name(), op.default.namespace)
print(op.default.overloadpacket, op.__name__, op.default.__name__, isinstance(op, torch._ops.OpOverloadPacket))
tell("missing", lambda: torch.ops.cases.other)
tell("missing", lambda: torch.ops.nowhere.other)
tell("overload", lambda: op.other)
tell("no value", lambda: sine())
tell("str", lambda: sine("a"))
tell("str", lambda: sine(x, "b"))
tell("many", lambda: sine(x, 1.0, 2.0))
tell("keyword", lambda: sine(x, z=2.0))
tell("no formula", lambda: sine(x.clone().requires_grad_()).sum().backward())


def setup_context(ctx, inputs, output):
    ctx.save_for_backward(inputs[0])
    ctx.k = inputs[1]


def backward(ctx, gradient):
    (x,) = ctx.saved_tensors
    return gradient * ctx.k * (x * ctx.k).cos(), None


sine.register_autograd(backward, setup_context=setup_context)
y = x.clone().requires_grad_()
out = sine(y, 3.0)
print(type(out.grad_fn).__name__)
out.sum().backward()
print(y.grad)


@sine.register_fake
def _(x, k=2.0):
    return torch.empty_like(x)


print(opcheck(sine, (x,)))
print(opcheck(sine, (y,), {"k": 3.0}, test_utils="test_schema"))


# Arguments that are written.
@custom_op("cases::add_one_", mutates_args={"x"})
def add_one_(x: Tensor) -> None:
    x.numpy()[...] += 1


z = torch.zeros(2)
before = z._version
print(add_one_(z), z, z._version - before, torch.ops.cases.add_one_.default._schema)
tell("written", lambda: add_one_.register_autograd(lambda ctx: None))


@custom_op("cases::many", mutates_args=())
def many(
    x: Tensor, n: int, s: str, b: bool, l: Sequence[int], o: Optional[Tensor] = None, d: torch.dtype = torch.float32
) -> Tuple[Tensor, List[Tensor], int]:
    return x * n, [x + i for i in l], len(s)


print(torch.ops.cases.many.default._schema)
print(many(torch.ones(1), 2, "abc", True, [1, 2]))


# Lists of tensors, arguments by name alone.
@custom_op("cases::scaled", mutates_args=())
def scaled(xs: List[Tensor], *, k: int) -> List[Tensor]:
    return [x * k for x in xs]


def keep(ctx, inputs, keyword_only_inputs, output):
    print("kept", len(inputs[0]), keyword_only_inputs, len(output))
    ctx.k = keyword_only_inputs["k"]


def back(ctx, gradients):
    print("back", len(gradients), ctx.needs_input_grad)
    return [g * ctx.k for g in gradients]


scaled.register_autograd(back, setup_context=keep)
y.grad = None
first, second = scaled([y, y * 2], k=3)
(first.sum() + second.sum()).backward()
print(y.grad)
tell("name alone", lambda: scaled([x]))
tell("no list", lambda: scaled(x, k=1))
tell("no tensor", lambda: scaled([x, 1], k=1))


# What opcheck finds.
@custom_op("cases::wrong", mutates_args=())
def wrong(x: Tensor) -> Tensor:
    x.add_(1)
    return x * 1


tell("check", lambda: opcheck(wrong, (torch.ones(2),)))
tell("check", lambda: opcheck(wrong, (torch.ones(2),), test_utils="test_faketensor"))
tell("check", lambda: opcheck(wrong, (torch.ones(2),), test_utils=("other",)))
found = opcheck(wrong, (torch.ones(2),), raise_exception=False)
print({k: v if v == "SUCCESS" else type(v).__name__ for k, v in found.items()})
wrong.register_autograd(lambda ctx, g: (g, g))
tell("too many", lambda: wrong(y * 1).sum().backward())


@custom_op("cases::same", mutates_args=())
def same(x: Tensor) -> Tensor:
    return x


try:
    same(x)
except RuntimeError as e:
    print(str(e)[:30], "clone" in str(e))

# Kernels for kinds of devices, other definitions, vmap.
only = custom_op("cases::only", mutates_args=(), device_types="cuda", schema="(Tensor x) -> Tensor")
only = only(lambda x: x)
try:
    only(x)
except NotImplementedError as e:
    print(str(e).split(".")[0])
only.register_kernel("cpu", lambda x: x + 1)
print(only(x))
tell("name", lambda: custom_op("noname", mutates_args=())(sine._init_fn))
again = custom_op("cases::sine", mutates_args=())(sine._init_fn)
print(again(x))
print(torch.vmap(again)(torch.ones(2, 3)))


@again.register_vmap
def _(info, in_dims, x, k=2.0):
    print(info.batch_size, info.randomness, in_dims)
    return again(x, k), in_dims[0]


print(torch.vmap(again, in_dims=1)(torch.ones(3, 2)).shape)
print(torch.vmap(lambda a: again(a, 3.0))(torch.ones(2, 3)).shape)

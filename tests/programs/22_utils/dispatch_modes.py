"""Modes that see every call of an operator on tensors, and the counter of operations that stands on one."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode
from torch.utils.flop_counter import FlopCounterMode


class Log(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        self.seen.append((str(func), [type(a).__name__ for a in args]))
        return func(*args, **kwargs)


def log(name, run):
    with Log() as mode:
        result = run()
    print(name, mode.seen)
    return result


torch.manual_seed(0)
x, w, b = torch.randn(2, 3), torch.randn(4, 3), torch.zeros(4)
image, kernel = torch.randn(1, 1, 4, 4), torch.randn(1, 1, 2, 2)
batch, rows = torch.randn(2, 2, 3), torch.randn(2, 3, 2)
target = torch.tensor([0, 1])
calls = {
    "linear": lambda: F.linear(x, w, b),
    "linear without bias": lambda: F.linear(x, w),
    "linear of a batch": lambda: F.linear(batch, w, b),
    "matmul": lambda: x @ w.t(),
    "matmul of batches": lambda: batch @ rows,
    "matmul with a vector": lambda: x @ x[0],
    "numbers": lambda: 1 - (x + 1) * 2 / 3,
    "power": lambda: x**2,
    "softmax": lambda: F.softmax(x, -1),
    "cross entropy": lambda: F.cross_entropy(x, target),
    "nll": lambda: F.nll_loss(x, target),
    "reshape": lambda: x.reshape(3, 2),
    "reshape of a view": lambda: x.t().reshape(6),
    "flatten": lambda: image.flatten(1),
    "indices": lambda: x[0, 1:],
    "mask": lambda: x[x > 0],
    "reductions": lambda: (x.sum(), x.sum(1), x.mean(), x.mean(dim=1, keepdim=True), x.std(), x.var(0), x.max(1), x.argmax(-1)),
    "joins": lambda: (torch.cat([x, x]), torch.stack([x, x]), x.split(1), x.chunk(2), x.unbind(0)),
    "convolution": lambda: F.conv2d(image, kernel, padding=1),
    "norms": lambda: (F.layer_norm(x, (3,)), F.group_norm(torch.ones(1, 4, 2), 2), F.batch_norm(x, b[:3], b[:3] + 1)),
    "dropout": lambda: F.dropout(x, 0.5),
    "no dropout": lambda: F.dropout(x, 0.5, False),
    "pooling": lambda: (F.max_pool2d(image, 2), F.avg_pool2d(image, 2), F.adaptive_avg_pool2d(image, 1), F.adaptive_avg_pool2d(image, 2)),
    "activations": lambda: (F.gelu(x), F.silu(x), x.sigmoid(), x.tanh(), x.clamp(0, 1), F.relu(x)),
    "attention": lambda: F.scaled_dot_product_attention(batch[None], batch[None], batch[None]),
    "conversions": lambda: (x.to(torch.float64), x.half(), x.to(torch.float32), x.t().contiguous(), x.contiguous()),
    "makers": lambda: (torch.zeros(2), torch.ones_like(x), torch.arange(3), torch.rand(2), torch.full((2,), 1.5)),
    "in place": lambda: x.clone().add_(1).mul_(x).zero_(),
    "losses": lambda: (F.mse_loss(x, x), F.l1_loss(x, x), F.smooth_l1_loss(x, x)),
    "where": lambda: torch.where(x > 0, x, -x),
    "shapes": lambda: (x.expand(2, 2, 3), x.permute(1, 0), x.T, x.unsqueeze(0).squeeze(0), x.repeat(2, 1)),
}
for name, run in calls.items():
    log(name, run)


class Scaled(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        return result * 10 if func is torch.ops.aten.mul.Tensor else result


with Log() as outer:
    with Scaled() as inner:
        print(_get_current_dispatch_mode() is inner)
        print((torch.ones(2) * 3).tolist())
print(outer.seen)


class Refuses(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func.overloadpacket is torch.ops.aten.exp:
            raise ValueError(f"no {func.name()}")
        return func(*args, **(kwargs or {}))


with Refuses():
    try:
        x.exp()
    except ValueError as error:
        print(error)
print(x.exp().shape)

op = torch.ops.aten.add.Tensor
print(op == torch.ops.aten.add.Tensor, {op: 1}[torch.ops.aten.add.Tensor], op is torch.ops.aten.add.Tensor, op != torch.ops.aten.add.Scalar)
print(op.name(), op.__name__, op.namespace, op._opname, op._overloadname, op.overloadpacket, op.overloadpacket is torch.ops.aten.add)
print(torch.ops.aten.t.default.is_view, torch.ops.aten.mm.default.is_view, torch.ops.aten.mm.default.name())
print(isinstance(op, torch._ops.OpOverload), isinstance(torch.ops.aten.add, torch._ops.OpOverloadPacket), isinstance(op, torch._ops.OpOverloadPacket))

model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 10))
images = torch.randn(2, 3, 8, 8)
with FlopCounterMode(display=False) as counter:
    model(images)
print(counter.get_total_flops())
print({module: {str(op): n for op, n in counts.items()} for module, counts in sorted(counter.get_flop_counts().items())})
with FlopCounterMode(model, display=False, depth=3) as counter:
    model(images).sum().backward()
print(counter.get_total_flops(), {module: sum(counts.values()) for module, counts in sorted(counter.get_flop_counts().items())})
with FlopCounterMode(display=False) as counter:
    batch @ rows
    F.scaled_dot_product_attention(batch[None], batch[None], batch[None])
    torch.addmm(torch.ones(2, 2), x, x.t())
    F.conv_transpose2d(images, torch.ones(3, 4, 2, 2))
    F.conv1d(torch.ones(1, 4, 9), torch.ones(4, 2, 3), groups=2)
print({str(op): n for op, n in counter.get_flop_counts()["Global"].items()})

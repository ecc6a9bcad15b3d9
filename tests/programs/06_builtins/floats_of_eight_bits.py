# Floats of eight bits are made, moved, compared and converted; few operators take them.
import copy
import io

import torch

KINDS = (torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz, torch.float8_e8m0fnu)


@torch.jit.script
def kinds(x: torch.Tensor, dtype: torch.dtype):
    return x.to(torch.float8_e5m2), x.to(dtype), torch.zeros([2], dtype=torch.float8_e4m3fn)


class Scaled(torch.nn.Module):
    def __init__(self, dtype):
        super().__init__()
        self.register_buffer("weight", torch.tensor([1.0, 2.5, 1000.0]).to(dtype))

    def forward(self, x):
        return x * self.weight.to(x.dtype)


def attempt(what):
    try:
        print(what())
    except Exception as error:
        print(f"<<{type(error).__name__}>>")
        print(str(error).splitlines()[0])
        print("<<end>>")


# Every number to both sides of every rounding: codes and numbers in sums that differ where one does.
tops = torch.arange(65536, dtype=torch.int64) << 16
bits = torch.cat([tops + low for low in (0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF)])
numbers = torch.where(bits >= 2**31, bits - 2**32, bits).to(torch.int32).view(torch.float32)
weights = torch.arange(numbers.numel()) % 9973 + 1
for kind in KINDS:
    codes = numbers.to(kind).view(torch.uint8).to(torch.int64)
    known = torch.arange(256).to(torch.uint8).view(kind)
    print(kind, kind.itemsize, kind.is_floating_point, kind.is_signed, torch.finfo(kind))
    print((codes * weights).sum().item(), known.isnan().sum().item(), known.to(torch.float64).nan_to_num(0, 1, -1).sum().item())
    print(*(known.to(other).view(torch.uint8).to(torch.int64).sum().item() for other in KINDS))
    x = torch.tensor([1.0, 2.5, 0.3, -4.0]).to(kind)
    print(x, x[1:3], x.type(), x.element_size(), x.tolist(), x[1].item(), int(x[3]), f"{x[0]:.2f}")
    print(x.reshape(2, 2).t(), x.reshape(2, 2).t().contiguous(), torch.cat([x, x]), torch.stack([x, x], 1)[0])
    print(x == x.clone(), x != 1.0, torch.equal(x, x.clone()), x.isnan(), x.isinf(), x.any())
    for other in (torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.uint8, torch.int64, torch.bool, torch.complex64):
        print(x.to(other), torch.tensor([1, 3, 0, 100]).to(other).to(kind))
    print(torch.zeros(2, dtype=kind), torch.ones(2, 0, dtype=kind), torch.full((2,), 3.3, dtype=kind), torch.tensor(1.5, dtype=kind))
    print(torch.ones_like(x), torch.full_like(x, 2), x.new_tensor([1.0, 2.0]), torch.eye(2, dtype=kind), torch.empty(2, 3, dtype=kind).shape)
    y = x.clone()
    y[0] = 3.0
    y[1:3] = torch.tensor([100.0, 1e9])
    print(y, y.copy_(torch.tensor([3.3, -7.0, 1e-9, 17.0])), y.fill_(2.5), y.zero_())
    print(x[torch.tensor([2, 0])], x[x.to(torch.float32) > 0.5], x.index_select(0, torch.tensor([1, 1])), x.repeat(2), x.roll(1), x.unfold(0, 2, 1))
    print(torch.where(torch.tensor([True, False, True, False]), x, x.roll(1)), x.diag()[1], torch.nn.functional.embedding(torch.tensor([1, 0]), x.reshape(2, 2)))
    print(x.view(torch.int16), x.view(torch.float32).view(kind), x.half() + 1, torch.result_type(x, 1.0), torch.promote_types(kind, kind))
    for name in ("add", "sub", "div", "pow", "maximum", "lt", "atan2"):
        attempt(lambda: getattr(torch, name)(x, x))
    for name in ("exp", "neg", "sum", "sort", "softmax", "relu", "amax", "argmax"):
        attempt(lambda: getattr(torch, name)(x, 0) if name == "softmax" else getattr(torch, name)(x))
    attempt(lambda: x + torch.ones(4))
    attempt(lambda: 1 + x)
    attempt(lambda: x * 2.0)
    attempt(lambda: x * x)
    attempt(lambda: torch.cat([x, torch.ones(2)]))
    attempt(lambda: torch.promote_types(kind, torch.int64))
    attempt(lambda: torch.arange(3, dtype=kind))
    attempt(lambda: torch.rand(2, dtype=kind))
    attempt(lambda: x.numpy())
    file = io.BytesIO()
    torch.save({"whole": x, "part": x[1:]}, file)
    file.seek(0)
    print(torch.load(file), copy.deepcopy(x))
    file = io.BytesIO()
    torch.jit.save(torch.jit.script(Scaled(kind)), file)
    file.seek(0)
    module = torch.jit.load(file)
    print(module.weight, module(torch.ones(3)), [t.dtype for t in kinds(torch.ones(2), kind)])
    p = torch.tensor([1.1, 2.2], requires_grad=True)
    narrow = p.to(kind)
    narrow.to(torch.float32).sum().backward()
    print(narrow, p.grad)
for t in (torch.tensor([1, 2], dtype=torch.uint16), torch.tensor([2**40], dtype=torch.uint64)):
    file = io.BytesIO()
    torch.save(t, file)
    file.seek(0)
    print(torch.load(file))

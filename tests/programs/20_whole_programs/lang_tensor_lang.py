import torch
from typing import List, Optional, Tuple


@torch.jit.script
def indexing(x: torch.Tensor):
    return x[0], x[:, 1], x[..., -1], x[1:, ::2], x[None, 0], x[x > 4], x[[0, 1]], x[torch.tensor([1, 0])], x[0, 1], x[-1][-1]


@torch.jit.script
def assign(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y[0] = 10
    y[1, 1:] = torch.tensor([7.0, 8.0])
    y[:, 0] += 0.5
    y[y > 9] = -1.0
    y[-1, -1] *= 2
    y[0, None] = y[0] - 1
    return y


@torch.jit.script
def inplace(x: torch.Tensor) -> torch.Tensor:
    x += 1
    x *= x
    x -= 0.5
    x /= 2
    x.add_(1, alpha=2)
    return x


@torch.jit.script
def attrs(x: torch.Tensor) -> Tuple[List[int], int, int, bool, int, bool, int]:
    return x.shape, x.dim(), x.numel(), x.requires_grad, x.size(-1), x.is_floating_point(), x.ndim


@torch.jit.script
def dtypes(x: torch.Tensor) -> List[torch.Tensor]:
    return [x.to(torch.int64), x.double(), x.to(torch.float16), x.to(torch.bool), x.int(), x.type_as(torch.zeros(1, dtype=torch.long))]


@torch.jit.script
def dtype_cmp(x: torch.Tensor) -> Tuple[bool, bool, bool, bool]:
    return x.dtype == torch.float32, x.dtype is not None, x.device.type == "cpu", x.device == torch.device("cpu")


@torch.jit.script
def ops(a: torch.Tensor, b: torch.Tensor):
    return a @ b, a == b, a // b, a % b, a ** 2, 2 ** a, 1 / b, -a, ~(a > b), (a > 1) & (b > 1), 3 - a, a < 2


@torch.jit.script
def scalars(x: torch.Tensor, i: int, f: float) -> Tuple[float, int, bool, float, float]:
    return float(x) + f, int(x) + i, bool(x), x.item(), float(x * i)


@torch.jit.script
def builders(n: int, like: torch.Tensor):
    return (torch.zeros(n), torch.ones(n, 2, dtype=torch.int32), torch.full((n,), 2.5), torch.arange(n), torch.arange(1, n, 0.5),
            torch.linspace(0, 1, n), torch.eye(n), torch.zeros_like(like), torch.tensor([[1, 2], [3, n]]), torch.empty([0, n]).shape)


@torch.jit.script
def combine(xs: List[torch.Tensor]):
    s = torch.stack(xs)
    c = torch.cat(xs, dim=0)
    a, b = s.unbind(0)
    p, q = torch.split(c, [1, 3])
    m, i = torch.max(s, dim=1)
    return s.shape, c, a - b, p, q, m, i, torch.chunk(c, 2)


@torch.jit.script
def opt_weight(x: torch.Tensor, w: Optional[torch.Tensor] = None, reduction: str = "mean") -> torch.Tensor:
    if w is not None:
        x = x * w
    if reduction == "mean":
        return x.mean()
    elif reduction == "sum":
        return x.sum()
    elif reduction == "none":
        return x
    else:
        raise ValueError("bad reduction " + reduction)


@torch.jit.script
def unpack_shape(x: torch.Tensor) -> Tuple[int, int, int]:
    a, b = x.shape
    n = x.size()[0] * x.size(1)
    return a, b, n


@torch.jit.script
def functional(x: torch.Tensor):
    y = torch.nn.functional.relu(x - 2)
    z = torch.nn.functional.softmax(x, dim=-1)
    return y, z.sum(-1), torch.nn.functional.pad(x, [1, 0], value=9.0), torch.clamp(x, min=1, max=3), torch.where(x > 2, x, -x)


x = torch.arange(6.0).reshape(2, 3)
for v in indexing(x):
    print(v)
print(assign(x))
print(inplace(x.clone()))
print(attrs(x), dtypes(x - 1), dtype_cmp(x))
for v in ops(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[2.0, 2.0], [2.0, 1.0]])):
    print(v)
print(scalars(torch.tensor(2.75), 2, 0.5))
print(builders(3, x))
print(combine([torch.tensor([1.0, 5.0]), torch.tensor([4.0, 3.0])]))
print(opt_weight(x), opt_weight(x, x), opt_weight(x, reduction="sum"), opt_weight(x, None, "none"))
print(unpack_shape(x), functional(x))
for f in (lambda: opt_weight(x, None, "zz"), lambda: unpack_shape(torch.ones(3)), lambda: indexing(torch.ones(2)), lambda: scalars(x, 1, 1.0)):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, "|", str(e).strip().split("\n")[-1])

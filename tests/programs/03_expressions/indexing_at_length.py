# Indexing and assignment by slices, masks and tensors, with their errors, in eager code, scripts and traces.
"""Advanced indexing and index assignment."""
import torch


def err(label, fn):
    try:
        r = fn()
        print(label, "-> ok", r)
    except Exception as e:
        print(label, "->", type(e).__name__, "|", str(e).split("\n")[0])


x = torch.arange(60).reshape(3, 4, 5)
i = torch.tensor([0, 2])
j = torch.tensor([[1], [3]])
for name, v in [
    ("int", x[1]),
    ("neg int", x[-1, -2]),
    ("slice step", x[:, ::2, 1::3]),
    ("ellipsis", x[..., 0]),
    ("ellipsis mid", x[1, ..., 2]),
    ("None", x[None, :, 0, None]),
    ("None end", x[0, 0, :, None]),
    ("list", x[[0, 2]]),
    ("tensor mid", x[:, i]),
    ("two tensors adjacent", x[:, i, torch.tensor([1, 4])]),
    ("two tensors apart", x[i, :, torch.tensor([1, 4])]),
    ("broadcast", x[i, j]),
    ("broadcast 3", x[i, j, 0]),
    ("mixed int tensor", x[1, :, i]),
    ("empty slice", x[:, 4:]),
    ("empty list", x[[]]),
    ("bool scalar True", x[True]),
    ("bool scalar False", x[False]),
    ("slice of out of range", x[:, -100:100:3]),
    ("tensor scalar", x[torch.tensor(1), torch.tensor(2)]),
    ("range tuple", x[(0, slice(1, 3))]),
    ("slice obj w/ tensor ends", x[0, torch.tensor(1):torch.tensor(3)]),
]:
    print(f"{name:26s} {str(tuple(v.shape)):16s} {v.stride()} sum={v.sum().item()} c={v.is_contiguous()}")

print(x[i, j])
mask = x % 7 == 3
print("mask", x[mask].tolist())
m2 = torch.tensor([True, False, True])
print("mask dim0", x[m2].shape, x[m2].sum().item())
m3 = torch.tensor([True, False, True, False])
print("mask dim1", x[:, m3].shape, x[:, m3, 0])
print("mask + idx", x[m2, i].tolist())
print("mask 2d", x[torch.eye(3, 4).bool()].tolist())
print("uint8 idx shape", x[:, torch.tensor([0, 1], dtype=torch.int64)].shape)
print("nonzero tuple", [t.tolist() for t in (x > 55).nonzero(as_tuple=True)])

# assignment
y = torch.zeros(3, 4)
y[0] = 1
y[:, 1] = torch.tensor([2., 3., 4.])
y[1:, 2:] = 7
y[..., -1] += 0.5
print(y)
y[y == 7] = -1
y[[0, 2], [2, 3]] = torch.tensor([10., 20.])
print(y)
y[torch.tensor([0, 0, 1]), torch.tensor([0, 0, 0])] += 1  # no accumulation
print(y[:, 0].tolist())
y.index_put_((torch.tensor([0, 0, 1]), torch.tensor([0, 0, 0])), torch.tensor(1.), accumulate=True)
print(y[:, 0].tolist())
y[None, 1] = torch.arange(4.)
y[:, None, 3] = 9
print(y)
y[torch.tensor([True, False, True])] = torch.tensor([[5.], [6.]])
print(y)
z = torch.arange(10)
z[::3] = torch.tensor(-1.9)  # float to int assignment
print(z)
z[z < 0] = torch.arange(4)
print(z, z[z.bool()].numel())
b = torch.zeros(5, dtype=torch.bool)
b[1:4:2] = 3
print(b)
t = x.clone()
t[0, ...] = t[1]
t[1, :, ::2] *= -1
print(t[:2, 0])
w = torch.zeros(2, 3, 4)
w[:, [0, 2], 1:3] = torch.ones(2, 1, 2) * torch.tensor([[[1.]], [[2.]]])
print(w)

err("neg step", lambda: x[::-1])
err("too many", lambda: x[0, 0, 0, 0])
err("oob", lambda: x[3])
err("oob neg", lambda: x[0, -5])
err("oob tensor", lambda: x[torch.tensor([0, 3])])
err("mask shape", lambda: x[torch.ones(2, dtype=torch.bool)])
err("float idx", lambda: x[torch.tensor([0.5])])
err("float py idx", lambda: x[0.5])
err("str idx", lambda: x["a"])
err("bcast", lambda: x[torch.tensor([0, 1]), torch.tensor([0, 1, 2])])
err("zero step", lambda: x[::0])
err("two ellipsis", lambda: x[..., 0, ...].shape)
err("scalar idx", lambda: torch.tensor(1.)[0])


def assign(v, k, val):
    v = v.clone()
    v[k] = val
    return v


err("assign shape", lambda: assign(y, 0, torch.ones(3)))
err("assign mask count", lambda: assign(y, y > 5, torch.ones(2)))
err("assign str", lambda: assign(y, 0, "a"))


@torch.jit.script
def f(x: torch.Tensor, i: torch.Tensor, k: int):
    a = x[i, :, k]
    b = x[..., None, 1:3]
    c = x[x > 50]
    d = x.clone()
    d[i, 1] = -5
    d[:, 0, -1] = 100
    e = d[:, k, ::2]
    return a, b.shape, c, e


for r in f(x, i, 2):
    print(r)
err("jit oob", lambda: f(x, i, 7))
tr = torch.jit.trace(lambda a: (a[1:, None, ..., ::2], a[:, 0][a[:, 0] > 20]), (x,))
print([v.shape for v in tr(x)], tr(x * 2)[1])

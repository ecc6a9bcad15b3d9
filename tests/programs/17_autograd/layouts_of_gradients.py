# Gradients lie in memory as the reference lays them out, and nodes are named after what a result is made of.
import torch
import torch.nn.functional as F


def strides(out, *inputs):
    return [g.stride() for g in torch.autograd.grad(out, inputs, torch.ones(out.shape, dtype=out.dtype))]


def by_columns(*sizes, dtype=torch.float32):
    return torch.arange(1.0, 1 + sizes[0] * sizes[1]).reshape(sizes[::-1]).to(dtype).t().requires_grad_()


def by_rows(*sizes, dtype=torch.float32):
    return torch.arange(1.0, 1 + sizes[0] * sizes[1]).reshape(sizes).to(dtype).requires_grad_()


for make_a in (by_rows, by_columns):
    for make_b in (by_rows, by_columns):
        a, b = make_a(2, 3), make_b(3, 4)
        print("mm", a.stride(), b.stride(), strides(a.mm(b), a, b), strides(torch.addmm(torch.zeros(2, 4), a, b), a, b))
x, w, bias = by_rows(2, 3), by_rows(4, 3), torch.zeros(4)
print("linear", strides(F.linear(x, w), x, w), strides(F.linear(x, w, bias), x, w))

for name in ("relu", "leaky_relu", "erf", "angle", "frac", "det"):
    x = by_columns(3, 3)
    f = getattr(torch, name, None) or getattr(F, name)
    print(name, strides(f(x), x))
for name in ("maximum", "minimum", "fmax", "fmin", "where", "prod"):
    x, y = by_columns(2, 3), torch.arange(3.0)
    out = torch.where(x > 2, x, y) if name == "where" else x.prod() if name == "prod" else getattr(torch, name)(x, y)
    print(name, strides(out, x))
x = by_columns(3, 3)
print("as_strided", strides(torch.as_strided(x, [2, 2], [1, 2]), x))
print("median", strides(x.median(), x), "norm", strides(torch.linalg.vector_norm(x, 2, [1]), x))
for loss in (F.mse_loss, F.smooth_l1_loss, F.huber_loss):
    print(loss.__name__, strides(loss(x, torch.zeros(3, 3)), x))

for transposed in (False, True):
    for last_x, last_w in ((False, False), (True, False), (False, True)):
        x, w = torch.ones(2, 4, 6, 6), torch.ones(4, 4, 3, 3)
        x = x.contiguous(memory_format=torch.channels_last) if last_x else x
        w = w.contiguous(memory_format=torch.channels_last) if last_w else w
        x.requires_grad_(), w.requires_grad_()
        out = (F.conv_transpose2d if transposed else F.conv2d)(x, w)
        print("convolution", transposed, last_x, last_w, strides(out, x, w))

x = by_columns(4, 4)
print(x.reshape(4, 2, 2).grad_fn, x.reshape(16).grad_fn, x.ravel().grad_fn, by_rows(4, 4).reshape(16).grad_fn)
for order in (1, 2, float("inf"), "nuc"):
    print(order, torch.linalg.matrix_norm(x, order).grad_fn, torch.linalg.matrix_norm(x, order, keepdim=True).grad_fn)
print(torch.combinations(torch.ones(3, requires_grad=True)).grad_fn)


def refused(name, f, *args, **kwargs):
    try:
        print(name, f(*args, **kwargs).grad_fn)
    except (RuntimeError, NotImplementedError) as error:
        print(name, type(error).__name__, str(error).split("\n")[0])


x = by_rows(2, 3)
z = by_rows(2, 3, dtype=torch.complex64)
for name in ("dropout", "alpha_dropout", "feature_dropout", "feature_alpha_dropout"):
    refused(name, getattr(torch, name), x, float("nan"), True)
refused("fft2", torch.fft.fft2, x, s=[2], dim=[0, 1])
refused("fftn", torch.fft.fftn, x, dim=[0, -2])
refused("gradient", lambda: torch.gradient(x, edge_order=3)[0])
refused("conv2d", F.conv2d, torch.ones(1, 1, 3, 3, requires_grad=True), torch.ones(1, 1, 1, 1), padding=[0, 0, 0])
refused("combinations", torch.combinations, x)
refused("inner", torch.inner, x, torch.ones(2))
refused("pad", F.pad, x, [1])
refused("diff", torch.diff, x, -1)
refused("sum_to_size", lambda: x.sum_to_size(4))
refused("rms_norm", F.rms_norm, x, [3], torch.ones(1))
refused("norm", torch.linalg.norm, x, 0.5)
refused("outer", torch.outer, x, x)
refused("silu", F.silu, z)
refused("slice_scatter", lambda: torch.slice_scatter(z, z))
refused("where", lambda: torch.autograd.grad(torch.where(x > 2, x, z), x, torch.ones(2, 3, dtype=z.dtype))[0])
refused("sum", lambda: torch.autograd.grad(x.sum(dtype=z.dtype), x, torch.ones((), dtype=z.dtype))[0])

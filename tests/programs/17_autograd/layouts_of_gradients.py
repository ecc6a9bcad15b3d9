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


def chain(out):
    names, node = [], out.grad_fn
    while node is not None:
        names.append(node.name().replace("Backward", "").split("::")[-1])
        node = next((n for n, _ in node.next_functions if n is not None), None)
    return names


for sizes, others in (((10,), (5, 10, 4)), ((3, 10), (5, 10, 4)), ((1, 10), (5, 10, 4)), ((5, 3, 10), (10,))):
    for wants in ((True, True), (False, True)):
        x, y = torch.ones(sizes).requires_grad_(wants[0]), torch.ones(others).requires_grad_(wants[1])
        out = torch.matmul(x, y)
        print(sizes, others, wants, out.stride(), chain(out), strides(out, y))
z = torch.ones(1, 1, 3, 3, dtype=torch.complex64, requires_grad=True)
print(chain(F.conv2d(z, z))[:3], chain(F.conv_transpose2d(z, z))[:3])
low = torch.linalg.cholesky(torch.eye(3) * 3 + 1).detach().requires_grad_()
q = torch.linspace(-1, 1, 192).reshape(2, 3, 4, 8).requires_grad_()
print(strides(F.scaled_dot_product_attention(q, q, q), q), chain(F.scaled_dot_product_attention(q[0], q[0], q[0]))[0])
for dtype in (torch.float16, torch.bfloat16):
    narrow = q.detach().to(dtype).requires_grad_()
    print(dtype, chain(F.scaled_dot_product_attention(narrow, narrow, narrow))[0], chain(F.scaled_dot_product_attention(narrow, narrow, narrow, dropout_p=0.5))[0])
print(torch.autograd.grad(torch.linalg.vector_norm(q, 0), q, allow_unused=True), chain(torch.fft.hfft2(low))[:3])

x = torch.tensor([0.0, 0.0, 0.0, 2.0], requires_grad=True)
print(torch.autograd.grad(torch.xlogy(x, torch.tensor([2.0, 0.0, -1.0, 3.0])).sum(), x)[0].tolist())
print(torch.autograd.grad(torch.special.xlog1py(x, torch.tensor([2.0, -1.0, -2.0, 3.0])).sum(), x)[0].tolist())
print(torch.autograd.grad(torch.special.bessel_y1(x[:1]).sum(), x)[0].tolist(), torch.autograd.grad(torch.sinc(x).sum(), x)[0][:3].tolist())
for upper in (False, True):
    factor = low.detach().mT.contiguous() if upper else low.detach()
    factor.requires_grad_()
    b = torch.ones(3, 1, requires_grad=True)
    grads = torch.autograd.grad(torch.cholesky_solve(b, factor, upper).sum(), (b, factor)) + torch.autograd.grad(torch.cholesky_inverse(factor, upper).sum(), factor)
    print([[round(v, 4) + 0.0 for v in g.flatten().tolist()] for g in grads])
refused("adaptive", lambda: torch.autograd.grad(F.adaptive_avg_pool2d(torch.ones(1, 1, 2, 2, requires_grad=True), [0, 2]).sum(), x)[0])
refused("batch_norm", F.batch_norm, torch.ones(2, 2), torch.zeros(2, requires_grad=True), torch.ones(2), training=True)
refused("cartesian_prod", torch.cartesian_prod, low)
refused("matrix_power", torch.matrix_power, torch.ones(2, 3, requires_grad=True), 1)
refused("vecdot", torch.linalg.vecdot, low, low.detach().double())
refused("diag", torch.diag, q)
refused("ldl_factor", lambda: torch.autograd.grad(torch.linalg.ldl_factor(low)[0].sum(), low)[0])

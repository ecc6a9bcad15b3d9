# Gradients of normalisations in bfloat16 and half are computed in float32; those of products of scattered numbers have gradients.
import torch
import torch.nn.functional as F

torch.manual_seed(0)
for dtype in (torch.bfloat16, torch.float16):
    x, w, g = (torch.randn(s).to(dtype) for s in ((16, 32), (32,), (16, 32)))

    def gradients(function, *given):
        given = [one.detach().clone().requires_grad_() for one in given]
        out = function(*given)
        out.backward(g.to(out.dtype))
        return [one.grad.float() for one in given]

    for name, function, given in (
        ("rms", lambda x, w: F.rms_norm(x, (32,), w), (x, w)),
        ("rms without weight", lambda x: F.rms_norm(x, (32,)), (x,)),
        ("layer", lambda x, w: F.layer_norm(x, (32,), w, w), (x, w)),
        ("group", lambda x, w: F.group_norm(x, 4, w, w), (x, w)),
        ("batch", lambda x, w: F.batch_norm(x, None, None, w, w, training=True), (x, w)),
        ("batch in eval", lambda x, w: F.batch_norm(x, torch.zeros(32).to(x.dtype), torch.ones(32).to(x.dtype), w, w), (x, w)),
        ("glu", lambda x: torch.cat([F.glu(x), F.glu(x)], 1), (x,)),
        ("lerp", lambda x, w: x.lerp(w.expand(16, 32), 0.3), (x, w)),
    ):
        narrow = gradients(function, *given)
        wide = gradients(function, *(one.float() for one in given))
        # Sums over rows are rounded once more or less.
        print(dtype, name, [bool(((n - f).abs() <= 0.03 * f.abs() + 0.06).all()) for n, f in zip(narrow, wide)])
    x.requires_grad_()
    print(F.rms_norm(x, (32,)).grad_fn.name(), F.rms_norm(x, (32,), w).grad_fn.name(), torch._fused_rms_norm(x, (32,), w, None)[1].dtype)

index = torch.tensor([0, 0, 1, 1, 3])
base = torch.tensor([1.0, 2.0, 0.0, 3.0], dtype=torch.double, requires_grad=True)
source = torch.tensor([2.0, 3.0, 0.0, 5.0, 0.0], dtype=torch.double, requires_grad=True)
for reduce in ("sum", "prod", "mean", "amax", "amin"):
    for include in (True, False):
        out = base.scatter_reduce(0, index, source, reduce, include_self=include)
        first = torch.autograd.grad((out**2).sum(), [base, source], create_graph=True)
        second = torch.autograd.grad(sum((one**2).sum() for one in first), [base, source])
        print(reduce, include, out.tolist(), [one.tolist() for one in first], [one.tolist() for one in second])
a, b = (torch.rand(n, dtype=torch.double, requires_grad=True) for n in (4, 5))
for include in (True, False):
    for function in (
        lambda a, b: a.scatter_reduce(0, index, b, "prod", include_self=include),
        lambda a, b: a.index_reduce(0, index, b, "prod", include_self=include),
    ):
        print(torch.autograd.gradcheck(function, (a, b)), torch.autograd.gradgradcheck(function, (a, b)))

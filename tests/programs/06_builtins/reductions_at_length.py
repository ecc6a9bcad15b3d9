# Reductions over dimensions, of nothing, with infinities, in low precision.
"""Reductions with dims, keepdim, nan variants, quantiles, var/std corrections, cumulative operators."""
import torch
inf, nan = float("inf"), float("nan")
torch.set_printoptions(precision=3)


def err(label, fn):
    try:
        r = fn()
        print(label, "-> ok", r)
    except Exception as e:
        print(label, "->", type(e).__name__, "|", str(e).split("\n")[0][:200])


x = torch.tensor([[[1., -2., 3.], [0.5, 4., -1.]], [[2., 2., 0.], [7., -3., 6.]]])
n = torch.tensor([[1., nan, 3.], [nan, nan, nan], [2., inf, 0.]])
i = torch.tensor([[3, -1, 4], [0, 5, 9]])
for f in (torch.sum, torch.mean, torch.prod, torch.std, torch.var, torch.norm, torch.amax, torch.amin, torch.logsumexp, torch.nansum, torch.nanmean, torch.median, torch.any, torch.all, torch.argmax, torch.count_nonzero):
    row = []
    for kw in ({}, dict(dim=0), dict(dim=-1, keepdim=True), dict(dim=(0, 2)), dict(dim=(), keepdim=True)):
        try:
            r = f(x, **kw)
            r = r[0] if isinstance(r, tuple) else r
            row.append(str(tuple(r.shape)) + "%.3f" % (r.double().sum().item() + 0.0))
        except Exception as e:
            row.append(type(e).__name__)
    print(f"{f.__name__:13s}", " ".join(row))
print("std", x.std(dim=2, correction=0)[0], x.std(2, unbiased=False)[0], x.std(0, keepdim=True).shape, torch.std_mean(x), torch.var_mean(x, dim=(0, 1), correction=1), x.var(dim=[0, 1, 2], correction=2), torch.tensor([5.]).std(), torch.tensor([5.]).var(correction=0))
print("nan", n.sum(1), n.nansum(1), n.nanmean(dim=1), n.nanmedian(), n.nanmedian(dim=1), n.median(dim=1).values, n.max(1).values, n.amin(0), n.argmax(1), n.nanquantile(0.5, dim=0, keepdim=True), n.nan_to_num(nan=-1., posinf=99.), n.isnan().sum(), n.isinf().any(), sep="\n")
print("quant", torch.quantile(i.float(), torch.tensor([0.1, 0.9]), dim=1), i.float().quantile(0.5, dim=0, interpolation="higher"), torch.nanquantile(n, torch.tensor([0.25, 0.75])))
print("int", i.sum(), i.prod(1), i.sum(dim=1, dtype=torch.float64), i.max(), i.min(dim=0), i.float().mean(0), torch.mean(i, dim=0, dtype=torch.float32), i.any(1), i.all(dim=1, keepdim=True), i.bool().sum(0))
print("bool", torch.tensor([True, True]).sum(), torch.tensor([True, False]).prod(), torch.tensor([[True, False]]).all(1), torch.tensor([True, False]).max(), torch.tensor([], dtype=torch.bool).all(), torch.tensor([]).any())
print("empty", torch.empty(0).sum(), torch.empty(0).mean(), torch.empty(0).prod(), torch.empty(0, 3).sum(0), torch.empty(2, 0).mean(1), torch.empty(2, 0).prod(1), torch.empty(0).std(), torch.empty(0, 2).amax(1).shape, torch.empty(2, 0).logsumexp(1), torch.empty(0).norm())
print("0d", torch.tensor(3.).sum(0), torch.tensor(3.).max(0), torch.tensor(3.).mean(-1), torch.tensor(3.).cumsum(0), torch.tensor(2.).argmax())
print("cum", i.cumsum(1), i.cumprod(0), torch.cumsum(i, -1, dtype=torch.float32), i.cummax(1).values, i.cummin(1).indices, x[0].logcumsumexp(1), torch.cumulative_trapezoid(i.float()), torch.cumsum(torch.tensor([True, True]), 0), sep="\n")
c = i.clone()
c.cumsum_(1)
print(c, torch.cumprod(i, 1, out=torch.empty(0, dtype=torch.int64)), i.diff(), torch.diff(i, n=2), torch.diff(i, dim=0, prepend=torch.zeros(1, 3, dtype=torch.int64)), torch.gradient(torch.tensor([1., 4., 9., 16.]))[0], torch.gradient(x[0], spacing=2., dim=1)[0], sep="\n")
print("trapz", torch.trapezoid(torch.tensor([1., 2., 4.])), torch.trapz(torch.tensor([1., 2., 4.]), torch.tensor([0., 1., 3.])), torch.trapezoid(x, dx=0.5, dim=1).shape)
print("cov", torch.cov(i.float()), torch.corrcoef(i.float()), torch.cov(i.float(), correction=0), torch.cov(i.float(), fweights=torch.tensor([1, 2, 1]))[0], sep="\n")
print("softmax", x[0].softmax(1), torch.log_softmax(x[0], dim=0), torch.softmax(i, 0, dtype=torch.float32), torch.nn.functional.softmin(x[0], dim=1)[0], sep="\n")
print("misc", x.sum_to_size(1, 2, 1).flatten(), torch.aminmax(x, dim=0).max[0], x.norm(dim=(1, 2)), torch.logsumexp(torch.tensor([-inf, -inf]), 0), torch.logsumexp(torch.tensor([1000., 1000.]), 0), torch.logaddexp(x[0, 0], x[0, 1]), torch.logaddexp2(torch.tensor(1.), torch.tensor(1.)), x.mean((0, 1), keepdim=True).shape, torch.sum(x, dim=(0, -1), keepdim=True).shape)
print("half", torch.full((5000,), 1., dtype=torch.half).sum(), torch.full((300,), 1., dtype=torch.bfloat16).sum(), torch.tensor([60000., 60000.], dtype=torch.half).sum(), torch.tensor([60000., 60000.], dtype=torch.half).mean(), torch.tensor([100, 100], dtype=torch.int8).sum(), torch.tensor([100, 100], dtype=torch.int8).sum(dtype=torch.int8))
err("dup dims", lambda: x.sum((0, 0)))
err("dim oob", lambda: x.sum(3))
err("mean int", lambda: i.mean())
err("prod tuple", lambda: x.prod((0, 1)))
err("max tuple", lambda: x.max((0, 1)))
err("max empty dim", lambda: torch.empty(0, 2).max(0))
err("amax empty", lambda: torch.empty(0, 2).amax(0))
err("logsumexp int", lambda: i.logsumexp(0))
err("var int", lambda: i.var())
err("std corr and unbiased", lambda: x.std(unbiased=True, correction=1))
err("cumsum missing dim", lambda: x.cumsum())
err("argmin bool", lambda: torch.tensor([True]).argmin())
err("softmax int", lambda: i.softmax(0))
err("softmax missing", lambda: torch.softmax(x))
err("sum str", lambda: x.sum("a"))
err("out dtype", lambda: torch.sum(x, 0, out=torch.empty(0, dtype=torch.int64)))
err("norm int", lambda: i.norm())
err("sum_to_size", lambda: x.sum_to_size(3))


@torch.jit.script
def f(x, i):
    a = x.sum(dim=[0, 2], keepdim=True)
    v, ix = i.max(dim=1)
    return a, v, ix, x.std(unbiased=False), torch.mean(x, [1]), i.cumsum(1)[-1], x.amax([0, 1]), torch.any(i > 8), x.prod(dim=2).sum(), torch.std_mean(x, dim=0)[1].shape


print(f(x, i))

# Gathering, scattering and the operators on masks, their out forms and errors.
"""scatter / gather / index_* / masked_* / take / put families, function, method, in-place and out= forms."""
import torch


def C(*ts):
    for t in ts:
        print(tuple(t.shape), str(t.dtype)[6:], t.tolist())


def err(label, fn):
    try:
        r = fn()
        print(label, "-> ok", r)
    except Exception as e:
        print(label, "->", type(e).__name__, "|", str(e).split("\n")[0][:200])


x = torch.arange(1., 13.).reshape(3, 4)
i = torch.tensor([[0, 1, 1, 3], [2, 2, 0, 1]])
s = torch.tensor([[10., 20., 30., 40.], [50., 60., 70., 80.]])
print(torch.gather(x, 1, i), x.gather(0, torch.tensor([[0, 2, 1, 0]])), torch.gather(x, 1, torch.tensor([[3], [2], [1]]), out=torch.empty(0)), sep="\n")
print(torch.take_along_dim(x, torch.tensor([[1], [0], [3]]), dim=1), torch.take_along_dim(x, torch.tensor([5, 1])), x.take_along_dim(x.argsort(1, descending=True), 1)[0], sep="\n")
z = torch.zeros(3, 4)
print(z.scatter(1, torch.tensor([[3, 0], [1, 2]]), s), z.scatter(0, torch.tensor([[2, 1, 0, 2]]), 7.), torch.scatter(z, 1, torch.tensor([[1]]), 5), sep="\n")
print(z.scatter_add(0, torch.tensor([[0, 1, 2, 0], [0, 1, 0, 2]]), s), torch.scatter_add(z, 1, i, s), sep="\n")
print(torch.ones(4).scatter(0, torch.tensor([1, 1]), torch.tensor([3., 4.]), reduce="multiply"), torch.ones(4).scatter_(0, torch.tensor([1, 1]), 2., reduce="add"))
src, idx = torch.tensor([1., 5., 2., 4., 3.]), torch.tensor([0, 0, 1, 1, 1])
for r in ("sum", "prod", "mean", "amax", "amin"):
    print(r, torch.full((3,), 2.).scatter_reduce(0, idx, src, reduce=r), torch.full((3,), 2.).scatter_reduce_(0, idx, src, r, include_self=False),
          torch.full((3, 2), 2).index_reduce(0, torch.tensor([0, 0]), torch.tensor([[1, 2], [3, 4]]), r).tolist() if r != "sum" else "")
print(x.index_select(1, torch.tensor([3, 0, 0])), torch.index_select(x, 0, torch.tensor(1)), torch.index_select(x, 0, torch.tensor([], dtype=torch.int64)).shape, torch.tensor(5.).index_select(0, torch.tensor([0])))
C(x.index_add(0, torch.tensor([0, 0, 2]), torch.ones(3, 4), alpha=10), x.index_copy(1, torch.tensor([3, 1]), -torch.ones(3, 2)), x.index_fill(0, torch.tensor([1]), -9))
y = x.clone()
y.index_add_(1, torch.tensor([0, 0]), torch.ones(3, 2)).index_fill_(1, torch.tensor([3]), 0).index_copy_(0, torch.tensor([2]), torch.zeros(1, 4))
print(y, y.index_put((torch.tensor([0, 1]),), torch.tensor(-1.))[:, 0], y.index_put_([torch.tensor([0, 0]), torch.tensor([1, 1])], torch.tensor([1., 2.]), accumulate=True)[0], sep="\n")
m = x % 3 == 0
C(x.masked_select(m), x.masked_fill(m, -1), x.masked_scatter(m, torch.arange(100., 110.)), torch.masked_select(x[0], torch.tensor([[True], [False]]).expand(2, 4)))
print(x.clone().masked_fill_(torch.tensor([True, False, True, False]), torch.tensor(0.)), x.masked_fill(torch.tensor([[True], [False], [False]]), float("-inf")), sep="\n")
C(x.take(torch.tensor([[0, 5], [-1, 2]])), x.clone().put_(torch.tensor([0, 0, -1]), torch.tensor([1., 2., 3.]), accumulate=True), x.put(torch.tensor([1]), torch.tensor([99.]))[0])
C(x.select_scatter(torch.zeros(4), 0, 1), x.slice_scatter(torch.zeros(3, 2), dim=1, start=0, end=4, step=2), x.diagonal_scatter(torch.tensor([-1., -2., -3.])), x.as_strided_scatter(torch.zeros(2), (2,), (5,))[:2])
C(x.fill_diagonal_(0.), torch.zeros(5, 2).fill_diagonal_(1, wrap=True), torch.diag_embed(torch.tensor([[1, 2], [3, 4]])), torch.diag(torch.tensor([1, 2]), 1), torch.diagflat(torch.tensor([[1, 2]]), -1))
C(torch.zeros(2, 3).index_put((torch.tensor([0, 1]), torch.tensor([[1], [2]])), torch.tensor(1.)), x.where(x > 5, 0), torch.nn.functional.one_hot(torch.tensor([0, 2]), 4))
print(torch.tensor([1, 2, 3]).repeat_interleave(2), torch.repeat_interleave(torch.tensor([2, 0, 1])), x[:2, :2].repeat_interleave(torch.tensor([1, 2]), dim=0), torch.tensor([[1, 2]]).repeat(2, 2), sep="\n")
err("gather oob", lambda: x.gather(1, torch.tensor([[4]])))
err("gather dims", lambda: x.gather(1, torch.tensor([0])))
err("gather size", lambda: x.gather(1, torch.zeros(4, 1, dtype=torch.int64)))
err("gather int32", lambda: x.gather(1, torch.tensor([[0]], dtype=torch.int32)))
err("gather float", lambda: x.gather(1, torch.tensor([[0.]])))
err("scatter dtype", lambda: z.scatter(1, i, s.double()))
err("scatter size", lambda: z.scatter(1, i, s[:1]))
err("scatter neg", lambda: z.scatter(1, torch.tensor([[-1]]), 1.))
err("scatter reduce", lambda: z.scatter(1, i, s, reduce="max"))
err("scatter_reduce", lambda: z.scatter_reduce(1, i, s, reduce="add"))
err("index_select 2d", lambda: x.index_select(0, i))
err("index_select oob", lambda: x.index_select(0, torch.tensor([3])))
err("index_add shape", lambda: x.index_add(0, torch.tensor([0]), torch.ones(2, 4)))
err("index_add dtype", lambda: x.index_add(0, torch.tensor([0]), torch.ones(1, 4, dtype=torch.int64)))
err("index_copy", lambda: x.index_copy(0, torch.tensor([0, 1]), torch.ones(1, 4)))
err("index_fill", lambda: x.index_fill(0, torch.tensor([0]), torch.ones(2)))
err("index_put", lambda: x.index_put((torch.tensor([7]),), torch.tensor(1.)))
err("masked_fill value", lambda: x.masked_fill(m, torch.ones(2)))
err("masked_fill mask", lambda: x.masked_fill(torch.ones(3, 4), 0))
err("masked_select", lambda: x.masked_select(torch.ones(5, dtype=torch.bool)))
err("masked_scatter", lambda: x.masked_scatter(m, torch.ones(1)))
err("take oob", lambda: x.take(torch.tensor([12])))
err("int masked_fill float", lambda: torch.tensor([1, 2]).masked_fill(torch.tensor([True, False]), 1.5))
err("one_hot", lambda: torch.nn.functional.one_hot(torch.tensor([0, 5]), 4))
err("repeat_interleave", lambda: torch.tensor([1, 2]).repeat_interleave(torch.tensor([1, 2, 3])))


@torch.jit.script
def f(x, idx, m):
    a = x.gather(1, idx)
    b = torch.zeros_like(x).scatter_add_(1, idx, a)
    b.index_add_(0, torch.tensor([0, 1]), a, alpha=2)
    return b.masked_fill(m, 0.5), x.index_select(0, idx[0, :2]).sum(), x.masked_select(m)


print(*f(x.clone(), i, m), sep="\n")

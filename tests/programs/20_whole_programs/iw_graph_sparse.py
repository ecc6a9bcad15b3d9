import torch
import torch.nn as nn
import torch.nn.functional as F
from typing import Dict, List, Optional, Tuple


def r4(t):
    return [float("%.4g" % v) if abs(v) > 1e-6 else 0.0 for v in t.detach().flatten().tolist()]


@torch.jit.script
def scatter(src: torch.Tensor, idx: torch.Tensor, n: int, how: str = "sum") -> torch.Tensor:
    out = torch.zeros([n, src.size(1)], dtype=src.dtype)
    if how == "sum":
        return out.index_add(0, idx, src)
    elif how == "mean":
        c = torch.zeros(n, dtype=src.dtype).scatter_add_(0, idx, torch.ones(idx.size(0), dtype=src.dtype))
        return out.index_add_(0, idx, src) / c.clamp(min=1).unsqueeze(1)
    elif how == "max":
        return out.scatter_reduce(0, idx.unsqueeze(1).expand_as(src), src, "amax", include_self=False)
    elif how == "prod":
        return torch.ones_like(out).scatter_reduce_(0, idx[:, None].expand(-1, src.size(1)), src, reduce="prod")
    raise ValueError(f"unknown reduction {how}")


@torch.jit.script
def segment_softmax(x: torch.Tensor, idx: torch.Tensor, n: int) -> torch.Tensor:
    m = scatter(x, idx, n, "max")[idx]
    e = (x - m).exp()
    return e / scatter(e, idx, n)[idx]


class GAT(nn.Module):
    def __init__(self, cin: int, cout: int):
        super().__init__()
        self.lin = nn.Linear(cin, cout, bias=False)
        self.att = nn.Parameter(torch.linspace(-1, 1, 2 * cout))

    def forward(self, x: torch.Tensor, edge: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
        h = self.lin(x)
        src, dst = edge[0], edge[1]
        a = F.leaky_relu((torch.cat([h[src], h[dst]], 1) * self.att).sum(1, keepdim=True), 0.2)
        w = segment_softmax(a, dst, x.size(0))
        return scatter(h[src] * w, dst, x.size(0)), w


class GCN(nn.Module):
    def __init__(self, dims: List[int]):
        super().__init__()
        self.lins = nn.ModuleList([nn.Linear(a, b) for a, b in zip(dims[:-1], dims[1:])])

    def forward(self, x: torch.Tensor, edge: torch.Tensor, batch: Optional[torch.Tensor] = None) -> torch.Tensor:
        n = x.size(0)
        loop = torch.arange(n).unsqueeze(0).expand(2, -1)
        e = torch.cat([edge, loop], 1)
        deg = torch.bincount(e[1], minlength=n).to(x.dtype)
        norm = deg[e[0]].rsqrt() * deg[e[1]].rsqrt()
        for i, l in enumerate(self.lins):
            x = scatter(l(x)[e[0]] * norm[:, None], e[1], n)
            if i < len(self.lins) - 1:
                x = x.relu()
        if batch is not None:
            return scatter(x, batch, int(batch.max()) + 1, "mean")
        return x


@torch.jit.script
def bfs(adj: Dict[int, List[int]], start: int) -> Dict[int, int]:
    dist = {start: 0}
    queue = [start]
    while len(queue) > 0:
        u = queue.pop(0)
        if u in adj:
            for v in adj[u]:
                if v not in dist:
                    dist[v] = dist[u] + 1
                    queue.append(v)
    return dist


@torch.jit.script
def coalesce(edge: torch.Tensor, w: torch.Tensor, n: int) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    key = edge[0] * n + edge[1]
    u, inv, cnt = torch.unique(key, sorted=True, return_inverse=True, return_counts=True)
    ww = torch.zeros(u.size(0), dtype=w.dtype).index_add_(0, inv, w)
    return torch.stack([torch.div(u, n, rounding_mode="trunc"), u % n]), ww, cnt


@torch.jit.script
def csr_spmm(ptr: List[int], col: torch.Tensor, val: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    rows: List[torch.Tensor] = []
    for i in range(len(ptr) - 1):
        s, e = ptr[i], ptr[i + 1]
        rows.append((x[col[s:e]] * val[s:e].unsqueeze(1)).sum(0))
    return torch.stack(rows)


@torch.jit.script
def components(edge: torch.Tensor, n: int) -> torch.Tensor:
    lab = torch.arange(n)
    while True:
        m = torch.minimum(lab[edge[0]], lab[edge[1]])
        new = lab.clone().scatter_reduce_(0, edge[0], m, "amin").scatter_reduce_(0, edge[1], m, "amin")
        if torch.equal(new, lab):
            break
        lab = new
    return torch.unique(lab, return_inverse=True)[1]


edge = torch.tensor([[0, 1, 1, 2, 3, 3, 0, 1], [1, 0, 2, 1, 4, 1, 1, 2]])
x = torch.arange(10.0).view(5, 2) / 10
for how in ("sum", "mean", "max", "prod"):
    print(how, r4(scatter(x[edge[0]], edge[1], 5, how)))
try:
    scatter(x, edge[0][:5], 5, "median")
except Exception as e:
    print(type(e).__name__, str(e).strip().splitlines()[-1])
print(r4(segment_softmax(torch.tensor([[1.0], [2.0], [3.0], [100.0]]), torch.tensor([0, 0, 1, 1]), 3)))
torch.manual_seed(0)
gat = torch.jit.script(GAT(2, 3))
y, w = gat(x, edge)
y.pow(2).sum().backward()
print(r4(y[1]), r4(w), tuple(gat.lin.weight.grad.shape), bool(gat.att.grad.abs().sum() > 0))
gcn = torch.jit.script(GCN([2, 4, 3]))
o = gcn(x, edge)
print(tuple(o.shape), r4(o[4]), r4(gcn(x, edge, torch.tensor([0, 0, 0, 1, 1]))))
perm = torch.tensor([3, 1, 4, 0, 2])
inv = perm.argsort()
print("equivariant", torch.allclose(gcn(x[perm], inv[edge]), o[perm], atol=1e-6))
print(bfs({0: [1, 2], 1: [3], 3: [4], 9: [0]}, 0), bfs({}, 7))
e2, w2, c2 = coalesce(edge, torch.arange(8.0), 5)
print(e2.tolist(), w2.tolist(), c2.tolist())
print(csr_spmm([0, 2, 2, 3], torch.tensor([0, 4, 2]), torch.tensor([1.0, 2.0, 10.0]), x).tolist()[2], r4(csr_spmm([0, 2, 2, 3], torch.tensor([0, 4, 2]), torch.tensor([1.0, 2.0, 10.0]), x)))
print(components(torch.tensor([[0, 1, 4], [1, 2, 3]]), 6).tolist())
v, i = torch.topk(w.flatten(), 3)
print(sorted(i.tolist()), torch.unique_consecutive(torch.tensor([1, 1, 2, 2, 2, 1]), return_counts=True)[1].tolist())
print(torch.bincount(torch.tensor([0, 3, 3]), weights=torch.tensor([0.5, 1.0, 2.0])).tolist(), torch.bucketize(torch.tensor([0.5, 2.0, 9.0]), torch.tensor([1.0, 2.0, 3.0]), right=True).tolist())
vals, idx = torch.sort(torch.tensor([[3, 1, 2], [9, 9, 0]]), dim=1, descending=True, stable=True)
print(vals.tolist(), idx.tolist(), torch.kthvalue(torch.tensor([5.0, 1.0, 3.0]), 2)[0].item(), torch.mode(torch.tensor([1, 2, 2, 3]))[0].item())
print(torch.tensor([[0, 1, 0], [1, 0, 2]]).nonzero().tolist(), torch.argwhere(torch.tensor([0, 5])).tolist(), torch.cummax(torch.tensor([1, 3, 2]), 0)[0].tolist(), torch.isin(torch.tensor([1, 2, 3]), torch.tensor([2])).tolist())
print(r4(torch.segment_reduce(torch.tensor([1.0, 2, 3, 4]), "mean", lengths=torch.tensor([1, 3]))), torch.repeat_interleave(torch.tensor([7, 8]), torch.tensor([2, 1])).tolist())

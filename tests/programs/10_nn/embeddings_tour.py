# Embeddings and bags of them: padding, norms, sparse gradients, optimisers that take these.
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_printoptions(precision=4, linewidth=110)
torch.manual_seed(55)


def err(name, fn):
    try:
        r = fn()
        print(f"{name}: no error -> {tuple(r.shape) if hasattr(r, 'shape') else r}")
    except Exception as e:
        print(f"{name}: {type(e).__name__}: {(str(e).splitlines() or [''])[0]}")


print("== Embedding basics")
emb = nn.Embedding(6, 3)
print(emb, emb.weight, emb.num_embeddings, emb.embedding_dim, emb.padding_idx, emb.max_norm, emb.norm_type, emb.scale_grad_by_freq, emb.sparse)
ids = torch.tensor([[1, 2, 2], [0, 5, 1]])
print(emb(ids), emb(ids.int()).shape, emb(torch.tensor(3)), emb(torch.zeros(0, 2, dtype=torch.long)).shape, emb(ids).grad_fn.name())
emb(ids).sum().backward()
print(emb.weight.grad)
for kw in (dict(padding_idx=0), dict(padding_idx=-1), dict(max_norm=1.0), dict(max_norm=2.0, norm_type=1.0), dict(scale_grad_by_freq=True), dict(sparse=True), dict(dtype=torch.float64, padding_idx=2, sparse=True)):
    torch.manual_seed(1)
    e = nn.Embedding(6, 3, **kw)
    before = e.weight.detach().clone()
    (e(ids) * torch.arange(1.0, 4.0)).sum().backward()
    g = e.weight.grad
    print(e, kw, e.padding_idx)
    print("   changed", (before != e.weight).any(1).tolist(), "norms", e.weight.norm(dim=1).detach())
    print("   grad", g.to_dense() if g.is_sparse else g, g.layout, g.coalesce().indices().tolist() if g.is_sparse else "", (g._nnz(), g.is_coalesced()) if g.is_sparse else "")
w = torch.arange(12.0).view(4, 3)
fp = nn.Embedding.from_pretrained(w)
print(fp, fp.weight.requires_grad, fp(torch.tensor([3, 0])), nn.Embedding.from_pretrained(w, freeze=False, padding_idx=1, max_norm=5.0))
ff = nn.Embedding.from_pretrained(w, freeze=False, padding_idx=1)
ff(torch.tensor([1, 1, 2])).sum().backward()
print(ff.weight.grad, ff.weight[1], ff.weight.data_ptr() == w.data_ptr())
p0 = nn.Embedding(4, 2, padding_idx=0)
p0.reset_parameters()
print(p0.weight[0], p0(torch.tensor([0])))
with torch.no_grad():
    p0.weight[0] = 7.0
print(p0(torch.tensor([0])), list(p0.state_dict()), nn.Embedding(4, 2, _weight=torch.ones(4, 2)).weight.sum())

print("== functional")
wg = torch.arange(12.0).view(4, 3).requires_grad_()
print(F.embedding(torch.tensor([[0, 3]]), wg), F.embedding(torch.tensor([0, 1]), wg, padding_idx=-4).grad_fn.name(), F.one_hot(torch.tensor([[0, 2]]), 4), F.one_hot(torch.tensor([3, 1])).dtype)
F.embedding(torch.tensor([0, 1, 1, 3]), wg, padding_idx=1, scale_grad_by_freq=True).sum().backward()
print(wg.grad, (F.one_hot(torch.tensor([1, 2]), 4).float() @ wg).detach())
m = torch.tensor([[3.0, 4.0], [0.3, 0.4]])
print(F.embedding(torch.tensor([0, 1, 0]), m, max_norm=1.0), m)

print("== EmbeddingBag")
inp, off = torch.tensor([1, 2, 4, 5, 4, 3, 2, 0]), torch.tensor([0, 3, 3, 6])
for mode in ("sum", "mean", "max"):
    torch.manual_seed(3)
    b = nn.EmbeddingBag(6, 3, mode=mode)
    y = b(inp, off)
    y.pow(2).sum().backward()
    print(b, y, b.weight.grad)
    print("   2d", b(torch.tensor([[1, 2], [4, 4]])), "none", b(torch.tensor([1, 2]), torch.tensor([0, 0])))
torch.manual_seed(3)
b = nn.EmbeddingBag(6, 3, mode="sum", include_last_offset=True, padding_idx=4)
psw = torch.tensor([1.0, 0.5, 2.0, 1.0, 1.0, 0.0, -1.0, 3.0], requires_grad=True)
y = b(inp, torch.tensor([0, 3, 3, 6, 8]), per_sample_weights=psw)
y.sum().backward()
print(b, y, psw.grad, b.weight.grad)
ref = torch.stack([sum((b.weight[i] * s for i, s in zip(inp[a:z].tolist(), psw[a:z].tolist()) if i != 4), torch.zeros(3)) for a, z in ((0, 3), (3, 3), (3, 6), (6, 8))])
print(torch.allclose(y, ref, atol=1e-6))
sb = nn.EmbeddingBag(6, 3, mode="mean", sparse=True, max_norm=1.0)
sb(inp, off).sum().backward()
print(sb, sb.weight.grad.coalesce().values(), sb.weight.grad.coalesce().indices())
print(nn.EmbeddingBag.from_pretrained(w, mode="max")(torch.tensor([[0, 3], [1, 2]])), F.embedding_bag(torch.tensor([0, 1, 3]), w, torch.tensor([0, 2])), F.embedding_bag(torch.tensor([[0, 1], [2, 3]], dtype=torch.int32), w, mode="sum"))
print(nn.EmbeddingBag(6, 3, scale_grad_by_freq=True, mode="mean"), torch.embedding_bag(w, torch.tensor([0, 1, 2]), torch.tensor([0, 1]))[0])

print("== sparse optimisers")
for name, mk in (("SGD", lambda p: torch.optim.SGD(p, 0.1)), ("SparseAdam", lambda p: torch.optim.SparseAdam(p, 0.1)), ("Adagrad", lambda p: torch.optim.Adagrad(p, 0.1)), ("SGD momentum", lambda p: torch.optim.SGD(p, 0.1, momentum=0.9))):
    torch.manual_seed(4)
    e = nn.Embedding(5, 2, sparse=True)
    start = e.weight.detach().clone()
    try:
        opt = mk(list(e.parameters()))
        for _ in range(3):
            opt.zero_grad()
            e(torch.tensor([0, 3, 3])).pow(2).sum().backward()
            opt.step()
        print(name, (e.weight - start).detach(), {k: (tuple(v.shape) if torch.is_tensor(v) else v, getattr(v, "is_sparse", None)) for k, v in opt.state[e.weight].items()})
    except Exception as ex:
        print(name, type(ex).__name__, str(ex).splitlines()[0])
e = nn.Embedding(5, 2, sparse=True)
try:
    e(torch.tensor([0])).sum().backward()
    torch.optim.Adam(e.parameters()).step()
except Exception as ex:
    print("Adam sparse", type(ex).__name__, str(ex).splitlines()[0])

print("== tied weights and skip-gram")


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(7, 4)
        self.out = nn.Linear(4, 7, bias=False)
        self.out.weight = self.emb.weight

    def forward(self, i):
        return self.out(self.emb(i))


t = Tied()
print(len(list(t.parameters())), [n for n, _ in t.named_parameters()], [n for n, _ in t.named_parameters(remove_duplicate=False)], list(t.state_dict()), t.emb.weight is t.out.weight)
t(torch.tensor([0, 1])).sum().backward()
print(t.emb.weight.grad is t.out.weight.grad, t.emb.weight.grad.abs().sum() > 0)
corpus = "the cat sat on the mat the dog sat on the rug a cat and a dog".split()
vocab = {w: i for i, w in enumerate(sorted(set(corpus)))}
pairs = torch.tensor([[vocab[corpus[i]], vocab[corpus[j]]] for i in range(len(corpus)) for j in range(max(0, i - 2), min(len(corpus), i + 3)) if i != j])
print(vocab, pairs.shape, pairs[:5])
torch.manual_seed(8)
u, v = nn.Embedding(len(vocab), 6, sparse=True), nn.Embedding(len(vocab), 6, sparse=True)
nn.init.uniform_(u.weight, -0.5, 0.5)
nn.init.zeros_(v.weight)
opt = torch.optim.SparseAdam([*u.parameters(), *v.parameters()], lr=0.05)
freq = torch.bincount(pairs[:, 1], minlength=len(vocab)).float() ** 0.75
for ep in range(30):
    neg = torch.multinomial(freq, len(pairs) * 3, replacement=True).view(-1, 3)
    c = u(pairs[:, 0])
    loss = -(F.logsigmoid((c * v(pairs[:, 1])).sum(-1)) + F.logsigmoid(-(v(neg) @ c.unsqueeze(-1)).squeeze(-1)).sum(-1)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if ep % 10 == 0 or ep == 29:
        print(ep, f"{loss.item():.3f}", neg[0].tolist())
sim = F.cosine_similarity(u.weight[:, None], u.weight[None], dim=-1)
print(sim.shape, sim.diagonal().round(decimals=3), [(w, [list(vocab)[k] for k in sim[i].topk(2).indices.tolist()][1]) for w, i in list(vocab.items())[:3]])

print("== errors")
err("oob", lambda: emb(torch.tensor([6])))
err("neg", lambda: emb(torch.tensor([-1])))
err("float ids", lambda: emb(torch.tensor([1.0])))
err("padding big", lambda: nn.Embedding(4, 2, padding_idx=4))
err("padding neg", lambda: nn.Embedding(4, 2, padding_idx=-5))
err("pretrained 1d", lambda: nn.Embedding.from_pretrained(torch.ones(3)))
err("_weight", lambda: nn.Embedding(3, 2, _weight=torch.ones(2, 2)))
err("bag mode", lambda: nn.EmbeddingBag(3, 2, mode="min")(torch.tensor([[0]])))
err("bag no offsets", lambda: b(torch.tensor([1, 2])))
err("bag 2d offsets", lambda: b(torch.tensor([[1, 2]]), torch.tensor([0])))
err("bag offset 0", lambda: nn.EmbeddingBag(3, 2)(torch.tensor([1, 2]), torch.tensor([1])))
err("bag offset big", lambda: nn.EmbeddingBag(3, 2)(torch.tensor([1, 2]), torch.tensor([0, 5])))
err("bag psw mean", lambda: nn.EmbeddingBag(3, 2)(torch.tensor([1, 2]), torch.tensor([0]), per_sample_weights=torch.ones(2)))
err("bag psw shape", lambda: F.embedding_bag(torch.tensor([1, 2]), w, torch.tensor([0]), mode="sum", per_sample_weights=torch.ones(3)))
err("bag max sparse", lambda: F.embedding_bag(torch.tensor([1, 2]), w.clone().requires_grad_(), torch.tensor([0]), mode="max", sparse=True))
err("bag max freq", lambda: F.embedding_bag(torch.tensor([1, 2]), w, torch.tensor([0]), mode="max", scale_grad_by_freq=True))
err("one_hot float", lambda: F.one_hot(torch.tensor([1.0])))
err("one_hot small", lambda: F.one_hot(torch.tensor([3]), 2))
err("one_hot neg", lambda: F.one_hot(torch.tensor([-1])))
err("one_hot empty", lambda: F.one_hot(torch.tensor([], dtype=torch.long)))

# Many tensor functions traced at one shape and run at others, plus in-place, views, dtype mixing and constants.
import torch
import torch.nn.functional as F

torch.manual_seed(0)


def r(t):
    if isinstance(t, (tuple, list)):
        return [r(v) for v in t]
    return str(t.dtype)[6:], list(t.shape), [float("%.4g" % v) for v in t.detach().double().flatten().tolist()[:5]]


TABLE = torch.tensor([[1.0, 0.0], [0.5, -1.0], [2.0, 2.0]])


def pooling(x):
    return F.avg_pool2d(F.pad(x[None, None], (1, 1, 0, 0)), 2), F.max_pool2d(x[None, None], 2, stride=1)[0, 0]


def lookup(x):
    i = x.abs().long().clamp(max=2)
    return TABLE[i].sum(-1), F.one_hot(i, 3).float().mean((0, 1)), torch.gather(x, 1, i.clamp(max=1))


def masks(x):
    m = x > x.mean()
    y = torch.where(m, x, torch.zeros_like(x))
    z = x.clone()
    z[m] = -1
    return y, z, x[m].sum(), m.sum(), torch.masked_select(x, ~m).numel() + x.sum() * 0


def views(x):
    a = x.t().contiguous().view(-1)
    b = x.unfold(1, 2, 1)
    c = x.unsqueeze(0).expand(2, -1, -1)
    d = x.roll(1, 0).flip(1)
    a[0] = 42
    return a, b, c, d, x.diagonal(), x.tril()


def norms(x):
    return F.layer_norm(x, (x.size(1),)), F.softmax(x, 1), x.norm(dim=0), F.log_softmax(x, -1).logsumexp(0), x.std(1), F.normalize(x)


def reduce(x):
    v, i = x.max(1)
    s, j = x.sort(0, descending=True)
    tv, ti = x.topk(1, dim=1)
    return v, i, s, j, tv, ti, x.argmin(), x.prod(), x.cumsum(1), torch.median(x)


def dtypes(x):
    i = x.int()
    return i + x, i // 2, i / 2, x.double() * 2, (i > 0) & (x < 2), i.bool().sum(), torch.arange(x.size(0)) * 2.5, x.half() + 1, x.to(torch.complex64).abs()


def loops(x):
    y = x
    for k in range(3):
        y = torch.tanh(y) * (k + 1)
    acc = []
    while len(acc) < 2:
        acc.append(y.sum() + len(acc))
    return torch.stack(acc), y


def algebra(x):
    g = x @ x.t()
    return g, torch.einsum("ij,kj->ik", x, x), torch.outer(x[0], x[1]), torch.bmm(x[None], x.t()[None]).squeeze(0).trace(), torch.linalg.inv(g + torch.eye(g.size(0)) * 5), torch.kron(x, torch.ones(1, 2))


def inplace(x):
    y = x.new_zeros(x.shape)
    y.add_(x).mul_(2)
    y[..., 0].fill_(7)
    y[1:] += 1
    z = y.view(-1)
    z.sub_(1)
    y.index_add_(0, torch.tensor([0]), x[:1])
    return y, z.sum(), torch.zeros(4).scatter_(0, torch.tensor([1, 3]), 5.0)


def rounding(x):
    return x.round(), x.floor(), torch.trunc(x), x.frac(), x.sign(), torch.remainder(x, 2), torch.fmod(x, 2), x.clamp(-1, 1), torch.lerp(x, x * 2, 0.5), x.sigmoid().logit()


def losses(x):
    t = torch.arange(x.size(0)) % x.size(1)
    return F.cross_entropy(x, t), F.mse_loss(x, x * 0.5), F.smooth_l1_loss(x, torch.zeros_like(x)), F.binary_cross_entropy_with_logits(x, (x > 0).float()), F.huber_loss(x, x + 3, delta=2.0), F.kl_div(F.log_softmax(x, 1), F.softmax(x * 2, 1), reduction="batchmean")


a = torch.tensor([[1.25, -2.5, 0.5], [3.75, 0.0, -1.0], [0.3, 2.2, 1.5]])
b = torch.tensor([[-0.5, 1.5, 2.5, 0.25], [4.0, -3.0, 0.75, 1.0]])
for f in (pooling, lookup, masks, views, norms, reduce, dtypes, loops, algebra, inplace, rounding, losses):
    t = torch.jit.trace(f, a)
    one = t(a)
    want = f(a)
    print(f.__name__, len(one), all(torch.allclose(p.double(), q.double(), equal_nan=True) for p, q in zip(one, want)))
    try:
        two = t(b)
        for v in two[:6]:
            print("   ", *r(v))
    except Exception as e:
        print("   ", type(e).__name__)
print(a[0], b[1])

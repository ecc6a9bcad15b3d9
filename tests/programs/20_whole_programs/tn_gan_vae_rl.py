import torch
import torch.nn as nn
import torch.nn.functional as F
from typing import List, NamedTuple, Tuple


def g(v):
    return float("%.3g" % float(v))


class Latent(NamedTuple):
    mu: torch.Tensor
    logvar: torch.Tensor
    z: torch.Tensor


class VAE(nn.Module):
    def __init__(self, d: int, h: int, z: int):
        super().__init__()
        self.enc = nn.Linear(d, h)
        self.mu = nn.Linear(h, z)
        self.lv = nn.Linear(h, z)
        self.dec = nn.Sequential(nn.Linear(z, h), nn.Tanh(), nn.Linear(h, d))

    def forward(self, x: torch.Tensor, eps: torch.Tensor) -> Tuple[torch.Tensor, Latent]:
        h = torch.tanh(self.enc(x))
        mu, lv = self.mu(h), self.lv(h)
        z = mu
        if self.training:
            z = mu + eps * (0.5 * lv).exp()
        return self.dec(z), Latent(mu, lv, z)


@torch.jit.script
def elbo(rec: torch.Tensor, x: torch.Tensor, l: Latent, beta: float) -> Tuple[torch.Tensor, torch.Tensor]:
    r = F.binary_cross_entropy_with_logits(rec, x, reduction="sum") / x.size(0)
    kl = -0.5 * (1 + l.logvar - l.mu.pow(2) - l.logvar.exp()).sum(1).mean()
    return r + beta * kl, kl


torch.manual_seed(0)
vae = torch.jit.script(VAE(6, 8, 2))
x = torch.eye(6).repeat(2, 1)
opt = torch.optim.RMSprop(vae.parameters(), 5e-3)
gen = torch.Generator().manual_seed(1)
hist = []
for i in range(30):
    rec, lat = vae(x, torch.randn(12, 2, generator=gen))
    loss, kl = elbo(rec, x, lat, min(1.0, i / 20))
    opt.zero_grad()
    loss.backward()
    opt.step()
    hist.append((loss.item(), kl.item()))
print("vae", [(g(a), g(b)) for a, b in hist[:3]], hist[-1][0] < hist[0][0])
vae.eval()
a, la = vae(x, torch.randn(12, 2))
b, lb = vae(x, torch.zeros(12, 2))
print(torch.equal(a, b), type(la).__name__, la._fields, torch.equal(la.z, la.mu))

print("gan")
torch.manual_seed(2)
G = torch.jit.script(nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1)))
D = torch.jit.trace(nn.Sequential(nn.Linear(1, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1)), torch.zeros(4, 1))
og = torch.optim.Adam(G.parameters(), 1e-2, betas=(0.5, 0.9))
od = torch.optim.Adam(D.parameters(), 1e-2, betas=(0.5, 0.9))
gen = torch.Generator().manual_seed(3)
for i in range(3):
    real = torch.randn(16, 1, generator=gen) * 0.5 + 3
    fake = G(torch.randn(16, 2, generator=gen))
    ld = F.softplus(-D(real)).mean() + F.softplus(D(fake.detach())).mean()
    od.zero_grad()
    ld.backward()
    od.step()
    none_grad = all(p.grad is None or float(p.grad.abs().sum()) == 0 for p in G.parameters()) if i == 0 else None
    for p in D.parameters():
        p.requires_grad_(False)
    lg = F.softplus(-D(fake)).mean()
    og.zero_grad()
    lg.backward()
    og.step()
    for p in D.parameters():
        p.requires_grad_(True)
    print(i, g(ld), g(lg), none_grad)

print("reinforce")


class Policy(nn.Module):
    def __init__(self, n: int):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n))
        self.baseline = 0.0

    def forward(self, u: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
        p = self.logits.softmax(0)
        a = torch.searchsorted(p.cumsum(0).detach(), u).clamp(max=p.numel() - 1)
        return a, torch.log(p[a])

    @torch.jit.export
    def update_baseline(self, r: float) -> float:
        self.baseline = 0.9 * self.baseline + 0.1 * r
        return self.baseline


@torch.jit.script
def returns(r: List[float], gamma: float) -> torch.Tensor:
    out: List[float] = []
    acc = 0.0
    for i in range(len(r) - 1, -1, -1):
        acc = r[i] + gamma * acc
        out.insert(0, acc)
    return torch.tensor(out)


pol = torch.jit.script(Policy(4))
rew = torch.tensor([0.0, 0.2, 1.0, 0.1])
opt = torch.optim.SGD(pol.parameters(), 1.0)
gen = torch.Generator().manual_seed(5)
for i in range(40):
    a, lp = pol(torch.rand(16, generator=gen))
    r = rew[a]
    loss = -(lp * (r - pol.baseline)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    pol.update_baseline(float(r.mean()))
    if i < 3:
        print(a[:6].tolist(), g(loss), g(pol.baseline))
print(pol.logits.argmax().item(), pol.baseline > 0.5)
print([round(v, 4) for v in returns([1.0, 0.0, 2.0], 0.5).tolist()], returns([], 0.9).shape)

print("dqn")


@torch.jit.script
def td_loss(q: torch.Tensor, qn: torch.Tensor, a: torch.Tensor, r: torch.Tensor, done: torch.Tensor, gamma: float, double_q: bool) -> torch.Tensor:
    cur = q.gather(1, a.unsqueeze(1)).squeeze(1)
    with torch.no_grad():
        best = q.argmax(1) if double_q else qn.argmax(1)
        nxt = qn.gather(1, best[:, None])[:, 0]
        target = r + gamma * nxt * (~done).float()
    return F.smooth_l1_loss(cur, target)


q = torch.tensor([[1.0, 2.0], [0.5, -1.0]], requires_grad=True)
qn = torch.tensor([[0.0, -4.0], [9.0, 1.0]], requires_grad=True)
for dq in (False, True):
    q.grad = None
    l = td_loss(q, qn, torch.tensor([1, 0]), torch.tensor([1.0, 0.0]), torch.tensor([False, True]), 0.9, dq)
    l.backward()
    print(dq, g(l), q.grad.tolist(), qn.grad)
tgt = torch.jit.script(nn.Linear(2, 2))
onl = torch.jit.script(nn.Linear(2, 2))
with torch.no_grad():
    for tp, op in zip(tgt.parameters(), onl.parameters()):
        tp.lerp_(op, 1.0)
print(all(torch.allclose(a, b) for a, b in zip(tgt.state_dict().values(), onl.state_dict().values())))

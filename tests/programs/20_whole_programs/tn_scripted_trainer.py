import torch
import torch.nn as nn
import torch.nn.functional as F
from typing import Dict, List, Optional, Tuple


def r4(t):
    return [float("%.4g" % v) + 0.0 for v in t.detach().flatten().tolist()]


@torch.jit.script
class Momentum:
    def __init__(self, params: List[torch.Tensor], lr: float, mu: float):
        self.params = params
        self.lr = lr
        self.mu = mu
        self.vel: List[torch.Tensor] = []
        for p in params:
            self.vel.append(torch.zeros_like(p))
        self.t = 0

    def step(self, grads: List[torch.Tensor]) -> float:
        total = 0.0
        with torch.no_grad():
            for p, v, g in zip(self.params, self.vel, grads):
                v.mul_(self.mu).add_(g)
                p.sub_(v * self.lr)
                total += float(g.pow(2).sum())
        self.t += 1
        return total ** 0.5


@torch.jit.script
def adam_step(p: torch.Tensor, g: torch.Tensor, m: torch.Tensor, v: torch.Tensor, t: int, lr: float, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8):
    m.mul_(b1).add_(g, alpha=1 - b1)
    v.mul_(b2).addcmul_(g, g, value=1 - b2)
    mh = m / (1 - b1 ** t)
    vh = v / (1 - b2 ** t)
    p.addcdiv_(mh, vh.sqrt().add_(eps), value=-lr)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(3, 5)
        self.fc2 = nn.Linear(5, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc2(torch.celu(self.fc1(x)))


class Trainer(nn.Module):
    def __init__(self, model: nn.Module):
        super().__init__()
        self.model = model
        self.epoch = 0

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(self.model(x), y)

    @torch.jit.export
    def fit(self, x: torch.Tensor, y: torch.Tensor, epochs: int, bs: int, lr: float) -> Tuple[List[float], List[float]]:
        params = [self.model.fc1.weight, self.model.fc1.bias, self.model.fc2.weight, self.model.fc2.bias]
        opt = Momentum(params, lr, 0.9)
        losses: List[float] = []
        norms: List[float] = []
        for ep in range(epochs):
            tot = 0.0
            n = 0
            for xb, yb in zip(x.split(bs), y.split(bs)):
                loss = self.forward(xb, yb)
                grads: List[torch.Tensor] = []
                for g in torch.autograd.grad([loss], params):
                    if g is not None:
                        grads.append(g)
                norms.append(opt.step(grads))
                tot += float(loss) * xb.size(0)
                n += xb.size(0)
            losses.append(tot / n)
            self.epoch += 1
        return losses, norms

    @torch.jit.export
    def evaluate(self, x: torch.Tensor, y: torch.Tensor) -> Dict[str, float]:
        was = self.training
        self.train(False) if False else None
        with torch.no_grad():
            lo = self.model(x)
            pred = lo.argmax(1)
            out = {"acc": float((pred == y).float().mean()), "loss": float(F.cross_entropy(lo, y))}
        conf = torch.zeros(2, 2)
        for i in range(y.numel()):
            conf[int(y[i]), int(pred[i])] += 1
        out["tp"] = float(conf[1, 1])
        out["train"] = float(was)
        return out


gen = torch.Generator().manual_seed(4)
x = torch.randn(20, 3, generator=gen)
y = (x[:, 0] + x[:, 1] * x[:, 2] > 0).long()
torch.manual_seed(0)
try:
    tr = torch.jit.script(Trainer(Model()))
except Exception as e:
    print(type(e).__name__, [l for l in str(e).strip().splitlines() if l][0][:100])
    src = Trainer.evaluate
    tr = None


class Trainer2(Trainer):
    @torch.jit.export
    def evaluate(self, x: torch.Tensor, y: torch.Tensor) -> Dict[str, float]:
        with torch.no_grad():
            lo = self.model(x)
            pred = lo.argmax(1)
        conf = torch.zeros(2, 2)
        conf.index_put_((y, pred), torch.ones(y.numel()), accumulate=True)
        return {"acc": float((pred == y).float().mean()), "loss": float(F.cross_entropy(lo, y)), "tp": float(conf[1, 1]), "train": float(self.training)}


torch.manual_seed(0)
eager = Trainer2(Model())
tr = torch.jit.script(eager)
print({k: round(v, 4) for k, v in tr.evaluate(x, y).items()})
losses, norms = tr.fit(x, y, 6, 8, 0.05)
print([float("%.3g" % v) for v in losses], len(norms), [float("%.3g" % v) for v in norms[:3]])
print({k: round(v, 3) for k, v in tr.evaluate(x, y).items()}, tr.epoch)
print("eager shares parameters", torch.equal(eager.model.fc1.weight, tr.model.fc1.weight), eager.epoch)
tr.eval()
print(tr.evaluate(x, y)["train"])
with torch.no_grad():
    try:
        tr.fit(x, y, 1, 8, 0.1)
    except RuntimeError as e:
        print(type(e).__name__, str(e).strip().splitlines()[-1])

p = torch.tensor([1.0, -2.0, 3.0])
ref = nn.Parameter(p.clone())
opt = torch.optim.Adam([ref], 0.1)
m, v = torch.zeros(3), torch.zeros(3)
for t in range(1, 6):
    gr = 2 * p
    ref.grad = 2 * ref.detach()
    adam_step(p, gr, m, v, t, 0.1)
    opt.step()
print(r4(p), torch.allclose(p, ref, atol=1e-6))
mo = Momentum([torch.ones(2)], 0.5, 0.0)
print(mo.step([torch.tensor([3.0, 4.0])]), mo.params[0].tolist(), mo.t, mo.vel[0].tolist())


@torch.jit.script
def line_search(w: torch.Tensor, g: torch.Tensor, start: float, iters: int) -> Tuple[float, int]:
    step = start
    f0 = float((w ** 4).sum())
    k = 0
    while k < iters:
        f1 = float(((w - step * g) ** 4).sum())
        if f1 <= f0 - 1e-4 * step * float((g * g).sum()):
            break
        step *= 0.5
        k += 1
    return step, k


w = torch.tensor([1.0, 2.0], requires_grad=True)
(g,) = torch.autograd.grad((w ** 4).sum(), w)
print(line_search(w, g, 1.0, 20), line_search(w, -g, 1.0, 5))

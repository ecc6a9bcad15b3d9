import torch
import torch.nn as nn
import torch.nn.functional as F


def g(v):
    return float("%.3g" % float(v))


class MLP(nn.Module):
    def __init__(self, act: str):
        super().__init__()
        self.hidden = nn.ModuleList([nn.Linear(2, 8), nn.Linear(8, 8)])
        self.out = nn.Linear(8, 1)
        self.act = act

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.hidden:
            x = layer(x)
            if self.act == "tanh":
                x = torch.tanh(x)
            elif self.act == "silu":
                x = F.silu(x)
            else:
                x = F.leaky_relu(x, 0.1)
        return self.out(x).squeeze(-1)


@torch.jit.script
def huber(p: torch.Tensor, y: torch.Tensor, delta: float = 1.0) -> torch.Tensor:
    d = (p - y).abs()
    return torch.where(d < delta, 0.5 * d * d, delta * (d - 0.5 * delta)).mean()


def data():
    gen = torch.Generator().manual_seed(1)
    x = torch.rand(64, 2, generator=gen) * 2 - 1
    return x, (x[:, 0] * x[:, 1] > 0).float()


def run(act, make_opt, sched=None, steps=12, script=True, loss="bce"):
    torch.manual_seed(0)
    m = MLP(act)
    m = torch.jit.script(m) if script else torch.jit.trace(m, torch.zeros(1, 2))
    opt = make_opt(m)
    sc = sched(opt) if sched else None
    x, y = data()
    out, lrs = [], []
    for i in range(steps):
        opt.zero_grad()
        p = m(x)
        if loss == "bce":
            l = F.binary_cross_entropy_with_logits(p, y)
        elif loss == "huber":
            l = huber(p, y, 0.3)
        else:
            l = F.mse_loss(torch.sigmoid(p), y)
        l.backward()
        opt.step()
        if sc is not None:
            if isinstance(sc, torch.optim.lr_scheduler.ReduceLROnPlateau):
                sc.step(l.item())
            else:
                sc.step()
        lrs.append(opt.param_groups[0]["lr"])
        out.append(l.item())
    with torch.no_grad():
        acc = ((m(x) > 0).float() == y).float().mean().item()
    return [g(out[0]), g(out[len(out) // 2]), g(out[-1])], [g(v) for v in (lrs[0], lrs[5], lrs[-1])], g(acc)


O, S = torch.optim, torch.optim.lr_scheduler
print("sgd", run("tanh", lambda m: O.SGD(m.parameters(), 0.5)))
print("sgd mom", run("tanh", lambda m: O.SGD(m.parameters(), 0.1, momentum=0.9, nesterov=True, weight_decay=1e-3), lambda o: S.StepLR(o, 4, 0.5)))
print("adam", run("silu", lambda m: O.Adam(m.parameters(), 0.02), lambda o: S.ExponentialLR(o, 0.9)))
print("adam ams", run("silu", lambda m: O.Adam(m.parameters(), 0.02, amsgrad=True), loss="huber"))
print("adamw", run("leaky", lambda m: O.AdamW(m.parameters(), 0.02, weight_decay=0.1), lambda o: S.CosineAnnealingLR(o, 12)))
print("rmsprop", run("leaky", lambda m: O.RMSprop(m.parameters(), 0.01, centered=True), lambda o: S.LambdaLR(o, lambda e: 1 / (1 + e))))
print("adagrad", run("tanh", lambda m: O.Adagrad(m.parameters(), 0.1), lambda o: S.MultiStepLR(o, [3, 7], 0.1)))
print("adadelta", run("tanh", lambda m: O.Adadelta(m.parameters(), 1.0), loss="mse"))
print("nadam", run("tanh", lambda m: O.NAdam(m.parameters(), 0.02), lambda o: S.OneCycleLR(o, 0.05, total_steps=12)))
print("plateau", run("tanh", lambda m: O.SGD(m.parameters(), 5.0), lambda o: S.ReduceLROnPlateau(o, patience=1, factor=0.2)))
print("warmup", run("silu", lambda m: O.Adam(m.parameters(), 0.05), lambda o: S.SequentialLR(o, [S.LinearLR(o, 0.1, 1.0, 4), S.ConstantLR(o, 0.5, 4)], [4])))
print("traced", run("tanh", lambda m: O.SGD(m.parameters(), 0.5), script=False))
print("cyclic", run("tanh", lambda m: O.SGD(m.parameters(), 0.1, momentum=0.5), lambda o: S.CyclicLR(o, 0.01, 0.3, step_size_up=3, cycle_momentum=False)))

a = run("tanh", lambda m: O.SGD([{"params": getattr(m.hidden, "0").parameters(), "lr": 0.0}, {"params": getattr(m.hidden, "1").parameters()}, {"params": m.out.parameters(), "weight_decay": 0.5}], 0.3))
print("groups", a)
m = torch.jit.script(MLP("tanh"))
opt = O.Adam(m.parameters(), 1e-3)
m(torch.ones(2, 2)).sum().backward()
opt.step()
sd = opt.state_dict()
print(sorted(sd), len(sd["state"]), sorted(sd["state"][0]), sd["param_groups"][0]["params"], float(sd["state"][0]["step"]))
print("lbfgs", end=" ")
w = nn.Parameter(torch.tensor([3.0, -2.0]))
rosen = torch.jit.script(MLP("tanh"))
lb = O.LBFGS([w], lr=0.5, max_iter=30, line_search_fn="strong_wolfe")


@torch.jit.script
def bowl(w: torch.Tensor) -> torch.Tensor:
    return (w[0] - 1) ** 2 * 3 + (w[1] + 0.5) ** 4


def closure():
    lb.zero_grad()
    l = bowl(w)
    l.backward()
    return l


lb.step(closure)
print([round(v, 1) for v in w.tolist()], bool(closure() < 1e-2))

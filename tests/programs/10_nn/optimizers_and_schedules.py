# Optimisers, their options and refusals, and schedules of learning rates.
import copy
import math
import torch
import torch.nn as nn
from torch import optim
from torch.optim import lr_scheduler as S
from torch.optim.swa_utils import AveragedModel, SWALR, get_ema_multi_avg_fn, update_bn

torch.set_printoptions(precision=4, linewidth=110)


def err(name, fn):
    try:
        r = fn()
        print(f"{name}: no error -> {type(r).__name__}")
    except Exception as e:
        print(f"{name}: {type(e).__name__}: {(str(e).splitlines() or [''])[0]}")


def rosen(p):
    return (1 - p[0]) ** 2 + 10 * (p[1] - p[0] ** 2) ** 2


print("== trajectories")
cfgs = [
    (optim.SGD, dict(lr=0.01)), (optim.SGD, dict(lr=0.01, momentum=0.9, dampening=0.1, weight_decay=0.1)), (optim.SGD, dict(lr=0.005, momentum=0.8, nesterov=True)), (optim.SGD, dict(lr=0.0005, maximize=True)),
    (optim.Adam, dict(lr=0.05)), (optim.Adam, dict(lr=0.05, amsgrad=True, betas=(0.8, 0.9), eps=1e-4, weight_decay=0.01)), (optim.Adam, dict(lr=torch.tensor(0.05), foreach=False)), (optim.AdamW, dict(lr=0.05, weight_decay=0.2)),
    (optim.AdamW, dict(lr=0.05, fused=True)), (optim.Adamax, dict(lr=0.05)), (optim.NAdam, dict(lr=0.05, momentum_decay=0.01)), (optim.NAdam, dict(lr=0.05, decoupled_weight_decay=True, weight_decay=0.1)), (optim.RAdam, dict(lr=0.05)),
    (optim.Adagrad, dict(lr=0.1, lr_decay=0.01, initial_accumulator_value=0.1)), (optim.Adadelta, dict(lr=1.0, rho=0.8)), (optim.RMSprop, dict(lr=0.02)), (optim.RMSprop, dict(lr=0.02, centered=True, momentum=0.5, alpha=0.9)),
    (optim.Rprop, dict(lr=0.05, etas=(0.4, 1.3), step_sizes=(1e-4, 1.0))), (optim.ASGD, dict(lr=0.01, lambd=1e-3)), (optim.Adafactor, dict(lr=0.1)), (optim.Muon, dict(lr=0.02)) if hasattr(optim, "Muon") else (optim.SGD, dict(lr=0.1)),
]
for cls, kw in cfgs:
    w = torch.tensor([-1.2, 1.0], requires_grad=True)
    if cls.__name__ == "Muon":
        w = torch.tensor([[-1.2, 1.0], [0.5, 0.2]], requires_grad=True)
    opt = cls([w], **kw)
    traj = []
    for i in range(12):
        opt.zero_grad()
        loss = rosen(w.view(-1)[:2]) + (w.view(-1)[2:] ** 2).sum()
        loss.backward()
        opt.step()
        if i in (0, 1, 5, 11):
            traj.append([round(v, 4) for v in w.detach().view(-1).tolist()])
    print(cls.__name__, {k: (float(v) if torch.is_tensor(v) else v) for k, v in kw.items()}, traj)
    st = opt.state_dict()
    print("   ", {k: (tuple(v.shape), v.dtype) if torch.is_tensor(v) else v for k, v in st["state"].get(0, {}).items()}, sorted(k for k in st["param_groups"][0]))
w = torch.tensor([-1.2, 1.0], requires_grad=True)
for ls in (None, "strong_wolfe"):
    w = torch.tensor([-1.2, 1.0], requires_grad=True)
    opt = optim.LBFGS([w], lr=0.1 if ls is None else 1, max_iter=6, history_size=4, line_search_fn=ls)
    calls = 0

    def closure():
        global calls
        calls += 1
        opt.zero_grad()
        loss = rosen(w)
        loss.backward()
        return loss

    losses = [round(opt.step(closure).item(), 3) for _ in range(3)]
    print("LBFGS", ls, losses, calls, w.detach(), opt.state[w]["n_iter"])

print("== reprs, groups, state")
net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
opt = optim.SGD([{"params": net[0].parameters(), "lr": 0.5}, {"params": [net[1].weight], "name": "w"}, {"params": [net[1].bias], "weight_decay": 0.3}], lr=0.1, momentum=0.9)
print(opt)
print(optim.AdamW(net.named_parameters(), 1e-3))
print([len(g["params"]) for g in opt.param_groups], opt.defaults["momentum"], opt.state_dict()["param_groups"][1]["params"])
opt.add_param_group({"params": torch.zeros(1, requires_grad=True), "lr": 9.0})
print(len(opt.param_groups), opt.param_groups[-1]["lr"], opt.state_dict()["param_groups"][-1]["params"])
print(optim.AdamW(net.named_parameters()).state_dict()["param_groups"][0].get("param_names"))
torch.manual_seed(0)
net = nn.Linear(2, 1)
opt = optim.Adam(net.parameters(), 0.1)
x, y = torch.randn(8, 2), torch.randn(8, 1)


def train(n, net, opt):
    for _ in range(n):
        opt.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        opt.step()
    return [round(v, 4) for v in net.weight.flatten().tolist()]


train(3, net, opt)
ck = copy.deepcopy((net.state_dict(), opt.state_dict()))
a = train(3, net, opt)
net2 = nn.Linear(2, 1)
net2.load_state_dict(ck[0])
opt2 = optim.Adam(net2.parameters(), 0.7)
opt2.load_state_dict(ck[1])
print("resume equal", a == train(3, net2, opt2), opt2.param_groups[0]["lr"], opt2.state[net2.weight]["step"])
opt.zero_grad(set_to_none=False)
print(net.weight.grad, opt.zero_grad(), net.weight.grad)
log = []
h1 = opt.register_step_pre_hook(lambda o, a, k: log.append("pre"))
h2 = opt.register_step_post_hook(lambda o, a, k: log.append("post"))
opt.register_state_dict_post_hook(lambda o, sd: sd.update(extra=1) or sd)
opt.register_load_state_dict_pre_hook(lambda o, sd: log.append(sorted(sd)))
train(1, net, opt)
h1.remove()
train(1, net, opt)
opt.load_state_dict(opt.state_dict())
print(log)
frozen = [torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)]
o = optim.SGD(frozen, 0.1)
frozen[0].grad = torch.ones(1)
print(o.step(lambda: torch.tensor(3.0)), frozen, len(o.state))

print("== schedulers")


def mk():
    return optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0, momentum=0.9)


mks = {
    "StepLR": lambda o: S.StepLR(o, 3, gamma=0.5), "MultiStepLR": lambda o: S.MultiStepLR(o, [2, 5, 5], gamma=0.1), "ConstantLR": lambda o: S.ConstantLR(o, 0.25, 4), "LinearLR": lambda o: S.LinearLR(o, 0.2, 0.8, 4),
    "ExponentialLR": lambda o: S.ExponentialLR(o, 0.9), "PolynomialLR": lambda o: S.PolynomialLR(o, 6, power=2.0), "CosineAnnealingLR": lambda o: S.CosineAnnealingLR(o, 4, eta_min=0.1), "CosineWarmRestarts": lambda o: S.CosineAnnealingWarmRestarts(o, 2, T_mult=2),
    "LambdaLR": lambda o: S.LambdaLR(o, lambda e: 1 / math.sqrt(e + 1)), "MultiplicativeLR": lambda o: S.MultiplicativeLR(o, lambda e: 0.95), "CyclicLR": lambda o: S.CyclicLR(o, 0.1, 1.0, step_size_up=3, mode="triangular2"), "CyclicExp": lambda o: S.CyclicLR(o, 0.1, 1.0, 2, 4, mode="exp_range", gamma=0.9),
    "OneCycleLR": lambda o: S.OneCycleLR(o, 2.0, total_steps=9, pct_start=0.4), "OneCycle3": lambda o: S.OneCycleLR(o, 2.0, epochs=3, steps_per_epoch=3, anneal_strategy="linear", three_phase=True),
    "Sequential": lambda o: S.SequentialLR(o, [S.LinearLR(o, 0.1, 1.0, 3), S.ExponentialLR(o, 0.5)], milestones=[3]), "Chained": lambda o: S.ChainedScheduler([S.ConstantLR(o, 0.1, 2), S.ExponentialLR(o, 0.9)]), "SWALR": lambda o: SWALR(o, swa_lr=0.05, anneal_epochs=4),
}
for name, f in mks.items():
    o = mk()
    s = f(o)
    seq, mom = [], []
    for _ in range(8):
        seq.append(round(float(o.param_groups[0]["lr"]), 4))
        mom.append(round(o.param_groups[0]["momentum"], 4))
        o.step()
        s.step()
    print(name, seq, mom if len(set(mom)) > 1 else "", [round(float(v), 4) for v in s.get_last_lr()], s.last_epoch if hasattr(s, "last_epoch") else None)
    sd = s.state_dict()
    o2 = mk()
    s2 = f(o2)
    try:
        s2.load_state_dict(sd)
        print("   ", sorted(k for k in sd if not k.startswith("_"))[:8], getattr(s2, "last_epoch", None))
    except Exception as e:
        print("   load", type(e).__name__)
o = mk()
s = S.ReduceLROnPlateau(o, factor=0.5, patience=1, threshold=0.01, cooldown=1, min_lr=0.2)
seq = []
for m in (1.0, 0.9, 0.9, 0.9, 0.9, 0.9, 0.95, 0.5, 0.5, 0.5, 0.5, 0.5):
    s.step(m)
    seq.append(o.param_groups[0]["lr"])
print("Plateau", seq, s.best, s.num_bad_epochs, s.mode, s.get_last_lr())
og = optim.SGD([{"params": [torch.zeros(1)], "lr": 0.1}, {"params": [torch.zeros(1)], "lr": 1.0}], lr=5.0)
sg = S.LambdaLR(og, [lambda e: 0.5 ** e, lambda e: 1.0 + e])
for _ in range(2):
    og.step()
    sg.step()
print([round(g["lr"], 4) for g in og.param_groups], [g["initial_lr"] for g in og.param_groups], sg.base_lrs, sg.get_last_lr())

print("== SWA / EMA")
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
sw, ema = AveragedModel(m), AveragedModel(m, multi_avg_fn=get_ema_multi_avg_fn(0.5))
for k in range(3):
    with torch.no_grad():
        m[0].weight.fill_(float(k))
    sw.update_parameters(m)
    ema.update_parameters(m)
print(sw.module[0].weight, ema.module[0].weight, sw.n_averaged, list(sw.state_dict())[:3])
update_bn([torch.randn(4, 2), torch.randn(4, 2)], sw)
print(sw.module[1].num_batches_tracked, sw(torch.ones(2, 2)).shape)

print("== errors")
p = [torch.zeros(2, requires_grad=True)]
err("empty", lambda: optim.SGD([], 0.1))
err("lr neg", lambda: optim.SGD(p, -1))
err("no lr adam ok", lambda: optim.Adam(p))
err("betas", lambda: optim.Adam(p, betas=(1.0, 0.9)))
err("eps", lambda: optim.AdamW(p, eps=-1))
err("nesterov", lambda: optim.SGD(p, 0.1, nesterov=True))
err("tensor", lambda: optim.SGD(torch.zeros(2, requires_grad=True), 0.1))
err("non leaf", lambda: optim.SGD([p[0] * 2], 0.1))
err("not tensor", lambda: optim.SGD([1.0], 0.1))
err("dup group", lambda: optim.SGD([{"params": p}, {"params": p}], 0.1))
err("set", lambda: optim.SGD([{"params": {p[0]}}], 0.1))
err("closure", lambda: optim.LBFGS(p).step())
err("load groups", lambda: optim.SGD(p, 0.1).load_state_dict(opt.state_dict()))
err("lbfgs groups", lambda: optim.LBFGS([{"params": p}, {"params": [torch.zeros(1)]}]))
err("fused foreach", lambda: optim.Adam(p, fused=True, foreach=True))
err("rho", lambda: optim.Adadelta(p, rho=2.0))
err("sched type", lambda: S.StepLR(net, 3))
err("last_epoch", lambda: S.StepLR(mk(), 3, last_epoch=4))
err("milestones", lambda: S.MultiStepLR(mk(), [5, 2]).step())
err("lambda count", lambda: S.LambdaLR(mk(), [lambda e: 1, lambda e: 1]))
err("onecycle steps", lambda: S.OneCycleLR(mk(), 1.0))
err("onecycle past", lambda: [s_.step() for s_ in [S.OneCycleLR(mk(), 1.0, total_steps=2)] for _ in range(3)])
err("plateau no metric", lambda: S.ReduceLROnPlateau(mk()).step())
err("plateau factor", lambda: S.ReduceLROnPlateau(mk(), factor=1.5))
err("warm T_0", lambda: S.CosineAnnealingWarmRestarts(mk(), 0))
err("cyclic mom", lambda: S.CyclicLR(optim.Adagrad(p), 0.1, 1.0))
err("seq milestones", lambda: S.SequentialLR(o, [S.ExponentialLR(o, 0.9)], [1, 2]))
err("linear factor", lambda: S.LinearLR(mk(), 1.5))

# schedules of learning rates, and their state
import torch

L = torch.optim.lr_scheduler
schedules = {
    "step": lambda o: L.StepLR(o, 2),
    "multistep": lambda o: L.MultiStepLR(o, [1, 3]),
    "exponential": lambda o: L.ExponentialLR(o, 0.9),
    "cosine": lambda o: L.CosineAnnealingLR(o, 4, eta_min=0.1),
    "lambda": lambda o: L.LambdaLR(o, lambda e: 1 / (e + 1)),
    "multiplicative": lambda o: L.MultiplicativeLR(o, lambda e: 0.9),
    "linear": lambda o: L.LinearLR(o, 0.5, total_iters=3),
    "constant": lambda o: L.ConstantLR(o, 0.5, 2),
    "polynomial": lambda o: L.PolynomialLR(o, 4, 2.0),
    "restarts": lambda o: L.CosineAnnealingWarmRestarts(o, 2, 2),
    "onecycle": lambda o: L.OneCycleLR(o, 1.0, 9, three_phase=True),
    "cyclic": lambda o: L.CyclicLR(o, 0.1, 1.0, 2, mode="triangular2"),
    "sequential": lambda o: L.SequentialLR(o, [L.ConstantLR(o, 0.1, 2), L.ExponentialLR(o, 0.9)], [2]),
    "chained": lambda o: L.ChainedScheduler([L.ConstantLR(o, 0.1, 2), L.ExponentialLR(o, 0.9)]),
}
for name, make in schedules.items():
    p = torch.nn.Parameter(torch.ones(1))
    opt = torch.optim.SGD([p], lr=1.0, momentum=0.9)
    s = make(opt)
    rates = []
    for _ in range(8):
        rates.append(round(opt.param_groups[0]["lr"], 5))
        opt.step()
        s.step()
    print(name, rates, [round(x, 5) for x in s.get_last_lr()], s.last_epoch if name != "chained" else "")
opt = torch.optim.SGD([p], lr=1.0)
s = L.ReduceLROnPlateau(opt, patience=1, cooldown=1, factor=0.5)
for loss in [3.0, 3.0, 3.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0]:
    s.step(loss)
    print(round(opt.param_groups[0]["lr"], 5), end=" ")
print()
adam = torch.optim.Adam([{"params": [p]}, {"params": [torch.nn.Parameter(torch.zeros(2))], "lr": 0.5}], lr=0.1)
(p * 2).sum().backward()
adam.step()
state = adam.state_dict()
print(state["state"].keys(), sorted(state["state"][0]), [g["params"] for g in state["param_groups"]])
other = torch.optim.Adam([{"params": [p]}, {"params": [torch.nn.Parameter(torch.zeros(2))]}])
other.load_state_dict(state)
print([g["lr"] for g in other.param_groups], other.state[p]["exp_avg"], other.state[p]["step"])
print(adam)

# every optimiser takes the same steps
import torch

def run(make, steps=6):
    torch.manual_seed(3)
    m = torch.jit.script(torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1)))
    x, y = torch.randn(8, 3), torch.randn(8, 1)
    opt = make(m.parameters())
    def closure():
        opt.zero_grad()
        loss = torch.nn.functional.mse_loss(m(x), y)
        loss.backward()
        return loss
    return [round(float(opt.step(closure)), 2) for _ in range(steps)]

O = torch.optim
cases = {
    "sgd": lambda p: O.SGD(p, lr=0.1),
    "momentum": lambda p: O.SGD(p, lr=0.1, momentum=0.9, dampening=0.1, weight_decay=0.01),
    "nesterov": lambda p: O.SGD(p, lr=0.1, momentum=0.9, nesterov=True),
    "maximize": lambda p: O.SGD(p, lr=0.01, maximize=True),
    "adam": lambda p: O.Adam(p, lr=0.05),
    "adam_decay": lambda p: O.Adam(p, lr=0.05, weight_decay=0.1, amsgrad=True),
    "adamw": lambda p: O.AdamW(p, lr=0.05, weight_decay=0.1),
    "adamax": lambda p: O.Adamax(p, lr=0.05, weight_decay=0.1),
    "nadam": lambda p: O.NAdam(p, lr=0.05, weight_decay=0.1),
    "radam": lambda p: O.RAdam(p, lr=0.05, weight_decay=0.1),
    "rmsprop": lambda p: O.RMSprop(p, lr=0.01, momentum=0.5, centered=True, weight_decay=0.1),
    "adagrad": lambda p: O.Adagrad(p, lr=0.1, lr_decay=0.1, weight_decay=0.1),
    "adadelta": lambda p: O.Adadelta(p, lr=1.0, weight_decay=0.1),
    "rprop": lambda p: O.Rprop(p, lr=0.01),
    "asgd": lambda p: O.ASGD(p, lr=0.1, t0=2, weight_decay=0.1),
    "lbfgs": lambda p: O.LBFGS(p, lr=0.5, max_iter=4),
    "wolfe": lambda p: O.LBFGS(p, max_iter=4, line_search_fn="strong_wolfe"),
}
for name, make in cases.items():
    print(name, run(make))

# What schedules warn of: their order, epochs, rates that are asked for; and what data, gradients and flags refuse to be set to.
import warnings

import torch
from torch import nn
from torch.optim import lr_scheduler as LR
warnings.simplefilter("always")


def err(label, f):
    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter("always")
        try:
            print(label, "ok", f())
        except Exception as e:
            print(label, type(e).__name__, str(e)[:400])
    for i in w:
        print("   ", i.category.__name__, str(i.message))


def mk():
    return torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=.1)


err("order", lambda: LR.StepLR(mk(), 1).step())
err("epoch", lambda: (lambda o: (o.step(), LR.StepLR(o, 1).step(3)))(mk()))


def seq():
    o = mk()
    s = LR.StepLR(o, 1)
    s.step()
    s.step()


err("twice", seq)


def seq():
    o = mk()
    s = LR.ExponentialLR(o, .5)
    o.step()
    s.step(5)
    s.step(2)
    return s.get_last_lr()


err("exp", seq)


def seq():
    o = mk()
    s = LR.ReduceLROnPlateau(o)
    s.step(1.)
    s.step(1., 3)
    return s.last_epoch


err("plateau", seq)


def seq():
    o = mk()
    s = LR.CosineAnnealingWarmRestarts(o, 3)
    s.step()
    s.step(.5)
    return s.get_last_lr()


err("warm", seq)


def seq():
    o = mk()
    s = LR.StepLR(o, 1)
    o.step = lambda: None
    o.step()
    s.step()


err("overridden2", seq)


def seq():
    o = mk()
    s = LR.StepLR(o, 1)
    return s.get_lr()


err("get_lr", seq)


def seq():
    o = mk()
    s = LR.SequentialLR(o, [LR.ConstantLR(o, .1, 2), LR.ExponentialLR(o, .9)], [2])
    o.step()
    s.step()
    s.step()
    return s.get_last_lr()


err("seq", seq)


def seq():
    o = mk()
    s = LR.ChainedScheduler([LR.ConstantLR(o, .1, 2), LR.ExponentialLR(o, .9)])
    s.step()
    return s.get_last_lr()


err("chained", seq)
for n, f in {"lin": lambda o: LR.LinearLR(o), "lam": lambda o: LR.LambdaLR(o, lambda e: .5), "mult": lambda o: LR.MultiplicativeLR(o, lambda e: .5), "multi": lambda o: LR.MultiStepLR(o, [1]), "poly": lambda o: LR.PolynomialLR(o), "cos": lambda o: LR.CosineAnnealingLR(o, 3), "one": lambda o: LR.OneCycleLR(o, .1, 10), "cyc": lambda o: LR.CyclicLR(o, .1, 1., cycle_momentum=False)}.items():
    def seq():
        o = mk()
        s = f(o)
        o.step()
        s.step()
        s.get_lr()
        return s.get_last_lr(), s._step_count
    err(n, seq)
    def seq():
        o = mk()
        s = f(o)
        o.step()
        s.step(2)
        return s.get_last_lr()
    err(n, seq)


m = nn.Parameter(torch.ones(2))


def sd(v):
    m.data = v


for v in ([1.], 3, None, "a", 2.5, torch.ones(2, dtype=torch.int64), torch.ones(3), (1,)):
    err(repr(v), lambda: sd(v))


def sg(v):
    m.grad = v


for v in ([1.], 3, None, "a"):
    err(repr(v), lambda: sg(v))


t = torch.ones(2)


def sd(v):
    t.data = v


for v in ([1.], 3, None, "a", nn):
    err(repr(v)[:9], lambda: sd(v))


def sd(v):
    t.requires_grad = v


for v in ([1.], 3, None, "a"):
    err(repr(v)[:9], lambda: sd(v))

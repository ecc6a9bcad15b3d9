# Schedules asked for rates before their first step, schedules in a row that step before the optimiser, functions that are none
import warnings
import torch
from torch.optim import lr_scheduler as L
def go(tag, make, plan):
    o = torch.optim.SGD([torch.ones(1, requires_grad=True)], 0.1)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        s, rates = make(o), []
        for c in plan:
            if c == "o": o.step()
            if c == "s": s.step(); rates.append(round(o.param_groups[0]["lr"], 6))
            if c == "g": rates.append([round(x, 6) for x in s.get_lr()])
    print(tag, plan, rates, s.last_epoch, getattr(s, "_step_count", None), [str(w.message)[:40] for w in told])
falls = lambda o: L.MultiplicativeLR(o, lambda e: 0.5 + e * 0.01)
ONE = {
    "exponential": lambda o: L.ExponentialLR(o, 0.9), "polynomial": lambda o: L.PolynomialLR(o, 4), "cosine": lambda o: L.CosineAnnealingLR(o, 4),
    "multiplicative": falls, "steps": lambda o: L.StepLR(o, 2), "linear": lambda o: L.LinearLR(o),
}
ROWS = {
    "constant, exponential": lambda o: L.SequentialLR(o, [L.ConstantLR(o, 0.1, 2), L.ExponentialLR(o, 0.9)], [2]),
    "three": lambda o: L.SequentialLR(o, [L.ConstantLR(o, 0.1, 2), L.ExponentialLR(o, 0.9), L.StepLR(o, 1)], [1, 3]),
    "exponential, polynomial": lambda o: L.SequentialLR(o, [L.ExponentialLR(o, 0.9), L.PolynomialLR(o, 3)], [2]),
    "multiplicative first": lambda o: L.SequentialLR(o, [falls(o), L.ConstantLR(o, 0.1, 2)], [2]),
    "multiplicative last": lambda o: L.SequentialLR(o, [L.ConstantLR(o, 0.1, 2), falls(o)], [2]),
    "cosines": lambda o: L.SequentialLR(o, [L.CosineAnnealingLR(o, 4), L.CosineAnnealingLR(o, 3)], [2]),
}
for name, make in ONE.items():
    for plan in ("gosgosg", "ss"):
        go(name, make, plan)
for name, make in ROWS.items():
    for plan in ("ssss", "soso", "osososos"):
        go(name, make, plan)
print([c.__name__ for c in L.MultiplicativeLR.__mro__])
for given in (3, "a", [lambda e: 1, lambda e: 2]):
    try: L.MultiplicativeLR(torch.optim.SGD([torch.ones(1)], 0.1), given)
    except Exception as e: print("<<%s>>" % type(e).__name__); print(e); print("<<end>>")

# Optimisers: complex parameters as pairs of numbers, steps that gradients go through, `_init_group` and the functional forms.
import pickle

import torch
import torch.nn as nn
from torch.optim import lr_scheduler as S
from torch.optim.adam import adam
from torch.optim.rmsprop import rmsprop
from torch.optim.sgd import sgd

T = torch.tensor
torch.set_printoptions(precision=3, sci_mode=False)


def tried(name, call):
    try:
        print(name, call())
    except Exception as e:
        print(f"<<{type(e).__name__}>>\nmessage {e}\n<<end>>")


ALL = ("SGD", "Adam", "AdamW", "NAdam", "RAdam", "Adagrad", "Adadelta", "Adamax", "RMSprop", "Rprop", "ASGD", "Adafactor")


def complex_steps(name, **options):
    p = nn.Parameter(T([1 + 1j, 2 - 1j]))
    o = getattr(torch.optim, name)([p], lr=0.1, **options)
    for _ in range(2):
        o.zero_grad()
        (p.real**2 + 3 * p.imag).sum().backward()
        o.step()
    return torch.view_as_real(p.data), {k: v.dtype for k, v in sorted(o.state[p].items())}


for name in ALL:
    tried(name, lambda: complex_steps(name))
tried("amsgrad", lambda: complex_steps("AdamW", amsgrad=True))
tried("centered", lambda: complex_steps("RMSprop", centered=True, momentum=0.5)[1])


def lbfgs():
    p = nn.Parameter(T([1 + 1j]))
    o = torch.optim.LBFGS([p], lr=0.5, max_iter=3)

    def closure():
        o.zero_grad()
        loss = (p.real - 2) ** 2 + (p.imag + 1) ** 2
        loss.sum().backward()
        return loss

    o.step(closure)
    return torch.view_as_real(p.data)


tried("lbfgs", lbfgs)


def through(name, lr_grad, **options):
    w0 = T([1.0, 2.0], requires_grad=True)
    lr = T(0.1, requires_grad=True) if lr_grad else 0.1
    w = w0.clone()
    o = getattr(torch.optim, name)([w], lr=lr, differentiable=True, **options)
    for i in range(2):
        w.grad = w0 * 2 * (i + 1)
        o.step()
    (w**2).sum().backward()
    return w.grad_fn.name(), w.data, w0.grad, lr.grad if lr_grad else None


for name in ("SGD", "Adam", "AdamW", "NAdam", "RAdam", "Adagrad", "Adadelta", "RMSprop", "ASGD"):
    tried(name, lambda: through(name, False))
for name in ("SGD", "Adam", "AdamW", "RAdam"):
    tried(name, lambda: through(name, True))
tried("decay", lambda: through("SGD", True, weight_decay=0.1, maximize=True))


def on_leaf(name, **options):
    p = nn.Parameter(torch.ones(1))
    p.grad = torch.ones(1)
    getattr(torch.optim, name)([p], **options).step()
    return p.data


for name in ("Adam", "NAdam", "ASGD", "Adadelta"):
    tried(name, lambda: on_leaf(name, differentiable=True))
    tried(name, lambda: on_leaf(name, capturable=True))
    tried(name, lambda: on_leaf(name, foreach=True, differentiable=True))
tried("fused", lambda: on_leaf("Adam", fused=True, differentiable=True))


class Signed(torch.optim.Adam):
    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            params, grads, means, squares, largest, steps = [], [], [], [], [], []
            print("complex", self._init_group(group, params, grads, means, squares, largest, steps), len(largest))
            for p, g, m, n in zip(params, grads, means, steps):
                n += 1
                m.lerp_(g, 0.5)
                p.sub_(m.sign() * group["lr"])


p, q = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(1))
o = Signed([p, q], lr=0.25)
p.grad = T([1.0, -1.0])
o.step()
print(p.data, q.data, o.state[p]["step"], [b.__name__ for b in Signed.__mro__])

p, g = torch.ones(2), T([0.5, -2.0])
state = [[torch.zeros(2)], [torch.zeros(2)], [], [T(0.0)]]
adam([p], [g], *state, amsgrad=False, beta1=0.9, beta2=0.99, lr=0.1, weight_decay=0.0, eps=1e-8, maximize=False)
print(p, state[0], state[3])
buffers = [None]
for _ in range(2):
    sgd([p], [g], buffers, weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0.0, nesterov=True, maximize=False)
print(p, buffers)
squares = [torch.zeros(2)]
rmsprop([p], [g], squares, [], [], [T(0.0)], lr=0.1, alpha=0.9, eps=1e-8, weight_decay=0, momentum=0, centered=False)
print(p, squares)
tried("steps", lambda: torch.optim._functional.adam(
    [p], [g], [p * 0], [p * 0], [], [1], amsgrad=False, beta1=0.9, beta2=0.99, lr=0.1, weight_decay=0.0, eps=1e-8, maximize=False))

# Schedules.
one = lambda: torch.optim.SGD([nn.Parameter(torch.ones(1))], 0.1, 0.9)  # noqa: E731
s = S.CyclicLR(one(), 0.1, 0.2, scale_fn=lambda x: 1.0)
state = s.state_dict()
print(sorted(state), state["_scale_fn_custom"], len(pickle.dumps(state)) > 0)
s.load_state_dict(state)
print(sorted(state))
s = S.CosineAnnealingWarmRestarts(one(), 2)
s.step()
print(s._step_count, S._LRScheduler.__mro__[:2], list(S.ReduceLROnPlateau(one()).state_dict()))
tried("other", lambda: S.SequentialLR(o, [S.StepLR(one(), 1), S.StepLR(o, 1)], [1]))
tried("names", lambda: torch.optim.SGD([("w", q), q], 0.1))

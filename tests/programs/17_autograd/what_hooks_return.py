# What hooks of tensors return has the sizes and the type of the gradient; and a switch for threads of runs backwards.
import torch


class Doubled:
    def __call__(self, gradient):
        return gradient.double()


def halves(gradient):
    return gradient[:1]


for hook in (halves, Doubled(), lambda g: g.sum(), lambda g: g.expand(3, 2), lambda g: 3, lambda g: (g,), lambda g: g * 2, lambda g: None):
    for made in (lambda t: t, lambda t: t * 2):
        leaf = torch.ones(2, requires_grad=True)
        hooked = made(leaf)
        hooked.register_hook(hook)
        try:
            hooked.sum().backward()
            print(leaf.grad)
        except (RuntimeError, TypeError) as problem:
            print(type(problem).__name__, problem)

with torch.autograd.set_multithreading_enabled(False) as nothing:
    print(nothing)
    leaf.sum().backward()


@torch.autograd.set_multithreading_enabled(True)
def backward():
    leaf.sum().backward()


backward()
print(leaf.grad, isinstance(torch.autograd.set_multithreading_enabled(True).clone(), torch.autograd.grad_mode.set_multithreading_enabled))

# Hooks that see a leaf after its gradient was added to, and the handles of hooks
import torch


def attempt(name, function):
    try:
        print(name, function())
    except Exception as error:
        print(name, type(error).__name__, error)


leaf = torch.ones(2, requires_grad=True)
handle = leaf.register_post_accumulate_grad_hook(lambda p: print("added", p is leaf, p.grad))
print(type(handle))
leaf.register_hook(lambda g: print("gradient", g))
(leaf * 2).sum().backward()
torch.autograd.grad((leaf * 2).sum(), leaf)
handle.remove()
handle.remove()
(leaf * 3).sum().backward()
with leaf.register_post_accumulate_grad_hook(lambda p: print("within", p.grad)):
    leaf.sum().backward()
leaf.sum().backward()
attempt("no gradient", lambda: torch.ones(2).register_post_accumulate_grad_hook(print))
attempt("no leaf", lambda: (leaf * 2).register_post_accumulate_grad_hook(print))
for answer in (torch.ones(2), "x", None):
    other = torch.ones(2, requires_grad=True)
    other.register_post_accumulate_grad_hook(lambda p: answer)
    attempt("answer", lambda: other.sum().backward())
    print(other.grad)
model = torch.nn.Linear(2, 1)
steps = {p: torch.optim.SGD([p], 0.1) for p in model.parameters()}


def step(p):
    steps[p].step()
    steps[p].zero_grad()


for p in model.parameters():
    p.register_post_accumulate_grad_hook(step)
before = model.weight.detach().clone()
model(torch.ones(1, 2)).sum().backward()
print(torch.allclose(before - 0.1, model.weight), model.weight.grad)
attempt("zeros", lambda: torch.zeros(2, -1))

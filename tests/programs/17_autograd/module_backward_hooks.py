# module backward hooks
import torch
m = torch.nn.Linear(2, 2)
with torch.no_grad(): m.weight.fill_(1.0); m.bias.zero_()
def hook(mod, gi, go): print(type(mod).__name__, [g if g is None else g.tolist() for g in gi], [g.tolist() for g in go])
h = m.register_full_backward_hook(hook)
x = torch.ones(1, 2, requires_grad=True)
m(x).sum().backward()
h.remove()
p = m.register_full_backward_pre_hook(lambda mod, go: (go[0] * 2,))
x.grad = None
m(x).sum().backward()
print(x.grad)
p.remove()
m.zero_grad()
print([q.grad for q in m.parameters()])
m.requires_grad_(False)
print([q.requires_grad for q in m.parameters()])

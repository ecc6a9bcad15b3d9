"""Views made while gradients are not recorded: they require gradients as their base does, and may not be written outside."""
import torch


def attempt(name, make):
    try:
        print(name, make())
    except RuntimeError as error:
        print(name)
        print(f"<<{type(error).__name__}>>\n{error}\n<<end>>")


def told(name, t):
    print(f"{name:12s} requires={t.requires_grad} leaf={t.is_leaf} view={t._is_view()} fn={t.grad_fn}")


w = torch.ones(4, 3, requires_grad=True)
makers = {
    "select": lambda: w[0],
    "slice": lambda: w[1:],
    "view": lambda: w.view(12),
    "transpose": lambda: w.t(),
    "expand": lambda: w[0].expand(2, 3),
    "unbind": lambda: w.unbind(0)[0],
    "split": lambda: w.split([1, 3])[1],
    "chunk": lambda: w.chunk(2)[1],
    "tensor_split": lambda: w.tensor_split(2)[0],
    "reshape": lambda: w.reshape(12),
    "copied": lambda: w.t().reshape(12),
    "contiguous": lambda: w.contiguous(),
    "double": lambda: w.double(),
    "detach": lambda: w.detach(),
    "clone": lambda: w.clone(),
    "index": lambda: w[[0, 1]],
    "diagonal": lambda: w.diagonal(),
    "as_strided": lambda: w.as_strided((2,), (1,)),
    "unsqueeze": lambda: w.unsqueeze(0),
    "flatten": lambda: w.flatten(),
    "twice": lambda: w.view(12)[2:5],
    "bits": lambda: w.view(torch.int32),
    "iter": lambda: next(iter(w)),
    "cat": lambda: torch.cat([w[0]]),
}
for mode in (torch.no_grad, torch.inference_mode):
    print(mode.__name__)
    with mode():
        for name, make in makers.items():
            told(name, make())

y = w * 1
with torch.no_grad():
    v, z = w[0], y[0]
    rows = y.unbind(0)
for name, t in (("leaf", v), ("result", z), ("several", rows[1])):
    attempt(name, lambda: t.add_(1))
    attempt(name + " part", lambda: t.__setitem__(0, 5.0))
    attempt(name + " detach_", lambda: t.detach_())

# Nothing leads from them to their base.
loss = (v * 3).sum()
loss.backward()
print(loss, w.grad, v.grad)
part = v[1:]
print(part, part.is_leaf)

# Claimed for itself, it is a leaf of its own.
v.requires_grad_()
(v * 3).sum().backward()
print(v.grad, w.grad)

with torch.no_grad():
    print(w[0, 0], w[0].numpy(), torch.stack([w[0], w[1]]), w[0].max())
    w[0].add_(1)
    w[1] = 3.0
    w.view(-1)[-1] = 7
    print(w)

# A write makes them of unknown origin.
with torch.no_grad():
    u = w[2]
    u += 1
    print(u)
attempt("leaf?", lambda: u.is_leaf)
attempt("fn?", lambda: u.grad_fn)
attempt("product", lambda: u * 2)
attempt("item", lambda: u[0].item())
print(u.grad, u.requires_grad, u.tolist(), u == 1, u.detach())
with torch.no_grad():
    print(u * 2, u[1:], u.clone())

with torch.inference_mode():
    i = w[3]
    print(i.is_inference(), (i * 2).is_inference())
attempt("inference", lambda: i.add_(1))
print((i * 2).requires_grad)
attempt("view of it", lambda: i[0:2].mul_(2))


@torch.jit.script
def scripted(w):
    with torch.no_grad():
        a = w[0]
        b = w.view(-1)
        c = w * 2
    return a, b, c, a.requires_grad, b.requires_grad, c.requires_grad


a, b, c, *told_inside = scripted(w)
print(told_inside, a.requires_grad, b.is_leaf, c.requires_grad)

layer = torch.nn.Linear(2, 2)
with torch.no_grad():
    layer.weight.view(-1).copy_(torch.arange(4.0))
    layer.bias.zero_()
    print(layer.weight, layer.weight[0], layer.bias[None].expand(2, -1), layer.weight.T)
    print({k: t[0] for k, t in layer.state_dict().items()}, layer(torch.ones(1, 2)))

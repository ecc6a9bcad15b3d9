"""Small things that libraries rely on."""

import warnings

import torch
from torch import nn
from torch.distributions import TanhTransform
from torch.utils import _device, _foreach_utils

warnings.simplefilter("ignore")

# Lists of indices with anything but numbers are tuples.
a = torch.arange(24).reshape(2, 3, 4)
for index in (
    [slice(None), slice(0, 2)], [0, slice(1, 3)], [slice(None), [0, 1]], [[0, 1], [1, 2]], [None, 0], [..., 1],
    [torch.tensor([0, 1]), 1], [0, 1], [True, False],
):
    print(a[index].shape, a[index].sum())
a[[slice(None), slice(0, 1)]] = 7
print(a.sum())

# Reductions of a number along its only dimension have gradients.
for f in (lambda x: x.mean(0), lambda x: x.var(-1, unbiased=False), lambda x: torch.var_mean(x, 0, unbiased=False)[1]):
    x = torch.tensor(0.75, requires_grad=True)
    f(x).backward()
    print(x.grad)

# Gradients to begin with may be samples of a vmap.
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 2))
y = m(torch.ones(5, 4)).square().mean(0)
several = torch.vmap(lambda v: torch.autograd.grad(y, list(m.parameters()), v, retain_graph=True))(torch.eye(2))
print([tuple(g.shape) for g in several])
one = [torch.autograd.grad(y, list(m.parameters()), v, retain_graph=True) for v in torch.eye(2)]
print(all(torch.allclose(g, torch.stack(parts)) for g, parts in zip(several, zip(*one))))

# Operators on lists of tensors in place give the list, and one tensor is a number for all.
p = [torch.ones(2), torch.ones(3)]
print(torch._foreach_add_(p, torch.tensor(2.0)) is p, torch._foreach_mul_(p, torch.tensor(3.0)), p)
print(_foreach_utils._group_tensors_by_device_and_dtype([p, [None, torch.zeros(1)]], with_indices=True))
print(torch.zeros in _device._device_constructors())

# Programs that watch a trace name its parts.


def enter(name):
    def hook(module, args):
        state = torch._C._get_tracing_state()
        if state:
            state.push_scope(name)

    return hook


def leave(module, args, output):
    state = torch._C._get_tracing_state()
    if state:
        state.pop_scope()


model = nn.Sequential(nn.Linear(2, 3), nn.Sequential(nn.ReLU(), nn.Linear(3, 2)))
for name, module in model.named_modules():
    module.register_forward_pre_hook(enter(name))
    module.register_forward_hook(leave)
graph, _ = torch.jit._get_trace_graph(model, (torch.ones(1, 2),))
for node in graph.nodes():
    print(node.kind(), repr(node.scopeName()))

transform = TanhTransform()
print(transform._inv, transform.inv.inv is transform)


@torch.jit.script
def casts(x, n: int):
    return (x.float() + n).long()


print(casts.graph)


class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.plain = nn.Linear(2, 3, bias=False)
        self.heads = nn.ModuleDict({"cls": nn.Linear(3, 2), "reg": nn.Linear(3, 1)})

    def forward(self, x):
        out = {}
        for key, head in self.heads.items():
            out[key] = head(self.plain(x))
        return out


scripted = torch.jit.script(Heads())
for node in scripted.inlined_graph.nodes():
    if node.kind() == "prim::Constant":
        print(node.output().type(), node.sourceRange() == "")

# The nodes of leaves have them.
w = torch.ones(2, requires_grad=True)
y = w * 2
print(y.grad_fn.next_functions[0][0].variable is w, hasattr(y.grad_fn, "variable"))
print(m[0].bias is (m[0].bias * 2).grad_fn.next_functions[0][0].variable)

# A range is a list of indices, and equal numbers have no distance from their mean.
a = torch.arange(12).reshape(3, 4)
print(a[range(2)], a[:, range(1, 3)], a[range(2), range(2)])
a[range(1, 3)] = 0
print(a)
print([nn.functional.layer_norm(torch.full((2, n), 1.7), (n,)).abs().max().item() for n in (3, 7, 8, 12, 24, 100)])

# Functions with overloads are scripted beside classes that bring operators of their own, and a trace pads by any number.


class Own:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


@torch.jit.script
def norms(x):
    return torch.norm(x, p=2, dim=1), torch.tensordot(x, x, 1)


print(norms(torch.ones(2, 2)))
pad = torch.jit.trace(lambda x: nn.functional.pad(x, [torch.tensor(1.0), torch.tensor(2)]), torch.ones(1, 3), check_trace=False)
print(pad(torch.ones(1, 3)))


def sizes(x):
    print(x.shape, f"{x.shape[1:]}")
    return x + 1


torch.jit.trace(sizes, torch.ones(1, 2), check_trace=False)
names = {}
exec("from torch import *", names)
print(len(names) > 500, [name for name in ("set", "len", "dict", "slice", "sorted") if name in names], names["abs"](torch.tensor(-1)))

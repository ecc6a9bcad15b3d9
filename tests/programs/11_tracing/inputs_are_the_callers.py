# A traced function gets the caller's own tensors: what it does to them is seen outside.
import warnings

import torch


def trace(function, *inputs, **options):
    return torch.jit.trace(function, inputs, check_trace=False, **options)


x = torch.ones(2)
trace(lambda x: x.requires_grad_() + 1, x)
print(x.requires_grad)


def resized(x):
    x.resize_(2, 2)
    return x + 1


x = torch.ones(4)
trace(resized, x)
print(x.shape)


def turned(x):
    x.t_()
    x.unsqueeze_(0)
    return x + 1


x = torch.ones(2, 3)
print(trace(turned, x).graph.findNode("aten::t_").output())
print(x.shape)


def replaced(x):
    x.data = x.data * 3
    x.mark = 5
    return x + 1


x = torch.ones(4)
trace(replaced, x)
print(x, x.mark)


def same(tensor):
    def function(x):
        print(type(x).__name__, x is tensor, x.is_leaf, x.requires_grad, x._is_view())
        return x + 1

    return function


for tensor in (torch.ones(2), torch.nn.Parameter(torch.ones(2)), torch.ones(2, requires_grad=True) * 2, torch.ones(4)[:2]):
    trace(same(tensor), tensor)


# One that is given twice is a view the second time.
def both(a, b):
    print(a is b, b.is_leaf, b.requires_grad, b._is_view(), a._is_view())
    return a + b


for tensor in (torch.ones(2), torch.ones(2, requires_grad=True)):
    print(trace(both, tensor, tensor).graph)


# Containers are new, their tensors are not.
def first(tensors):
    tensors[0].mul_(2)
    tensors.append(3)
    return tensors[0] + 1


x = torch.ones(2)
given = [x]
trace(first, given)
print(x, len(given))


def slope(x):
    (x.requires_grad_() * 3).sum().backward()
    return x * 2


x = torch.ones(2)
trace(slope, x)
print(x.grad)
w = torch.ones(2)
print(trace(lambda x: x + w, w).graph)
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    trace(lambda x: x.add_(1).mul_(2), torch.ones(2), _force_outplace=True)
    trace(lambda x: x + len(f"{x.sum()}"), torch.ones(2))
print([str(w.message)[:56] for w in told if "torch.jit" not in str(w.message)])

# torch.masked: reductions, running sums and normalisations that leave elements out, and their gradients.
import torch
from torch import masked

x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
n = torch.tensor([[1, 2, 3], [4, 5, 6]])
some = torch.tensor([[True, False, True], [False, False, False]])
row = torch.tensor([True, False, True])


def told(name, function):
    try:
        print(name, function())
    except Exception as error:
        print(f"{name}\n<<{type(error).__name__}>>\n{error}\n<<end>>")


for name in ("sum", "prod", "amax", "amin", "mean", "var", "std", "logsumexp", "norm", "argmax", "argmin", "median"):
    function = getattr(masked, name)
    order = (2.0,) if name == "norm" else ()
    for dim in (0, 1, -1):
        told(name, lambda: function(x, *order, dim, mask=some))
    told(name, lambda: function(x, *order, 1, keepdim=True, mask=row))
    told(name, lambda: function(x, *order, 1))
    told(name, lambda: function(n, *order, 1, mask=row))
    told(name, lambda: function(x.half(), *order, 1, mask=some).dtype)
    told(name, lambda: function(x, *order, 3, mask=some))
    told(name, lambda: function(x, *order, 1, mask=torch.ones(5, dtype=torch.bool)))
    told(name, lambda: function(x[0], *order, 0, mask=some))
    if name not in ("argmax", "argmin", "median"):
        told(name, lambda: function(x, *order, mask=some))
        told(name, lambda: function(x, *order, (0, 1), mask=some))
for name in ("softmax", "log_softmax", "softmin", "cumsum", "cumprod"):
    function = getattr(masked, name)
    for dim in (0, 1):
        told(name, lambda: function(x, dim, mask=some))
    told(name, lambda: function(x, 1, mask=row, dtype=torch.float64))
    told(name, lambda: function(x, 5, mask=row))
for order in (1, 0, 3, float("inf"), -float("inf")):
    told(f"norm {order}", lambda: masked.norm(x, order, 1, mask=some))
told("normalize", lambda: masked.normalize(x, 2.0, 1, mask=some))
told("normalize", lambda: masked.normalize(x, 1.0, 0, eps=10.0, mask=some))
for unbiased in (True, False, None):
    told("var", lambda: masked.var(x, 1, unbiased, mask=row))
told("logaddexp", lambda: masked.logaddexp(x, x * 2, input_mask=some, other_mask=row))
told("median", lambda: masked.median(n, 1, mask=some))
told("mean", lambda: masked.mean(n, 1, mask=some))
told("amax", lambda: masked.amax(x > 2, 1, mask=some))
for function in (masked.softmax, masked.mean, masked.std, masked.amax, masked.cumprod):
    given = x.clone().requires_grad_()
    function(given, 1, mask=row).pow(2).sum().backward()
    print(function.__name__, given.grad)

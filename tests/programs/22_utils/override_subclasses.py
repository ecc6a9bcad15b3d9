"""Classes of tensors: results are of the class too."""

import copy
import io
import pickle

import torch


class Kept(torch.Tensor):
    pass


class Closer(Kept):
    pass


class Other(torch.Tensor):
    pass


class Plain(torch.Tensor):
    __torch_function__ = torch._C._disabled_torch_function_impl


def kinds(value):
    if isinstance(value, (tuple, list)):
        return type(value).__name__, [kinds(each) for each in value]
    return type(value).__name__


p = torch.tensor([[1.0, 2.0], [3.0, 4.0]]).as_subclass(Kept)
for label, call in {
    "p + 1": lambda: p + 1,
    "1 - p": lambda: 1 - p,
    "p @ p": lambda: p @ p,
    "p > 1": lambda: p > 1,
    "-p": lambda: -p,
    "sin": lambda: torch.sin(p),
    "sum": lambda: p.sum(),
    "p[0]": lambda: p[0],
    "T": lambda: p.T,
    "data": lambda: p.data,
    "shape": lambda: p.shape,
    "size": lambda: p.size(),
    "max": lambda: p.max(0),
    "split": lambda: torch.split(p, 1),
    "unbind": lambda: p.unbind(),
    "list": lambda: list(p),
    "cat": lambda: torch.cat([torch.ones(1, 2), p]),
    "relu": lambda: torch.nn.functional.relu(p),
    "linear": lambda: torch.nn.Linear(2, 1)(p),
    "item": lambda: p.sum().item(),
    "tolist": lambda: p.tolist(),
    "double": lambda: p.double(),
    "detach": lambda: p.detach(),
    "zeros_like": lambda: torch.zeros_like(p),
    "where": lambda: torch.where(p > 2, p, 0.0),
    "tensor + p": lambda: torch.ones(2) + p,
    "closer": lambda: p + p.as_subclass(Closer),
    "tensor.add(p)": lambda: torch.ones(2).add(p),
    "parameter": lambda: torch.nn.Parameter(torch.ones(2)) * 2,
    "plain": lambda: p.as_subclass(Plain) + 1,
}.items():
    print(label, kinds(call()))
for call in (lambda: p + p.as_subclass(Other), lambda: torch.add(p, p.as_subclass(Other)), lambda: p.as_subclass(int)):
    try:
        print(call())
    except TypeError as error:
        print("TypeError", error)

print(p)
print(p.sum(), str(p[0]), f"{p.sum()}")
print(p.add_(1) is p, torch.add(p, 1, out=p) is p, p)
q = p
q += 1
print(q is p, type(q).__name__)
p[0, 0] = 9
print(p, type(p.numpy()).__name__)

# Gradients.
x = torch.ones(2, requires_grad=True)
y = (x.as_subclass(Kept) * 3).sum()
print(y)
y.backward()
print(x.grad)
leaf = torch.ones(2).as_subclass(Kept).requires_grad_()
(leaf * 2).sum().backward()
print(leaf, leaf.grad, type(leaf.grad).__name__)


class Noted(torch.Tensor):
    @staticmethod
    def __new__(cls, data, note):
        return torch.as_tensor(data).as_subclass(cls)

    def __init__(self, data, note):
        self.note = note


n = Noted([1.0, 2.0], "note")
print(n, n.note, hasattr(n + 1, "note"), type(n + 1).__name__)
print(copy.copy(n).note, pickle.loads(pickle.dumps(n)).note, type(pickle.loads(pickle.dumps(n))).__name__)
try:
    copy.deepcopy(n)
except RuntimeError as error:
    print(error)
file = io.BytesIO()
torch.save({"n": n, "part": p[0]}, file)
file.seek(0)
loaded = torch.load(file, weights_only=False)
print(loaded, loaded["n"].note)

# Parameters.
w = torch.nn.Parameter(torch.ones(2).as_subclass(Kept))
print(type(w).__name__, isinstance(w, torch.nn.Parameter), w)


class Holds(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = w


m = Holds()
print([name for name, _ in m.named_parameters()], type(m.state_dict()["w"]).__name__)
(m.w * 2).sum().backward()
torch.optim.SGD(m.parameters(), 0.25).step()
print(m.w, m.w.grad)
print(torch.Tensor._make_subclass(Kept, torch.ones(1), True), type(torch.Tensor._make_subclass(Kept, torch.ones(1))).__name__)

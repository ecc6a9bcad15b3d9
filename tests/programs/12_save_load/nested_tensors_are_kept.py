"""Nested tensors are copied, pickled and saved as what they are, and taken apart and seen otherwise."""

import copy
import io
import pickle
import warnings

import torch

warnings.simplefilter("ignore")
parts = [torch.arange(6.0).reshape(2, 3), torch.zeros(4, 3)]


def attempt(function):
    try:
        print(function())
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0][:60])


def saved(value, trusted):
    buffer = io.BytesIO()
    torch.save({"a": value}, buffer)
    buffer.seek(0)
    return torch.load(buffer, weights_only=not trusted)["a"]


jagged, strided = torch.nested.nested_tensor(parts, layout=torch.jagged), torch.nested.nested_tensor(parts)
for nested in (jagged, strided):
    for made in (pickle.loads(pickle.dumps(nested)), saved(nested, True)):
        print(type(made).__name__, made.layout, made.is_nested, made[0].tolist(), made.requires_grad)
    attempt(lambda: saved(nested, False))
leaf = jagged.detach().requires_grad_()
print(saved(leaf, True).requires_grad)
copied = copy.deepcopy(leaf)
print(copied.layout, copied.offsets(), copied.requires_grad, copied.values() is leaf.values())
print([part.shape for part in strided.chunk(3, -1)[0].unbind()])
for size in ((2, -1, 3, 1), (2, -1, 1, 3), (3, -1, 3)):
    attempt(lambda: [part.shape for part in strided.view(*size).unbind()])

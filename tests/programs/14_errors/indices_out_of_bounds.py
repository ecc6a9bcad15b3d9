"""What is said of indices and of what is assigned that do not fit, and of tensors that are no single number."""

import torch

x = torch.arange(24.0).reshape(2, 3, 4)


def tell(name, run):
    try:
        print(name, run())
    except Exception as error:
        print(name, type(error).__name__, str(error).split("\n")[0])


def put(key, value):
    y = x.clone()
    y[key] = value
    return y.sum()


for key in ((0, 0, 9), (None, 9), (Ellipsis, 9), (0, Ellipsis, 9), (True, 9), (0, torch.tensor(7)), -5, "a", (0, "ab"), b"a"):
    tell(key, lambda: x[key])
for key, value in (
    (0, torch.ones(5)), ((0, 1), torch.ones(2)), ((Ellipsis, 0), torch.ones(5)), (0, torch.ones(2, 3, 4)), ((0, 0, 0), torch.ones(2)),
    (slice(None), torch.ones(7)), (0, torch.ones(1, 1, 3, 4)), ((0, 0, 9), 1), (0, [1, 2]), ("a", 1), (0, None), ((0, 0), torch.ones(1)),
):
    tell(key, lambda: put(key, value))
for name, number in (("two", torch.ones(2)), ("none", torch.ones(0)), ("complex", torch.tensor(1 + 2j)), ("real", torch.tensor(3 + 0j))):
    for kind in (float, int, complex):
        tell((name, kind.__name__), lambda: kind(number))

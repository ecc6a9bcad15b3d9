"""Calls that fit no overload list them in the order of the reference, with out where it may be given."""

import torch
import torch.nn.functional as F

x = torch.ones(2, 3)


class Strange:
    pass


CALLS = {
    "sum": lambda: torch.sum(x, foo=1),
    "mean": lambda: torch.mean(x, foo=1),
    "prod": lambda: torch.prod(Strange(), foo=1),
    "sort": lambda: torch.sort(x, descending="a"),
    "view": lambda: x.view("a"),
    "where": lambda: torch.where(x > 0, "a", x),
    "linspace": lambda: torch.linspace(0, 1, "a", "b"),
    "logspace": lambda: torch.logspace(0, 1, "a", "b"),
    "clamp": lambda: torch.clamp(x, "a", "b", "c"),
    "fill_": lambda: x.fill_("a", "b"),
    "masked_fill": lambda: torch.masked_fill(x, 1, 2, 3),
    "index_fill": lambda: torch.index_fill(x, "a", 1, 2, 3),
    "div": lambda: torch.div(x, "a", foo=1),
    "divide": lambda: torch.divide(x, "a", foo=1),
    "bitwise_and": lambda: torch.bitwise_and(1, 2),
    "pow": lambda: torch.pow("a", 2),
    "rand_like": lambda: torch.randn_like("a", foo=1),
    "randint_like": lambda: torch.randint_like("a", foo=1),
    "hann_window": lambda: torch.hann_window("a", foo=1),
    "conv2d": lambda: torch.conv2d(x, x, foo=1),
    "conv1d": lambda: F.conv1d(x, x, foo=1),
    "norm": lambda: torch.linalg.norm(x, foo=1),
    "matrix_norm": lambda: torch.linalg.matrix_norm(x, foo=1),
    "std": lambda: torch.std(x, "a", "b"),
    "var_mean": lambda: torch.var_mean(x, foo=1),
    "scatter": lambda: torch.scatter(x, 0, "a", 1),
    "lerp": lambda: torch.lerp(x, x, "a"),
    "isin": lambda: torch.isin("a", "b"),
    "normal": lambda: torch.normal("a", "b"),
    "median": lambda: torch.median(x, "a", "b", "c"),
    "tensor_split": lambda: torch.tensor_split(x, "a", 0, 1),
}
for name, call in CALLS.items():
    try:
        print(name, call())
    except TypeError as error:
        print(name, error)

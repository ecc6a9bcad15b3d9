"""Writes to tensors that gradients need, where they are allowed, and what a Function may not give back."""

import torch
from torch.autograd import Function
from torch.autograd.graph import allow_mutation_on_saved_tensors


def show(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


def written_after():
    leaf = torch.ones(2, requires_grad=True)
    middle = leaf * 2
    result = middle.square()
    middle.add_(1)
    return leaf, result


def inside():
    with allow_mutation_on_saved_tensors():
        leaf, result = written_after()
        result.sum().backward()
        return leaf.grad


def twice():
    with allow_mutation_on_saved_tensors():
        leaf = torch.ones(2, requires_grad=True)
        cube = leaf.clone() ** 3
        (first,) = torch.autograd.grad(cube.sum(), leaf, create_graph=True)
        first.sum().backward()
        return leaf.grad


def through_data():
    with allow_mutation_on_saved_tensors():
        leaf = torch.ones(2, requires_grad=True)
        product = leaf * leaf
        leaf.data.add_(1)
        product.sum().backward()
        return leaf.grad


def results_and_views():
    with allow_mutation_on_saved_tensors():
        leaf = torch.ones(2, 2, requires_grad=True)
        power = leaf.clone().exp()
        power[0].zero_()
        power.sum().backward()
        return leaf.grad


def outside():
    with allow_mutation_on_saved_tensors():
        leaf, result = written_after()
    result.sum().backward()


def nested():
    with allow_mutation_on_saved_tensors(), allow_mutation_on_saved_tensors():
        pass


for call in (inside, twice, through_data, results_and_views, outside, nested):
    show(call)

for given in ("text", 3, [None], {}, object(), 1.0, torch.ones(2) * 1j, torch.ones(()), torch.ones(2, dtype=torch.float64), (None, None)):

    class Wrong(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return given

    def run():
        leaf = torch.ones(2, requires_grad=True)
        Wrong.apply(leaf).sum().backward()
        return leaf.grad

    show(run)

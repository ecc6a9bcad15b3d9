"""Sparse gradients that optimizers refuse, rates resumed without a beginning, pruning of scripts, and schemas that cannot be read."""

import torch
from torch import nn
from torch.nn.utils import prune


def show(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


def stepped(kind, **options):
    weight = nn.Parameter(torch.ones(3, 2))
    weight.grad = torch.sparse_coo_tensor([[1]], torch.ones(1, 2), (3, 2))
    kind([weight], **options).step()
    return "stepped"


for kind in (torch.optim.SGD, torch.optim.Adagrad, torch.optim.Adam, torch.optim.AdamW, torch.optim.RMSprop, torch.optim.SparseAdam):
    show(lambda: stepped(kind, lr=0.1))
for kind in (torch.optim.SGD, torch.optim.Adagrad, torch.optim.AdamW):
    show(lambda: stepped(kind, lr=0.1, fused=True))
show(lambda: torch.optim.lr_scheduler.StepLR(torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1), 1, last_epoch=4))

scripted = torch.jit.script(nn.Linear(2, 2))
show(lambda: prune.l1_unstructured(scripted, "weight", 0.5))
show(lambda: prune.identity(scripted, "bias"))
print(sorted(scripted.state_dict()))

library = torch.library.Library("refusals", "FRAGMENT")
for schema in ("twice(Tensor x)", "twice(Tensor x,) -> Tensor", "(Tensor x) -> Tensor", "twice(Tensor x) => Tensor", "twice(Foo x) -> Tensor"):
    show(lambda: library.define(schema))

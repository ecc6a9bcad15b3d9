"""Modules that are inserted among others: names are numbers, and other names stand in the way."""
import collections

import torch
from torch import nn


def attempt(label, f):
    try:
        print(label, f())
    except Exception as error:
        print(label, type(error).__name__, error)


for place in (0, 1, 2, 3):
    made = nn.Sequential(nn.Linear(1, 1), nn.ReLU(), nn.Tanh())
    attempt(place, lambda: [(name, type(m).__name__) for name, m in made.insert(place, nn.Identity()).named_children()])
attempt("no module", lambda: nn.Sequential().insert(0, 3))
named = nn.Sequential(collections.OrderedDict(a=nn.ReLU(), b=nn.Tanh()))
attempt("before names", lambda: named.insert(0, nn.ELU()))
print(list(named._modules))
attempt("behind names", lambda: list(named.insert(3, nn.ELU())._modules))
mixed = nn.Sequential(collections.OrderedDict(fc=nn.Linear(1, 1), act=nn.ReLU()))
mixed.append(nn.Tanh())
attempt("mixed", lambda: mixed.insert(0, nn.Identity()))
again = nn.Sequential(*mixed)
again.insert(0, nn.Identity())
print([name for name, _ in again.named_children()], len(again))
for thing in (torch.ones(1).untyped_storage(), torch.ones(1).storage(), torch.ones(1), 3):
    print(type(thing).__name__, torch.is_storage(thing))

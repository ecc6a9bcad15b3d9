"""Parameters without annotation take their types from example inputs (the reference needs MonkeyType to do so, and had it)."""
import warnings
from typing import List  # noqa: F401  the reference looks for it where methods are defined

import torch

warnings.simplefilter("ignore")


def first(a):
    return a


def fresh():
    def first(a):
        return a

    globals()["first"] = first
    return first


for examples in (
    [(1,)], [(1,), (2.0,)], [(None,), (1,)], [(None,)], [([],)], [([1, 2.0],)], [((1, "a"),)], [((1,),), ((1, 2),)],
    [({"a": 1},)], [(torch.ones(1),)], [(None,), (1,), (2.0,)], [([1],), ([],)], [([None, 1],)], [({"a": 1},), ({"a": 2.0},)],
    [(1j,)], [(True,), (1,)], [([[1], [2]],)], [(torch.float32,)], [(torch.device("cpu"),)], [([torch.ones(1)],)], [((),)],
):  # fmt: skip
    print(torch.jit.script(fresh(), example_inputs=examples).schema)


def typed(a, b: int, c=3):
    return a


print(torch.jit.script(typed, example_inputs=[(1.0, 2)]).schema)


class Model(torch.nn.Module):
    def forward(self, x):
        return self.add(x, 2)

    def add(self, y, z):
        return y + z


model = Model()
scripted = torch.jit.script(model, example_inputs={model: [(1,)]})
print(scripted.forward.schema, scripted.add.schema, scripted(4))


class Finder:
    def find(self, a, b):
        return b in a


print(torch.jit.script(Finder, example_inputs={Finder().find: [(["a"], "b")]})().find(["x"], "x"))
try:
    torch.jit.script(fresh(), example_inputs=[(1, 2)])
except TypeError as error:
    print(error)
try:
    torch.jit.script(fresh(), example_inputs=((1,),))
except ValueError as error:
    print(error)

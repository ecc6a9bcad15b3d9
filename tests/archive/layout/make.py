"""Makes the files beside this script with PyTorch 2.15: one small file for each layout that the archive crate tells apart.

Run `python make.py` in this folder. The files' bytes are compared with what our own writers make of their content, so they
are recorded, not edited.
"""

import os
import sys
import warnings
from typing import Dict, List, Optional, Tuple

import torch

warnings.simplefilter("ignore")

if os.path.isabs(__file__):
    # Archives remember where their source was: run again under a bare file name, so that no folder is recorded.
    os.chdir(os.path.dirname(__file__))
    sys.modules["__main__"].__file__ = __file__ = os.path.basename(__file__)
    with open(__file__) as source:
        exec(compile(source.read(), __file__, "exec"))
    sys.exit()


class Scale(torch.nn.Module):
    """A layer of our own, so that no source but this file's is recorded."""

    def __init__(self, outputs: int, inputs: int):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.rand(outputs, inputs))
        self.bias = torch.nn.Parameter(torch.zeros(outputs))

    def forward(self, x):
        return x @ self.weight.t() + self.bias


class Identity(torch.nn.Module):
    def forward(self, x):
        return x


class Attributes(torch.nn.Module):
    """Every kind of attribute that an archive can hold."""

    def __init__(self):
        super().__init__()
        self.first = Scale(4, 3)
        self.second = Scale(3, 4)
        self.register_buffer("b", torch.arange(5))
        self.register_buffer("alias", self.b)
        self.register_buffer("none", None)
        self.register_buffer("empty", torch.empty(0, 2))
        self.ints = (0, 255, 256, 65535, 65536, -1, 2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**40)
        self.f = 2.5
        self.text = "héllo"
        self.empty_text = ""
        self.long_text = "z" * 300
        self.pair = (1, 2.0)
        self.one = (1,)
        self.flag = True
        self.li = [1, 2, 300]
        self.lf = [1.5]
        self.lb = [True, False]
        self.ls = ["a", "b", "a"]
        self.lt = [torch.ones(1), torch.zeros(2, 2)]
        self.nested = [[1, 2], [3]]
        self.no_ints = torch.jit.Attribute([], List[int])
        self.no_texts = torch.jit.Attribute([], List[str])
        self.d = {"a": 1, "b": 2}
        self.dt = {"x": torch.ones(2)}
        self.di = {1: "x"}
        self.nothing = torch.jit.Attribute({}, Dict[str, int])
        self.maybe = torch.jit.Attribute(None, Optional[int])
        self.device = torch.device("cpu")
        self.devices = [torch.device("cpu"), torch.device("meta")]
        self.number = 1 + 2j
        self.tuples = [(1, "a"), (2, "b")]

    def forward(self, x):
        return self.second(self.first(x)) + torch.tensor([1.0, 2.0, 3.0])


class Shared(torch.nn.Module):
    """Attributes that refer to the same list, tuple and dict."""

    def __init__(self):
        super().__init__()
        self.li = torch.jit.Attribute([1], List[int])
        self.nested = torch.jit.Attribute([[5]], List[List[int]])
        self.tuples = torch.jit.Attribute([(1, "a")], List[Tuple[int, str]])
        self.texts = ["a"]
        self.dicts = torch.jit.Attribute({}, Dict[str, List[str]])

    def forward(self, x: int):
        self.nested = [self.li, self.li]
        both = (7, "zz")
        self.tuples = [both, both]
        self.dicts = {"p": self.texts, "q": self.texts}
        return x


class Many(torch.nn.Module):
    """More than 256 memoised values, more than 1000 elements."""

    def __init__(self):
        super().__init__()
        for i in range(150):
            setattr(self, f"a{i}", f"v{i}")
        self.li = list(range(1200))
        self.again = "v149"

    def forward(self, x):
        return x + self.li[0]


def main():
    torch.manual_seed(0)
    attributes = Attributes()
    scripted = torch.jit.script(attributes)
    scripted.save("attributes.pt")
    scripted._save_for_lite_interpreter("attributes.ptl")
    torch.jit.save(torch.jit.script(Identity()), "extra.pt", _extra_files={"note.txt": "hello"})
    shared = torch.jit.script(Shared())
    shared(1)
    shared.save("shared.pt")
    torch.jit.script(Many()).save("many.pt")
    scale = Scale(4, 3)
    torch.save(scale.state_dict(), "state_dict.pt")
    torch.save(scale.state_dict(), "state_dict_stream.pt", _use_new_zipfile_serialization=False)
    torch.save(scale, "module.pt")
    torch.save(scale, "module_stream.pt", _use_new_zipfile_serialization=False)
    torch.save({"epoch": 3, "model": scale.state_dict()}, "checkpoint.pt")
    torch.save(torch.ones(2), "tensor.pt")
    torch.export.save(torch.export.export(scale, (torch.ones(1, 3),)), "exported.pt2")


main()

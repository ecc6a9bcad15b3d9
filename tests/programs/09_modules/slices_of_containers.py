# Slices of containers are tuples of values: their parts have methods, and are not called. What loaded and traced modules allow.
import io
import re

import torch
from torch import nn


def told(name, f):
    try:
        print(name, f())
    except Exception as error:
        text = re.sub(r"___torch_mangle_\d+\.", "", str(error))
        lines = [line for line in text.splitlines() if line.strip()]
        print(name, type(error).__name__, lines[0])


class Add(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def forward(self, x):
        return x + self.k


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList([Add(1), Add(2), Add(3)])
        self.named = nn.ModuleDict({"a": Add(1), "b": Add(2)})
        self.row = nn.Sequential(Add(1), Add(2))


class CallsInLoop(Base):
    def forward(self, x):
        for part in self.parts[1:]:
            x = part(x)
        return x


class ForwardsInLoop(Base):
    def forward(self, x):
        for part in self.parts[1:]:
            x = part.forward(x) + part.k
        return x


class CallsPicked(Base):
    def forward(self, x):
        return self.parts[1:][0](x)


class ForwardsPicked(Base):
    def forward(self, x):
        some = self.parts[:2]
        return some[1].forward(x) + some[-1].k


class Unpacks(Base):
    def forward(self, x):
        a, b = self.parts[::2]
        return a.forward(b.forward(x))


class UnpackedCalls(Base):
    def forward(self, x):
        a, b = self.parts[::2]
        return a(x)


class SliceOfSlice(Base):
    def forward(self, x):
        for part in self.parts[1:][1:]:
            x = part.forward(x)
        return x


class TooFar(Base):
    def forward(self, x):
        return self.parts[1:][5].forward(x)


class NotConstant(Base):
    def forward(self, x, i: int = 1):
        return self.parts[i:][0].forward(x)


class CallsTheSlice(Base):
    def forward(self, x):
        return self.row[:1](x)


class AsksTheSlice(Base):
    def forward(self, x):
        return self.parts[1:].k


class Listed(Base):
    def forward(self, x):
        return list(self.parts)[0].forward(x)


class ListedCall(Base):
    def forward(self, x):
        return list(self.parts)[0](x)


class ValuesCall(Base):
    def forward(self, x):
        return list(self.named.values())[0](x)


class ValuesLoop(Base):
    def forward(self, x):
        for part in self.named.values():
            x = part(x)
        return x


class Comprehended(Base):
    def forward(self, x):
        return [part(x) for part in self.parts[1:]][0]


class Whole(Base):
    def forward(self, x):
        for i, part in enumerate(self.parts):
            x = part(x) * (i + 1)
        return self.parts[-1](x)


class Chosen(Base):
    def forward(self, x, first: bool = True):
        part = self.parts[0] if first else self.parts[0]
        return part(x)


class InTuple(Base):
    def forward(self, x):
        both = (self.parts[0], 2)
        return both[0](x)


class Enumerated(Base):
    def forward(self, x):
        for i, part in enumerate(self.parts[1:]):
            x = part.forward(x) + i
        return x


for cls in Base.__subclasses__():
    told(cls.__name__, lambda: torch.jit.script(cls())(torch.ones(1)).tolist())
for cls in (ForwardsInLoop, Unpacks, Enumerated, SliceOfSlice):
    print(re.sub(r"\s*#.*", "", str(torch.jit.script(cls()).graph)))


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = Add(1)
        self.row = nn.Sequential(Add(2), Add(3))
        self.k = 5

    def forward(self, x):
        return self.row(self.one(x))

    @torch.jit.export
    def other(self, x):
        return x * self.k


def again(module):
    buffer = io.BytesIO()
    torch.jit.save(module, buffer)
    buffer.seek(0)
    return torch.jit.load(buffer)


class Around(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner


class AroundCall(Around):
    def forward(self, x):
        return self.inner(x)


class AroundPart(Around):
    def forward(self, x):
        return self.inner.one(x) + self.inner.row(x)


class AroundOther(Around):
    def forward(self, x):
        return self.inner.other(x) + self.inner.k


class AroundLoop(Around):
    def forward(self, x):
        for part in self.inner.row:
            x = part(x)
        return x


class AroundItem(Around):
    def forward(self, x):
        return self.inner.row[0](x)


class AroundMissing(Around):
    def forward(self, x):
        return self.inner.zip(x)


class AroundVariable(Around):
    def forward(self, x):
        inner = self.inner
        return inner(x)


class AroundList(Around):
    def forward(self, x):
        return [self.inner][0](x)


for cls in Around.__subclasses__():
    told(cls.__name__, lambda: torch.jit.script(cls(again(torch.jit.script(Inner()))))(torch.ones(1)).tolist())
traced = torch.jit.trace(nn.Sequential(nn.ReLU()), torch.ones(1))
told("traced", lambda: torch.jit.script(AroundCall(traced))(torch.ones(1)).tolist())
loaded = again(torch.jit.script(Inner()))
loaded.define("def twice(self, x):\n    return self.one(self(x))\n")
told("defined", lambda: loaded.twice(torch.ones(1)).tolist())
told("undefined", lambda: loaded.define("def no(self, x):\n    return self.zip(x)\n"))

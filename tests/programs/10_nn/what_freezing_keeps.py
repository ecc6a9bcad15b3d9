# Frozen modules: detach is taken out, what was assigned to an attribute is written through it, equal classes keep equal attributes.
import torch


class Detaching(torch.nn.Module):
    def forward(self, x):
        y = x.detach()
        return y * y


class Asking(torch.nn.Module):
    def forward(self, x):
        y = x.detach()
        return x is y


for module in (Detaching(), Asking()):
    frozen = torch.jit.freeze(torch.jit.script(module.eval()))
    print("aten::detach" in str(frozen.graph), frozen(torch.ones(2)))


class Lists(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = [1, 2]
        self.b = ([11], [10])
        self.c = [5]

    def forward(self, x):
        v = self.a
        self.b = (v, [12])
        last = self.b[1]
        last.append(7)
        return str(v) + str(last) + str(self.c)


frozen = torch._C._freeze_module(torch.jit.script(Lists()).eval()._c)
print([frozen.hasattr(name) for name in "abc"], frozen.forward(torch.ones(1)))


class Part(torch.nn.Module):
    def __init__(self, written):
        super().__init__()
        self.a = torch.tensor([1.1])
        self.b = 2.2

    def forward(self, x):
        self.a[0] = 3.3
        return self.a


class Whole(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.one = Part(True)
        self.two = Part(True)

    def forward(self, x):
        return self.two(x) + self.one(x)


for preserved in ([], ["one"], ["two"]):
    frozen = torch._C._freeze_module(torch.jit.script(Whole()).eval()._c, preserved)
    print(preserved, [[getattr(frozen, part).hasattr(name) for name in "ab"] for part in ("one", "two")])

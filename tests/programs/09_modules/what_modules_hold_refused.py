"""What modules hold: classes that do not compile, interfaces among submodules, containers with a length of their own."""
import warnings

import torch
from torch import Tensor, nn

warnings.simplefilter("ignore")


def show(make):
    try:
        print(make())
    except Exception as error:
        print("<<%s>>" % type(error).__name__)
        print(error)
        print("<<end>>")


class Plain:
    def __init__(self, a: int):
        self.a = a

    def get(self) -> bool:
        return issubclass(self.a, int)


class UsesPlain(nn.Module):
    def __init__(self):
        super().__init__()
        self.plain = Plain(4)

    def forward(self) -> bool:
        return self.plain.get()


class HoldsPlain(UsesPlain):
    def forward(self) -> bool:
        return True


show(lambda: torch.jit.script(UsesPlain()))
show(lambda: torch.jit.script(HoldsPlain())())


class Base(nn.Module):
    pass


class OwnLength(Base, nn.ModuleList):
    def __len__(self):
        return 2


class CountsOwn(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = OwnLength([nn.ReLU()])

    def forward(self):
        return len(self.parts)


show(lambda: torch.jit.script(CountsOwn())())


@torch.jit.interface
class Adds(nn.Module):
    def one(self, a: Tensor, b: Tensor) -> Tensor:
        pass

    def forward(self, x: Tensor) -> Tensor:
        pass


class Original(nn.Module):
    def one(self, a: Tensor, b: Tensor) -> Tensor:
        return a + b + 1

    def forward(self, x: Tensor) -> Tensor:
        return x + self.one(x, x) + 1


class Lazy(Original):
    def forward(self, x: Tensor) -> Tensor:
        return x + 1


class Marked(Lazy):
    @torch.jit.export
    def one(self, a: Tensor, b: Tensor) -> Tensor:
        return a * b + 1


class Holds(nn.Module):
    part: Adds

    def __init__(self):
        super().__init__()
        self.part = Original()

    def forward(self, x: Tensor) -> Tensor:
        return self.part.forward(x)


class Walks(Holds):
    part: Adds

    def forward(self, x: Tensor) -> Tensor:
        for module in self.modules():
            x = module(x)
        return x


class Children(Holds):
    part: Adds

    def forward(self, x: Tensor) -> Tensor:
        for module in self.children():
            x = module(x)
        return x


show(lambda: torch.jit.script(Walks()))
show(lambda: torch.jit.script(Children())(torch.ones(1)))
scripted = torch.jit.script(Holds())
print(scripted(torch.ones(1)))


def swap(module):
    scripted.part = torch.jit.script(module)
    return scripted(torch.ones(1))


for module in (Lazy(), Marked()):
    show(lambda: swap(module))  # noqa: B023


@torch.jit.script
class NoModule:
    def one(self, a: Tensor, b: Tensor) -> Tensor:
        return a + b

    def forward(self, x: Tensor) -> Tensor:
        return x


@torch.jit.script
def takes(x: Adds) -> Adds:
    return x


show(lambda: takes(NoModule()))
print(sorted(torch.ops.aten.index_put.overloads()))
print(torch.ops.aten.index_put.hacked_twin(torch.zeros(3), [torch.tensor([1])], torch.ones(1), accumulate=False))
print(torch.DoubleTensor().shape)

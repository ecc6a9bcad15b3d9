# Interfaces: methods with type comments, and why one interface is not another.
import torch


@torch.jit.interface
class Two:
    def one(self, x: torch.Tensor) -> torch.Tensor:
        pass

    def two(self, x: torch.Tensor) -> torch.Tensor:
        pass


@torch.jit.interface
class Three:
    def one(self, x, y):
        # type: (Tensor, int) -> Tensor
        pass

    def two(self, x: torch.Tensor) -> torch.Tensor:
        pass

    def three(self, x: torch.Tensor) -> torch.Tensor:
        pass


@torch.jit.script
class Object:
    def __init__(self):
        pass

    def one(self, x, y: int):
        return x + y

    def two(self, x):
        return x * 2

    def three(self, x):
        return x * 3


@torch.jit.script
def as_three(x: Three) -> Three:
    return x


@torch.jit.script
def as_two(x: Two) -> Two:
    return x


print(as_three(Object()).one(torch.ones(1), 2))


def lacks(x: Two) -> Three:
    return as_three(x)


def differs(x: Three) -> Two:
    return as_two(x)


for function in (lacks, differs):
    try:
        torch.jit.script(function)
    except RuntimeError as error:
        print([line.strip() for line in str(error).split("\n") if "nterface" in line and "->" not in line and "File" not in line])

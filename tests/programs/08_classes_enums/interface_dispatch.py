# a module interface: the called method depends on the submodule
import torch
import torch.nn as nn


@torch.jit.interface
class Shape(nn.Module):
    def area(self, scale: float) -> float:
        pass


class Square(nn.Module):
    def __init__(self, side: float):
        super().__init__()
        self.side = side

    @torch.jit.export
    def area(self, scale: float) -> float:
        return self.side * self.side * scale


class Circle(nn.Module):
    def __init__(self, radius: float):
        super().__init__()
        self.radius = radius

    @torch.jit.export
    def area(self, scale: float) -> float:
        return 3.0 * self.radius * self.radius * scale


class Holder(nn.Module):
    shape: Shape

    def __init__(self, shape):
        super().__init__()
        self.shape = shape

    def forward(self, scale: float) -> float:
        return self.shape.area(scale)


print(torch.jit.script(Holder(Square(2.0)))(1.0))
m = torch.jit.script(Holder(Circle(1.0)))
print(m(2.0))
m.shape = torch.jit.script(Square(3.0))
print(m(1.0))

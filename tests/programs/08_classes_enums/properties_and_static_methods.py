# a property with a setter, and a static method
import torch


@torch.jit.script
class Celsius:
    def __init__(self, degrees: float):
        self.degrees = degrees

    @property
    def fahrenheit(self) -> float:
        return self.degrees * 1.8 + 32.0

    @fahrenheit.setter
    def fahrenheit(self, value: float) -> None:
        self.degrees = (value - 32.0) / 1.8

    @staticmethod
    def freezing() -> float:
        return 273.15


@torch.jit.script
def run(x: float):
    c = Celsius(x)
    before = c.fahrenheit
    c.fahrenheit = 212.0
    return before, c.degrees, Celsius.freezing() + c.degrees


print(run(10.0))

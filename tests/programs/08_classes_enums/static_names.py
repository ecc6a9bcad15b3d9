# static methods of classes are functions beside them
import torch

@torch.jit.script
class A:
    def __init__(self, n: int):
        self.n = n

    @staticmethod
    def make(n: int) -> "A":
        return A(n)

@torch.jit.script
class B:
    def __init__(self):
        self.n = 1

    @staticmethod
    def make(n: int) -> int:
        return n + 1

def f(n: int):
    return A.make(n).n + B.make(n)

s = torch.jit.script(f)
print(s.code)
print(s.graph)
print(s(3))

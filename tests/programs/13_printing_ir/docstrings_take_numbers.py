"""Documentation inside functions is an expression like any other: it takes a number in graphs."""
import torch
def show(f): print(torch.jit.script(f).graph.str(False))
def a(x: torch.Tensor):
    "doc"
    return x + x
def b(x: torch.Tensor):
    "doc"
    "doc2"
    y = x + x
    "doc"
    return y + x
def c(x: torch.Tensor):
    "doc"
    print("doc")
    return x + x
def d(x: torch.Tensor):
    y = x + x
    if True:
        "hi"
        y = y + 1
    x.shape
    3
    return y + x
class C:
    """cl"""
    def __init__(self):
        """Doc"""
        self.x = 1
    def f(self, y: int):
        """Doc"""
        return y + self.x
def e(x: torch.Tensor):
    "doc"
    return C().f(2)
for f in (a,b,c,d,e): show(f)

for m in (torch.nn.Linear(2, 2), torch.nn.ReLU(), torch.nn.Conv2d(1, 1, 1), torch.nn.Dropout(), torch.nn.MSELoss(), torch.nn.Embedding(2, 2)):
    print(type(m).__name__, torch.jit.script(m).graph.str(False))

# what a class has besides its methods is what Python's class has
import torch

class Config:
    size = 3
    values = [1]
    def method(self):
        return 1
    @staticmethod
    def twice(x: int) -> int:
        return 2 * x

@torch.jit.script
class Counter:
    tag = "q"
    def __init__(self):
        self.x = 1
    def add(self, y: int) -> int:
        return self.x + y

def err(f, *args):
    try:
        print(torch.jit.script(f)(*args))
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

def a():
    return Config.size
def b():
    return Config.values
def c():
    return Config.method()
def d():
    return Config.twice(3)
def e():
    return Config.nothing
def f():
    return Counter.tag
def g():
    return Counter.add(1)
def h():
    return Counter.x
for fn in (a, b, c, d, e, f, g, h):
    err(fn)

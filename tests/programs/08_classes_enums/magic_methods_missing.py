# operators on objects whose class lacks the method
import torch

def attempt(action):
    try:
        print(action())
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")


class Plain:
    def __init__(self, v: int):
        self.v = v


def add(x: int):
    return Plain(x) + Plain(x)


def item(x: int):
    return Plain(x)[0]


def length(x: int):
    return len(Plain(x))


def call(x: int):
    return Plain(x)(x)


def truth(x: int):
    if Plain(x):
        return 1
    return 2


def loop(x: int):
    for i in Plain(x):
        pass
    return 1


for f in (add, item, length, call, truth, loop):
    attempt(lambda: torch.jit.script(f))

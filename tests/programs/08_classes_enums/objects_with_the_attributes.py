"""Any object that has the attributes of a script class stands for one; others say what they lack."""
from typing import List, Optional

import torch


class Base:
    def __init__(self, x: int):
        self.x = x

    def f(self) -> int:
        return self.x


class Sub(Base):
    def f(self) -> int:
        return self.x * 2


class Other:
    def __init__(self):
        self.y = 1


def one(b: Base):
    return b.f()


def some(b: List[Base]):
    return b[0].f()


def maybe(b: Optional[Base]):
    return 0 if b is None else b.f()


def caught(f, *args):
    try:
        print(f(*args))
    except RuntimeError as error:
        message = str(error)
        print(f"<<RuntimeError>>\n{message[message.index('Cast error details'):]}\n<<end>>")


class Holder(torch.nn.Module):
    b: Base

    def __init__(self):
        super().__init__()
        self.b = Sub(4)

    def forward(self, x: int):
        return self.b.f() + x


print(torch.jit.script(one)(Sub(3)), torch.jit.script(some)([Sub(4)]), torch.jit.script(Holder())(1))
text = Base(3)
text.x = "q"
for value in (Other(), 3, None, text):
    caught(torch.jit.script(one), value)
caught(torch.jit.script(maybe), Other())

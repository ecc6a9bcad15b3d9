# attributes are declared at the top level of __init__, with the type of their first value
from typing import List, Optional

import torch

def attempt(action):
    try:
        print(action())
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")


@torch.jit.script
class Declared:
    def __init__(self, n: int):
        self.items: List[int] = []
        self.number: float = n
        self.later = torch.jit.annotate(Optional[int], None)


@torch.jit.script
def use():
    d = Declared(2)
    d.items.append(1)
    d.later = 5
    return d.items, d.number, d.later


print(use(), use.schema)


def in_branch():
    @torch.jit.script
    class Branch:
        def __init__(self, n: int):
            if n > 0:
                self.x = 1


def of_itself():
    @torch.jit.script
    class Node:
        def __init__(self, next: Optional["Node"]):
            self.next = next


def without_init():
    @torch.jit.script
    class Empty:
        def m(self) -> int:
            return 1

    @torch.jit.script
    def f():
        return Empty().m()


attempt(in_branch)
attempt(of_itself)
attempt(without_init)

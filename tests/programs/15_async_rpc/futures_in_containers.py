# tasks held in lists, dicts and tuples, handed to Python and back
from typing import List

import torch


def double(x):
    return x * 2


def count(x: int, y: int = 3) -> int:
    return x + y


@torch.jit.script
def several(n: int) -> List[int]:
    tasks: List[torch.jit.Future[int]] = []
    for i in range(n):
        tasks.append(torch.jit.fork(count, i))
    return [torch.jit.wait(t) for t in tasks]


@torch.jit.script
def begin(x):
    return torch.jit.fork(double, x)


@torch.jit.script
def finish(task: torch.jit.Future[torch.Tensor]):
    return task.wait() + 1


task = begin(torch.ones(2))
print(several(3), task.done(), task.wait(), finish(task))
print(begin.schema, finish.schema)


@torch.jit.script
def lazily(x):
    a = torch.jit._awaitable(double, x)
    print("made")
    return torch.jit._awaitable_wait(a), a.shape


print(lazily(torch.ones(3)))

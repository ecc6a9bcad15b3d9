# What is not set on a path: the order of fillers, of returns within loops, and lists that nobody needs.
import torch
from typing import List


def raising(b: bool, x):
    if b:
        raise ValueError("bad")
    else:
        name = "q"
        size = x.size(0)
        ratio = 2.5
    return name, size, ratio


def leaving(b: bool, x):
    for i in range(3):
        if b:
            a = "q"
            z = x.size(0)
        else:
            return x
        x = x + z
        print(a)
    return x


def at_once(n: int):
    while True:
        n += 1
        return n


def first(n: int):
    for i in range(3):
        return n
    return 0


def unused(l: List[int], b: bool):
    if b:
        l = [z for z in l]
    return 1


def kept(l: List[int], b: bool):
    if b:
        l = [z for z in l]
        l.append(3)
    return l


for f in (raising, leaving, at_once, first, unused, kept):
    scripted = torch.jit.script(f)
    print(scripted.code)
    print(scripted.graph)

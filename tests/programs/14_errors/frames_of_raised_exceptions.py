"""Which calls show as frames of an exception that a script raises."""
import torch


def counted(n: int):
    while n > 0:
        n -= 1
        if n == 2:
            raise RuntimeError("w")
    return n


def ranged(n: int):
    for i in range(n):
        if i == 2:
            raise RuntimeError("w")
    return n


def straight(n: int):
    if n > 2:
        raise RuntimeError("w")
    return n


def a1(n: int):
    return counted(n)


def a2(n: int):
    for i in range(n):
        n += counted(n)
    return n


def a3(n: int):
    for i in range(n):
        n += ranged(n)
    return n


def a4(n: int):
    for i in range(n):
        n += straight(n)
    return n


def a5(n: int):
    for i in range(n):
        n += a4(n)
    return n


def a6(n: int):
    return straight(n)


def a7(n: int):
    for i in range(n):
        n += a6(n)
    return n


for f in (a1, a2, a3, a4, a5, a6, a7):
    try:
        torch.jit.script(f)(5)
    except Exception as error:
        lines = str(error).split("\n")
        print(f.__name__, [line.split(", ", 1)[1] for line in lines if line.startswith("  File")])

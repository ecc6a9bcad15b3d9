"""Conditions that call a method of a tensor look at it once more than others: the numbers of the values show it."""

import torch
from typing import List
from torch import Tensor


def m1(x: Tensor) -> Tensor:
    if x.any(): return x.neg()
    return x
def m2(x: Tensor) -> Tensor:
    if torch.any(x): return x.neg()
    return x
def m3(x: Tensor) -> Tensor:
    if x.all(): return x.neg()
    return x
def m4(x: Tensor) -> Tensor:
    if x.sum(): return x.neg()
    return x
def m5(x: Tensor) -> Tensor:
    if x.max(): return x.neg()
    return x
def m6(x: Tensor) -> Tensor:
    if x: return x.neg()
    return x
def m7(x: Tensor) -> Tensor:
    y = x.abs()
    if y: return x.neg()
    return x
def m8(x: Tensor) -> Tensor:
    if x.abs(): return x.neg()
    return x
def m9(x: Tensor) -> Tensor:
    if x.abs().abs(): return x.neg()
    return x
def m10(x: Tensor) -> Tensor:
    if not x.abs(): return x.neg()
    return x
def m11(x: Tensor) -> Tensor:
    if x.abs() and x.neg(): return x.neg()
    return x
def m12(x: Tensor) -> Tensor:
    if bool(x.abs()): return x.neg()
    return x
def m13(x: Tensor) -> Tensor:
    if torch.abs(x): return x.neg()
    return x
def m14(x: Tensor) -> Tensor:
    if x + x: return x.neg()
    return x
def m15(x: Tensor) -> Tensor:
    if x.any(0): return x.neg()
    return x
def m16(x: Tensor) -> Tensor:
    if (x > 1).any(): return x.neg()
    return x
def m17(x: Tensor, b: List[Tensor]) -> Tensor:
    if b[0]: return x.neg()
    return x
def m18(x: Tensor) -> Tensor:
    while x.any(): x = x.neg()
    return x
def m19(x: Tensor) -> Tensor:
    assert x.any()
    return x
def m20(x: Tensor) -> bool:
    return bool(x.any())
def m21(x: Tensor) -> bool:
    return not x.any()
def m22(x: Tensor) -> Tensor:
    return x if x.any() else x.neg()
def w1(x: Tensor) -> Tensor:
    while x.any(): x = x.neg()
    return x
def w2(x: Tensor) -> Tensor:
    while not x.any(): x = x.neg()
    return x
def w3(x: Tensor) -> Tensor:
    while x.any() and x.all(): x = x.neg()
    return x
def w4(x: Tensor) -> Tensor:
    while bool(x.any()): x = x.neg()
    return x
def w5(x: Tensor) -> Tensor:
    while x.any():
        x = x.neg()
        if x.all(): break
    return x
def w6(x: Tensor) -> Tensor:
    y = x + 1
    while (y - x).any():
        x = x.neg()
    return x + y

for name, function in list(globals().items()):
    if name[0] in "mw" and name[1:].isdigit():
        print(name)
        print(torch.jit.script(function).graph)

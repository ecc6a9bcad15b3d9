# names that are no values: functions, classes and modules of Python where a value is asked for
import math
from typing import List

import torch

def attempt(action):
    try:
        print(action())
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")


def helper(x):
    return x


def passes_function(xs: List[int]):
    return sorted(xs, key=helper)


def returns_module(x):
    return math


def reads_class(x):
    return int.real


def calls_result(x):
    return print(x)


def calls_reversed(xs: List[int]):
    return reversed(xs)


def asks_type(x: int):
    return type(x)


for f in (passes_function, returns_module, reads_class, calls_result, calls_reversed, asks_type):
    attempt(lambda: torch.jit.script(f))

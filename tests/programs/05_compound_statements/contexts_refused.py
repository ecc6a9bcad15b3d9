# what cannot stand in a with statement
from typing import Any

import torch

def attempt(action):
    try:
        print(action())
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")


class NoExit:
    def __init__(self):
        self.x = 1

    def __enter__(self):
        return 1


class TypedExit:
    def __init__(self):
        self.x = 1

    def __enter__(self):
        return 1

    def __exit__(self, kind: int, value: int, trace: int):
        pass


def number():
    with 3:
        pass


def no_exit():
    with NoExit():
        pass


def typed_exit():
    with TypedExit():
        pass


def the_class():
    with NoExit:
        pass


for f in (number, no_exit, typed_exit, the_class):
    attempt(lambda: torch.jit.script(f))

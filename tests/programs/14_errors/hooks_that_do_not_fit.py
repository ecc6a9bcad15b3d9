# Hooks of scripted modules whose signatures do not fit the module's forward.
from typing import Optional, Tuple

import torch


class Plus(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x + 1


class Both(torch.nn.Module):
    def forward(self, x: torch.Tensor, n: int):
        return x * n


class Pair(torch.nn.Module):
    def forward(self, x: Tuple[int, int]):
        return x[0]


class Nothing(torch.nn.Module):
    def forward(self):
        return 1


def optional(self, input: Tuple[torch.Tensor]) -> Optional[Tuple[torch.Tensor]]:
    return input


def ints(self, input: Tuple[int]) -> None:
    return None


def two(self, input: Tuple[torch.Tensor, int]) -> Tuple[torch.Tensor]:
    return (input[0],)


def swapped(self, input: Tuple[torch.Tensor, int]) -> Tuple[int, torch.Tensor]:
    return (input[1], input[0])


def plain(self, input: torch.Tensor) -> None:
    return None


def bare(self, input: Tuple[torch.Tensor]):
    return (input[0] * 2,)


def alone(self) -> None:
    return None


def flat(self, input: Tuple[Tuple[int, int]]) -> Tuple[int, int]:
    return input[0]


def given(self, input: Tuple[torch.Tensor], output: int):
    return output


def short(self, input: Tuple[torch.Tensor]):
    return None


def first(self, input: Tuple[torch.Tensor], output: torch.Tensor) -> int:
    return 3


def second(self, input: Tuple[torch.Tensor], output: torch.Tensor) -> torch.Tensor:
    return output


def attempt(module, before=(), after=()):
    for hook in before:
        module.register_forward_pre_hook(hook)
    for hook in after:
        module.register_forward_hook(hook)
    try:
        torch.jit.script(module)
        print("scripted")
    except Exception as error:
        print(f"<<{type(error).__name__}>>")
        print(error)
        print("<<end>>")


for hook in (optional, ints, two, plain, bare, alone):
    attempt(Plus(), before=[hook])
for hook in (two, swapped):
    attempt(Both(), before=[hook])
attempt(Pair(), before=[flat])
attempt(Nothing(), before=[ints])
for hooks in ([given], [short], [first, second], [second, first]):
    attempt(Plus(), after=hooks)

"""Modules whose source is nowhere to be found (typed at a prompt, made by ``exec``) are traced; scripts need their source."""

import copy
import io
import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")
exec(
    """
import typing

class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)
        self.register_buffer("shift", torch.ones(2))

    @property
    def moved(self):
        return self.shift * 2

    def helper(self, x):
        return x + self.moved

    def forward(self, x):
        return self.helper(self.linear(x))

class Outer(nn.Module):
    sizes: typing.Dict[str, int]

    def __init__(self):
        super().__init__()
        self.inner, self.parts, self.sizes = Inner(), nn.Sequential(Inner(), nn.ReLU()), {}

    def forward(self, x):
        return self.parts(self.inner(x))

class Several(nn.Module):
    def forward(self, *inputs):
        return inputs[0] * 2

    def infer(self, x):
        return x * 3
"""
)
x = torch.ones(1, 2)


def attempt(name, function):
    try:
        print(name, function())
    except Exception as error:
        print(name, type(error).__name__)


def loaded(traced):
    buffer = io.BytesIO()
    torch.jit.save(traced, buffer)
    buffer.seek(0)
    return torch.jit.load(buffer)


attempt("trace", lambda: torch.jit.trace(Outer(), x)(x).shape)
attempt("several", lambda: torch.jit.trace_module(Several(), {"forward": x, "infer": x}).infer(x))
attempt("loaded", lambda: loaded(torch.jit.trace(Outer(), x))(x).shape)
attempt("frozen", lambda: torch.jit.freeze(torch.jit.trace(Outer().eval(), x))(x).shape)
attempt("method", lambda: torch.jit.trace(Outer().forward, x)(x).shape)
attempt("in a script", lambda: torch.jit.script(nn.Sequential(torch.jit.trace(Inner(), x)))(x).shape)
attempt("copied", lambda: copy.deepcopy(torch.jit.trace(Inner(), x))(x).shape)
attempt("script", lambda: torch.jit.script(Outer()))

# Events that change accounts: enums and named tuples in functions, modules that keep them, their archives and errors.
import copy
import io
import math
import warnings
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


def section(f):
    print("==", f.__name__)
    try:
        f()
    except Exception as e:
        print("!!", type(e).__name__, str(e))
    return f


def tries(*fs):
    for f in fs:
        try:
            print(f())
        except Exception as e:
            print(type(e).__name__, e)


from enum import Enum


class Kind(Enum):
    ADD = 1
    SUB = 2
    END = 3


class Event(NamedTuple):
    kind: Kind
    amount: float
    tags: List[str]


class Account(NamedTuple):
    owner: str
    balance: float
    log: List[Tuple[str, float]]


@torch.jit.script
def apply(a: Account, e: Event, limit: float = -10.) -> Account:
    if e.kind == Kind.ADD:
        b = a.balance + e.amount
    elif e.kind == Kind.SUB:
        b = a.balance - e.amount
        if b < limit:
            raise ValueError("limit of {} reached: {}".format(a.owner, b))
    else:
        return a
    return Account(a.owner, b, a.log + [(e.kind.name, b)])


@torch.jit.script
def fold(a: Account, es: List[Event]) -> Tuple[Account, Dict[str, int]]:
    seen: Dict[str, int] = {}
    for e in es:
        for t in e.tags:
            if t not in seen:
                seen[t] = 0
            seen[t] += 1
        if e.kind == Kind.END:
            break
        a = apply(a, e)
    return a, seen


class Queue(nn.Module):
    pending: List[Event]
    done: Dict[str, Account]

    def __init__(self):
        super().__init__()
        self.pending = []
        self.done = {}
        self.clock = 0

    @torch.jit.export
    def push(self, e: Event, front: bool = False) -> int:
        if front:
            self.pending.insert(0, e)
        else:
            self.pending.append(e)
        return len(self.pending)

    @torch.jit.export
    def names(self) -> str:
        return ",".join([e.kind.name for e in self.pending])

    def forward(self, a: Account) -> Account:
        while len(self.pending) > 0:
            e = self.pending.pop(0)
            self.clock += 1
            if e.kind is Kind.END:
                break
            a = apply(a, e, limit=-100.)
        self.done[a.owner] = a
        return a


A = Account("ann", 5., [])
ES = [Event(Kind.ADD, 3., ["x", "y"]), Event(Kind.SUB, 1.5, ["x"]), Event(Kind.END, 0., []), Event(Kind.ADD, 100., ["z"])]


@section
def folds():
    r, s = fold(A, ES)
    print(type(r).__name__, r, s, r.log, r._asdict())
    print(fold.code, apply.graph, apply.schema, fold.graph)
    tries(lambda: fold(A, [Event(Kind.SUB, 50., [])]), lambda: apply(A, ("k", 1., [])), lambda: apply(A, Event(1, 1., [])), lambda: apply(A._replace(balance="x"), ES[0]), lambda: apply(A, ES[0], "q"), lambda: apply(("bob", 1., []), ES[0]), lambda: apply(A, None), lambda: fold(A, [1]))


@section
def queue():
    try:
        q = torch.jit.script(Queue())
        print([q.push(e) for e in ES], q.push(ES[0], True), q.names())
        print(q(A), q.clock, q.names(), q.done)
        print(q.code, q.push.code)
        b = io.BytesIO(); torch.jit.save(q, b); b.seek(0); l = torch.jit.load(b)
        print(l.names(), l.clock, l(A), l.code)
        q.push(Event(Kind.SUB, 1e6, []), True)
        tries(lambda: q(A), lambda: q.push(3), lambda: q.pending, lambda: setattr(q, "clock", "a"))
    except Exception as e:
        print(type(e).__name__, e)


@section
def series():
    @torch.jit.script
    def ewma(x: Tensor, half: float) -> Tensor:
        a = 1 - math.exp(-math.log(2.) / half)
        out = torch.empty_like(x)
        acc = x[0]
        for i in range(x.size(0)):
            acc = torch.lerp(acc, x[i], a)
            out[i] = acc
        return out
    x = torch.tensor([1., 2., 4., 8.])
    print(ewma(x, 2.), ewma.code, ewma.graph)

    class Roll(nn.Module):
        def __init__(self, n):
            super().__init__()
            self.n = n
            self.register_buffer("w", torch.arange(1., n + 1) / sum(range(1, n + 1)))

        def forward(self, x):
            return (x.unfold(-1, self.n, 1) * self.w).sum(-1), x.diff().abs().mean()
    s, t = torch.jit.script(Roll(2)), torch.jit.trace(Roll(2), x)
    print(s(x), t(x), s.code, t.code, t.graph)
    f = torch.jit.freeze(s.eval()); print(f.code, f.graph)

# Linked lists, a stack machine, LRU cache, ring buffer and matrix class as script classes.
import torch
from typing import Dict, List, Optional, Tuple


@torch.jit.script
class Node:
    next: Optional[int]

    def __init__(self, v: int):
        self.v = v
        self.next = torch.jit.annotate(Optional[int], None)


@torch.jit.script
class LinkedList:
    """nodes live in a pool, links are indices"""

    def __init__(self):
        self.pool: List[Node] = []
        self.head = torch.jit.annotate(Optional[int], None)

    def push(self, v: int):
        n = Node(v)
        n.next = self.head
        self.head = len(self.pool)
        self.pool.append(n)

    def reverse(self):
        prev: Optional[int] = None
        cur = self.head
        while cur is not None:
            assert cur is not None
            n = self.pool[cur]
            nxt = n.next
            n.next = prev
            prev = cur
            cur = nxt
        self.head = prev

    def values(self) -> List[int]:
        out: List[int] = []
        cur = self.head
        while cur is not None:
            i = torch.jit._unwrap_optional(cur)
            out.append(self.pool[i].v)
            cur = self.pool[i].next
        return out


@torch.jit.script
class Ring:
    def __init__(self, n: int):
        self.buf = torch.zeros(n)
        self.pos = 0
        self.full = False

    def add(self, x: float) -> float:
        old = float(self.buf[self.pos])
        self.buf[self.pos] = x
        self.pos = (self.pos + 1) % self.buf.size(0)
        if self.pos == 0:
            self.full = True
        return old

    def mean(self) -> float:
        n = self.buf.size(0) if self.full else self.pos
        if n == 0:
            return float("nan")
        return float(self.buf[:n].sum()) / n


@torch.jit.script
class LRU:
    def __init__(self, cap: int):
        self.cap = cap
        self.data: Dict[str, int] = {}
        self.order: List[str] = []
        self.hits, self.misses = 0, 0

    def get(self, k: str) -> Optional[int]:
        if k not in self.data:
            self.misses += 1
            return None
        self.hits += 1
        self.order.remove(k)
        self.order.append(k)
        return self.data[k]

    def put(self, k: str, v: int) -> None:
        if k in self.data:
            self.order.remove(k)
        elif len(self.data) == self.cap:
            gone = self.order.pop(0)
            del self.data[gone]
        self.data[k] = v
        self.order.append(k)


@torch.jit.script
class Machine:
    def __init__(self):
        self.stack: List[int] = []
        self.pc = 0
        self.steps = 0

    def run(self, code: List[Tuple[str, int]]) -> List[int]:
        out: List[int] = []
        while self.pc < len(code):
            op, arg = code[self.pc]
            self.pc += 1
            self.steps += 1
            if self.steps > 200:
                raise RuntimeError("runaway at pc " + str(self.pc))
            if op == "push":
                self.stack.append(arg)
            elif op == "add":
                self.stack.append(self.stack.pop() + self.stack.pop())
            elif op == "dup":
                self.stack.append(self.stack[-1 - arg])
            elif op == "swap":
                self.stack[-1], self.stack[-2] = self.stack[-2], self.stack[-1]
            elif op == "out":
                out.append(self.stack[-1])
            elif op == "jlt":
                if self.stack[-1] < arg:
                    self.pc = 2
            else:
                raise NotImplementedError(op)
        return out


@torch.jit.script
def lists() -> Tuple[List[int], List[int], int]:
    l = LinkedList()
    for i in range(5):
        l.push(i * i)
    a = l.values()
    l.reverse()
    l.push(100)
    return a, l.values(), len(l.pool)


@torch.jit.script
def rings(xs: List[float]) -> Tuple[List[float], List[float], torch.Tensor]:
    r = Ring(3)
    olds: List[float] = []
    means = [r.mean()]
    for x in xs:
        olds.append(r.add(x))
        means.append(r.mean())
    return olds, means, r.buf


@torch.jit.script
def cache() -> Tuple[List[str], List[int], Tuple[int, int]]:
    c = LRU(2)
    seen: List[int] = []
    for k, v in [("a", 1), ("b", 2), ("a", 3), ("c", 4)]:
        c.put(k, v)
    for k in ["a", "b", "c", "a"]:
        g = c.get(k)
        seen.append(g if g is not None else -1)
    return c.order, seen, (c.hits, c.misses)


@torch.jit.script
def execute(code: List[Tuple[str, int]]) -> Tuple[List[int], int, List[int]]:
    m = Machine()
    o = m.run(code)
    return o, m.steps, m.stack


print(lists())
olds, means, buf = rings([3.0, 6.0, 9.0, 12.0, 1.0])
print(olds, [round(m, 4) for m in means], buf)
print(rings([]))
print(cache())
print(execute([("push", 1), ("push", 1), ("dup", 1), ("dup", 1), ("add", 0), ("out", 0), ("jlt", 60)]))
print(execute([]))
for code in ([("push", 1), ("push", 0), ("out", 0), ("jlt", 9)], [("add", 0)], [("halt", 0)], [("push", 2), ("dup", 5)], [("push", "x")]):
    try:
        print(execute(code))
    except Exception as e:
        ls = [l.strip() for l in str(e).split("\n") if l.strip()]
        print(type(e).__name__, ls[0] if "Cast error" in ls[-1] else ls[-1])
# objects crossing the python boundary
r = Ring(2)
print(r.add(4.0), r.mean(), r.pos, r.full)


@torch.jit.script
def use_ring(r: Ring, x: float) -> float:
    r.add(x)
    return r.mean()


try:
    print(use_ring(r, 8.0), r.pos, r.full, r.buf)
except Exception as e:
    print(type(e).__name__)


def leak():
    r = Ring(2)
    r.color = 3
    return r.pos


def newattr(n: Node) -> int:
    return n.v + n.weight


def good(n: int) -> int:
    node = Node(n)
    node.v += 5
    node.next = node.v
    nx = node.next
    return 0 if nx is None else nx * 2


for f in (leak, newattr, good):
    try:
        g = torch.jit.script(f)
        print(f.__name__, "compiled", g(4) if f is good else "")
    except Exception as e:
        print(f.__name__, type(e).__name__)

import torch
from typing import Dict, List, Optional, Tuple


@torch.jit.script
class Node:
    def __init__(self, val: int):
        self.val = val
        self.left = torch.jit.annotate(Optional[int], None)
        self.right = torch.jit.annotate(Optional[int], None)


@torch.jit.script
class Tree:
    """A binary search tree in an arena."""

    def __init__(self):
        self.nodes: List[Node] = []

    def insert(self, v: int) -> bool:
        new = len(self.nodes)
        if new == 0:
            self.nodes.append(Node(v))
            return True
        cur = 0
        while True:
            n = self.nodes[cur]
            if v == n.val:
                return False
            if v < n.val:
                l = n.left
                if l is None:
                    n.left = new
                    break
                else:
                    cur = l
            else:
                r = n.right
                if r is None:
                    n.right = new
                    break
                else:
                    cur = r
        self.nodes.append(Node(v))
        return True

    def inorder(self) -> List[int]:
        out: List[int] = []
        stack: List[int] = []
        cur: Optional[int] = None
        if len(self.nodes) > 0:
            cur = 0
        go = True
        while go:
            if cur is not None:
                stack.append(cur)
                cur = self.nodes[cur].left
            elif len(stack) > 0:
                i = stack.pop()
                out.append(self.nodes[i].val)
                cur = self.nodes[i].right
            else:
                go = False
        return out

    def __len__(self) -> int:
        return len(self.nodes)

    def __contains__(self, v: int) -> bool:
        for n in self.nodes:
            if n.val == v:
                return True
        return False


@torch.jit.script
class Stack:
    def __init__(self, init: List[float]):
        self.data = init
        self.high = len(init)

    def push(self, v: float) -> "Stack":
        self.data.append(v)
        self.high = max(self.high, len(self.data))
        return self

    def pop(self) -> float:
        if len(self.data) == 0:
            raise RuntimeError("stack empty")
        return self.data.pop()

    def peek(self, default: Optional[float] = None) -> Optional[float]:
        if len(self.data) == 0:
            return default
        return self.data[-1]


@torch.jit.script
class LRU:
    def __init__(self, cap: int):
        self.cap = cap
        self.store: Dict[str, int] = {}
        self.order: List[str] = []
        self.hits = 0

    def get(self, k: str) -> int:
        if k in self.store:
            self.order.remove(k)
            self.order.append(k)
            self.hits += 1
            return self.store[k]
        return -1

    def put(self, k: str, v: int):
        if k in self.store:
            self.order.remove(k)
        elif len(self.order) == self.cap:
            old = self.order.pop(0)
            del self.store[old]
        self.store[k] = v
        self.order.append(k)


@torch.jit.script
def build(vals: List[int]) -> Tuple[List[int], int, int, bool, bool]:
    t = Tree()
    added = 0
    for v in vals:
        if t.insert(v):
            added += 1
    return t.inorder(), added, len(t), 7 in t, 70 in t


@torch.jit.script
def rpn(tokens: List[str]) -> float:
    s = Stack([])
    for t in tokens:
        if t in ["+", "-", "*", "/"]:
            b = s.pop()
            a = s.pop()
            if t == "+":
                s.push(a + b)
            elif t == "-":
                s.push(a - b)
            elif t == "*":
                s.push(a * b)
            else:
                s.push(a / b)
        else:
            s.push(float(t))
    return s.pop()


@torch.jit.script
def lru_run(ops: List[Tuple[str, int]]) -> Tuple[List[int], List[str], int]:
    c = LRU(2)
    out: List[int] = []
    for k, v in ops:
        if v < 0:
            out.append(c.get(k))
        else:
            c.put(k, v)
    return out, c.order, c.hits


@torch.jit.script
def make_tree(vals: List[int]) -> Tree:
    t = Tree()
    for v in vals:
        t.insert(v)
    return t


def attempt(name, f):
    try:
        print(name, "->", f())
    except Exception as e:
        ls = [x for x in str(e).split("\n") if x.strip()]
        print(name, type(e).__name__, "|", ls[0] if ls else "", "|", ls[-1] if ls else "")


attempt("build", lambda: build([5, 2, 8, 7, 2, 9, 1]))
attempt("build0", lambda: build([]))
attempt("rpn", lambda: rpn("3 4 + 2 * 7 /".split()))
attempt("rpn underflow", lambda: rpn(["1", "+"]))
attempt("rpn bad", lambda: rpn(["1", "x"]))
attempt("lru", lambda: lru_run([("a", 1), ("b", 2), ("a", -1), ("c", 3), ("b", -1), ("a", -1)]))
t = make_tree([4, 2, 6])
attempt("tree py", lambda: (len(t), t.inorder(), t.insert(5), t.inorder()))
attempt("tree contains", lambda: (5 in t, 50 in t))
attempt("tree nodes", lambda: [n.val for n in t.nodes])
attempt("tree node left", lambda: (t.nodes[0].left, t.nodes[1].left))
s = Stack([1.0])
attempt("stack", lambda: (s.push(2.0).push(3.5).high, s.peek(), s.pop(), s.pop(), s.pop(), s.peek(), s.peek(9.0)))
attempt("stack empty", lambda: s.pop())
attempt("wrong init", lambda: make_tree(["a"]))
attempt("stack type", lambda: type(s).__name__)

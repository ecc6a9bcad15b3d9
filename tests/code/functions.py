"""Functions whose printed code is compared with the reference's."""

import math
from enum import Enum
from typing import Dict, List, NamedTuple, Optional, Tuple, Union

import torch
from torch import Tensor


class P(NamedTuple):
    x: Tensor
    y: int


class Color(Enum):
    RED = 1
    BLUE = 2


@torch.jit.script
class Box:
    def __init__(self, v: int):
        self.v = v
        self.items: List[int] = []
    def get(self, k: int) -> int:
        self.items.append(k)
        return self.v + k


def f_basic(x, y):
    z = x + y * 2
    w = z.relu()
    w += 1
    return w / z - 3.5


def f_if(x: Tensor, n: int):
    if n > 3:
        y = x + 1
    elif n == 2:
        y = x * 2
    else:
        y = x
    return y


def f_loop(x: Tensor, n: int):
    acc = x
    for i in range(n):
        acc = acc + i
        if i > 2:
            acc = acc * 2
    return acc


def f_ret(n: int) -> str:
    if n > 0:
        return "pos"
    print("x", n)
    return "neg\n\"q\" 'z' é \t"


def f_list(x: Tensor) -> List[Tensor]:
    l = [x, x + 1]
    l.append(x * 2)
    l[0] = x
    return l


def f_tuple(x: Tensor):
    a, b = x.max(0)
    t = (a, b, 1)
    return t[0], t[2]


def f_nt(x: Tensor) -> P:
    p = P(x, 3)
    q = p.x + p.y
    return P(q, y=p.y)


def f_class(n: int) -> int:
    b = Box(n)
    b.v = 4
    return b.get(3) + b.v


def f_opt(x: Optional[Tensor], n: Optional[int] = None):
    if x is not None:
        return x + 1
    assert n is not None, "needs n"
    return torch.ones(n)


def f_const(x: Tensor):
    return x * 1e-5 + 1e20 - float("inf") + math.pi + 100000000000 - 0.1 + 1.0


def f_slice(x: Tensor):
    return x[1:, ::2, None, ..., 0], x[:, -1], x[x > 0]


def f_index_put(x: Tensor):
    x[0] = 1
    x[1:3] = torch.zeros(2)
    x[x > 3] = 0
    x[0, 1] += 2
    return x


def f_str(s: str, n: int) -> str:
    return s.upper() + "{} {}".format(n, s) + f"<{n}>" + str(n) + s[1:3]


def helper(x, n: int):
    return x * n


def f_enum(c: Color) -> int:
    if c == Color.RED:
        return c.value
    return 5


def f_comp(xs: List[int]):
    return [x * 2 for x in xs], [x for x in range(3)], {k: k + 1 for k in xs}


def f_isinst(x: Union[int, str, Tensor]) -> str:
    if isinstance(x, int):
        return str(x + 1)
    elif isinstance(x, str):
        return x
    return "t"


def f_cast(x: Tensor):
    return int(x), float(x), bool(x), x.item(), int(2.5), float(3)


def f_kw(x: Tensor):
    return torch.sum(x, dim=0, keepdim=True).to(torch.float64).sum([0, 1], dtype=torch.float), torch.zeros([2, 3], dtype=torch.int64, device="cpu")


def f_raise(n: int):
    if n > 2:
        raise ValueError("bad %d" % n)
    raise RuntimeError("no")


def f_lists(a: List[int], b: List[Tensor]):
    a.append(1)
    a += [2, 3]
    del a[0]
    a.sort()
    b.extend(b)
    return len(a), a[-1], a[1:], max(a), sum(a), torch.cat(b), torch.stack(b, 1)


def f_and(a: bool, b: bool, c: int):
    return a and b or c > 2, a if b else not a


def f_inplace(x):
    x.add_(1)
    x.mul_(2).sub_(3)
    y = x.clone()
    y *= 2
    return y


def f_complex(c: complex):
    return c + 1j, c * 2, complex(1, 2)


def f_none(x: Tensor):
    x.add_(1)


def f_unpack(x: List[Tensor]):
    a, b = x
    c, d, *e = (a, b, a, b)
    return a + b, c, e


def f_device(x: Tensor):
    return x.device, x.dtype, x.shape, x.size(0), x.dim(), x.is_cuda, x.T, x.requires_grad, torch.device("cpu")


def f_empty():
    a: List[int] = []
    b: Dict[str, Tensor] = {}
    c: Optional[int] = None
    d = torch.jit.annotate(Optional[Tensor], None)
    return a, b, c, d


def f_zip(a: List[int], b: List[str]):
    s = 0
    for i, (x, y) in enumerate(zip(a, b)):
        s += x + i
        print(y)
    return s


def f_call(x):
    return helper(x, 3) + helper(helper(x, 1), 2)


def f_dict(x: int) -> Dict[str, int]:
    d = {"a": x, "b": 2}
    d["c"] = 5
    return d


def f_div(a: int, b: float):
    return a / 2, a // 2, b % 3, -a, a ** 2, not (a > 1), a << 1, a | 2, a & 1, a ^ 3, a >> 2


def f_long_texts(x):
    if bool(x):
        print("a text that is too long to stand inside an expression", x)
    else:
        print("another text that is too long to stand inside an expression")
    return "a text that is too long to stand inside an expression"


def f_numbers(y0):
    y = y0 * 2
    y = y * 3
    y = y * 4 + y0
    _1 = (y, y0)
    return y - y0, _1


def f_defaults(x: Tensor, a: float = 1.5, b: int = 3, c: bool = True, d: Optional[int] = None, e: str = "s") -> Tuple[Tensor, float]:
    return x, a


def f_union(b: bool, q: Optional[int]):
    y: Optional[int] = None
    if b:
        y = q
    else:
        y = 2
    return y


def f_carried(b: bool):
    y: Optional[int] = None
    for i in range(3):
        if b:
            y = i
    return y


def f_order(x: Tensor, w: Tensor):
    return torch.conv2d(torch.relu(x), torch.div(torch.unsqueeze(torch.unsqueeze(w, 0), 1), torch.sum(w)), None, [1, 1])

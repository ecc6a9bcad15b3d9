from typing import Dict, List, Optional, Tuple

class _Point(object):
    def __init__(self, x: int, y: float):
        self.x = x
        self.y = y

    def step(self, by: int) -> int:
        self.x = self.x + by
        return self.x

def int_loop(n: int) -> int:
    s = 0
    for i in range(n):
        s = s + i
    return s

def int_mod(n: int) -> int:
    a, b = 0, 1
    for i in range(n):
        c = a + b
        a = b
        b = c % 1000007
    return a

def while_loop(n: int) -> int:
    i = 0
    while i < n:
        i += 1
    return i

def branches(n: int) -> int:
    k = 0
    for i in range(n):
        if i % 3 == 0:
            k += 2
        else:
            k -= 1
    return k

def float_loop(n: int) -> float:
    x = 0.5
    for i in range(n):
        x = x * 3.9 * (1.0 - x)
    return x

def list_get(n: int) -> int:
    a = [1, 2, 3, 4, 5, 6, 7, 8]
    s = 0
    for i in range(n):
        s += a[i & 7]
    return s

def list_set(n: int) -> int:
    a = [1, 2, 3, 4, 5, 6, 7, 8]
    for i in range(n):
        a[i & 7] = i
    return a[0]

def list_append(n: int) -> int:
    a: List[int] = []
    for i in range(n):
        a.append(i)
    return len(a)

def list_of_lists(n: int) -> int:
    a = [[1, 2, 3, 4], [5, 6, 7, 8]]
    s = 0
    for i in range(n):
        s += a[i & 1][i & 3]
    return s

def _difference(a: int, b: int) -> int:
    if a > b:
        return a - b
    return b - a

def call(n: int) -> int:
    s = 0
    for i in range(n):
        s = _difference(s, i)
    return s

def method(n: int) -> int:
    p = _Point(1, 2.0)
    s = 0
    for i in range(n):
        s += p.step(i)
    return s

def attribute(n: int) -> int:
    p = _Point(1, 2.0)
    for i in range(n):
        p.x = p.x + i
    return p.x

def tuple_pack(n: int) -> int:
    t = (0, 1)
    for i in range(n):
        a, b = t
        t = (b, a + 1)
    return t[0]

def optional(n: int) -> int:
    last: Optional[int] = None
    s = 0
    for i in range(n):
        if last is not None:
            s += last
        last = i
    return s

def square_root(n: int) -> float:
    s = 0.0
    for i in range(n):
        s += float(i) ** 0.5
    return s

def dict_get(n: int) -> int:
    d: Dict[int, int] = {}
    for i in range(64):
        d[i] = i
    s = 0
    for i in range(n):
        s += d[i & 63]
    return s

def str_index(n: int) -> int:
    s = "abcdefgh"
    k = 0
    for i in range(n):
        if s[i & 7] == "c":
            k += 1
    return k

def nested_loops(n: int) -> float:
    side = 20
    a = [[float((i * j) % 7) for j in range(side)] for i in range(side)]
    b = [[float((i + j) % 5) for j in range(side)] for i in range(side)]
    s = 0.0
    for turn in range(n // 8000):
        for i in range(side):
            row = a[i]
            for j in range(side):
                for k in range(side):
                    s += row[k] * b[k][j]
    return s

def planets(n: int) -> float:
    px = [0.0, 4.84, 8.34, 12.89]
    vx = [0.0, 0.6, -1.01, 1.08]
    m = [39.47, 0.037, 0.011, 0.0017]
    for turn in range(n // 6):
        for i in range(4):
            for j in range(i + 1, 4):
                dx = px[i] - px[j]
                d2 = dx * dx + 0.1
                mag = 0.01 / (d2 * d2 ** 0.5)
                vx[i] -= dx * m[j] * mag
                vx[j] += dx * m[i] * mag
        for i in range(4):
            px[i] += 0.01 * vx[i]
    return px[0]

class _Heap(object):
    def __init__(self):
        self.a: List[int] = []

    def push(self, v: int):
        self.a.append(v)
        i = len(self.a) - 1
        while i > 0 and self.a[(i - 1) // 2] > self.a[i]:
            p = (i - 1) // 2
            t = self.a[p]
            self.a[p] = self.a[i]
            self.a[i] = t
            i = p

    def pop(self) -> int:
        top = self.a[0]
        last = self.a.pop()
        if len(self.a) > 0:
            self.a[0] = last
            n = len(self.a)
            i = 0
            going = True
            while going:
                c = 2 * i + 1
                if c >= n:
                    going = False
                else:
                    if c + 1 < n and self.a[c + 1] < self.a[c]:
                        c += 1
                    if self.a[c] < self.a[i]:
                        t = self.a[c]
                        self.a[c] = self.a[i]
                        self.a[i] = t
                        i = c
                    else:
                        going = False
        return top

def heap(n: int) -> int:
    h = _Heap()
    x = 12345
    for i in range(n // 100):
        x = (x * 1103515245 + 12345) % 2147483648
        h.push(x)
    s = 0
    for i in range(n // 100):
        s ^= h.pop() + i
    return s

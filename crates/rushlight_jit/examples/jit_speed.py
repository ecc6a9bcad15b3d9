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

def dict_set(n: int) -> int:
    d: Dict[int, int] = {}
    for i in range(n):
        d[i & 1023] = i
    return len(d)

def dict_str_get(n: int) -> int:
    d = {"alpha": 1, "beta": 2, "gamma": 3}
    keys = ["alpha", "beta"]
    s = 0
    for i in range(n):
        s += d[keys[i & 1]]
    return s

def dict_count(n: int) -> int:
    words = ["the", "quick", "brown", "fox", "jumps", "over", "the", "dog"]
    d: Dict[str, int] = {}
    for i in range(n):
        w = words[i & 7]
        if w in d:
            d[w] += 1
        else:
            d[w] = 1
    return len(d)

def str_index(n: int) -> int:
    s = "abcdefgh"
    k = 0
    for i in range(n):
        if s[i & 7] == "c":
            k += 1
    return k

def str_concat(n: int) -> int:
    ks = ["abc", "de"]
    k = 0
    for i in range(n):
        s = ks[i & 1] + "defgh"
        k += len(s)
    return k

def str_format(n: int) -> int:
    k = 0
    for i in range(n):
        k += len("{}:{}".format(i, "x"))
    return k

def str_of_int(n: int) -> int:
    k = 0
    for i in range(n):
        k += len(str(i))
    return k

def str_split_join(n: int) -> int:
    ks = ["the quick brown fox", "jumps over the dog"]
    k = 0
    for i in range(n):
        k += len("-".join(ks[i & 1].split(" ")))
    return k

def pairs(n: int) -> int:
    text = "the lowest newest widest lower newer wider thing"
    merges = {"t h": 0, "th e": 1, "e r": 2, "e s": 3, "es t": 4, "l o": 5, "lo w": 6, "n e": 7, "ne w": 8, "w i": 9, "wi d": 10}
    tokens = 0
    for turn in range(n // 200):
        for w in text.split(" "):
            parts: List[str] = []
            for c in w:
                parts.append(c)
            going = len(parts) > 1
            while going:
                at = -1
                best = 1073741824
                for i in range(len(parts) - 1):
                    key = parts[i] + " " + parts[i + 1]
                    if key in merges:
                        r = merges[key]
                        if r < best:
                            best = r
                            at = i
                if at < 0:
                    going = False
                else:
                    joined: List[str] = []
                    i = 0
                    while i < len(parts):
                        if i == at:
                            joined.append(parts[i] + parts[i + 1])
                            i += 2
                        else:
                            joined.append(parts[i])
                            i += 1
                    parts = joined
                    going = len(parts) > 1
            tokens += len(parts)
    return tokens

def prefixes(n: int) -> float:
    p = [0.1, 0.05, 0.05, 0.1, 0.3, 0.1, 0.1, 0.1, 0.1]
    total = 0.0
    for turn in range(n // 2000):
        beams: Dict[str, Tuple[float, float]] = {"": (1.0, 0.0)}
        for t in range(6):
            after: Dict[str, Tuple[float, float]] = {}
            for pre, pr in beams.items():
                pb, pnb = pr
                for c in range(len(p)):
                    q = p[c]
                    if c == 0:
                        ob, onb = after.get(pre, (0.0, 0.0))
                        after[pre] = (ob + q * (pb + pnb), onb)
                    else:
                        ch = "_abcdefgh"[c]
                        longer = pre + ch
                        if len(pre) > 0 and pre[-1] == ch:
                            ob, onb = after.get(pre, (0.0, 0.0))
                            after[pre] = (ob, onb + q * pnb)
                            ob, onb = after.get(longer, (0.0, 0.0))
                            after[longer] = (ob, onb + q * pb)
                        else:
                            ob, onb = after.get(longer, (0.0, 0.0))
                            after[longer] = (ob, onb + q * (pb + pnb))
            items: List[Tuple[float, str]] = []
            for k, v in after.items():
                items.append((-(v[0] + v[1]), k))
            items.sort()
            beams = {}
            for it in items[:6]:
                beams[it[1]] = after[it[1]]
        for k, v in beams.items():
            total += v[0] + v[1]
    return total

def sort(n: int) -> int:
    a = [0]
    x = 12345
    for i in range(n // 40):
        x = (x * 1103515245 + 12345) % 2147483648
        a.append(x)
    stack = [(0, len(a) - 1)]
    while len(stack) > 0:
        lo, hi = stack.pop()
        if lo >= hi:
            continue
        p = a[(lo + hi) // 2]
        i = lo
        j = hi
        while i <= j:
            while a[i] < p:
                i += 1
            while a[j] > p:
                j -= 1
            if i <= j:
                t = a[i]
                a[i] = a[j]
                a[j] = t
                i += 1
                j -= 1
        stack.append((lo, j))
        stack.append((i, hi))
    return a[7]

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

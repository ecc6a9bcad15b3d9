//! Programs that give the same in the interpreter and as machine code: results, errors and their places, limits.

mod support;

use rushlight_tensor::Complex64;
use rushlight_types::{Limits, Value};
use std::sync::Arc;
use support::{same, same_within};

fn int(i: i64) -> Vec<Value> {
    vec![Value::Int(i)]
}

#[test]
fn loops_over_numbers() {
    let source = "
def f(n: int) -> int:
    a, b = 0, 1
    for i in range(n):
        c = a + b
        a = b
        b = c % 1000007
        if i % 3 == 0 and b > 5:
            a -= i // 2
        else:
            b += i // -3
    return a * 7 - b

def g(n: int) -> float:
    x = 0.5
    i = 0
    while i < n:
        x = x * 3.9 * (1.0 - x)
        i += 1
        if x > 0.9:
            x = x / 2
        if i == 77:
            continue
        if x < 0.0001:
            break
    return x + float(i) - int(x * 100)
";
    for n in [-1, 0, 1, 2, 10, 1000, 50_000] {
        same(source, "f", || int(n));
        same(source, "g", || int(n));
    }
    let got = same(source, "f", || int(50_000));
    assert!(!got.starts_with('!'), "{got}");
}

#[test]
fn division_is_the_languages() {
    let source = "
def f(a: int, b: int) -> Tuple[int, int, float]:
    return a // b, a % b, a / b

def g(a: int) -> List[int]:
    return [a // 1, a // -1, a // 2, a // 7, a // -7, a // 8, a % 1, a % -1, a % 8, a % 7, a % -7, a % 1024]
";
    let numbers = [
        0,
        1,
        -1,
        2,
        7,
        -8,
        1 << 40,
        i64::MAX,
        i64::MIN,
        i64::MIN + 1,
    ];
    for a in numbers {
        same(source, "g", || int(a));
        for b in numbers {
            same(source, "f", || vec![Value::Int(a), Value::Int(b)]);
        }
    }
}

#[test]
fn floats_keep_their_bits() {
    let source = "
def f(x: float, y: float) -> Tuple[float, float, float, bool, bool, bool, bool]:
    return x + y, -x * y, x - 1, x < y, x == y, x != y, x >= 2

def g(x: float) -> int:
    return int(x)

def h(x: float) -> bool:
    return bool(x)
";
    let numbers = [
        0.0,
        -0.0,
        1.5,
        -2.5,
        f64::NAN,
        f64::INFINITY,
        1e19,
        -9.3e18,
        9.2e18,
        5e-324,
    ];
    for x in numbers {
        same(source, "g", || vec![Value::Float(x)]);
        same(source, "h", || vec![Value::Float(x)]);
        for y in numbers {
            same(source, "f", || vec![Value::Float(x), Value::Float(y)]);
        }
    }
}

#[test]
fn complex_numbers() {
    let source = "
def f(n: int) -> Tuple[complex, float, int]:
    z = complex(0.0, 0.0)
    c = complex(-0.4, 1)
    s = 0.0
    k = 0
    for i in range(n):
        if abs(z) > 2.0:
            z = z - c * 2
            k += 1
        else:
            z = z * z + c
        s += abs(1 - z) - abs(z + 0.5)
    return -z, s, k

def g(n: int, a: complex) -> Tuple[List[complex], complex, bool]:
    l: List[complex] = []
    w = a
    for i in range(n):
        u = w * a + (2 - i) * w
        if i % 3 == 0:
            l.append(u / complex(2.0, 0.0))
        elif i % 3 == 1:
            w = u * (1.0 / (abs(u) + 1.0))
        else:
            w = l[-1] - u * complex(i, 0.25) + 1
            if w == a:
                break
    x = l[0] if n > 3 else a
    return l, w + x, w == x

def h(a: complex, b: complex) -> Tuple[complex, complex, float]:
    x, y = a, b
    k = 0
    while abs(y) > 0.0 and k < 300:
        x, y = y, x * y - a
        k += 1
        if abs(x) > 1000.0:
            break
    return x, y, abs(x * y)
";
    let pairs = [
        (0.3, 0.4),
        (0.0, -0.0),
        (-1.5, 2.0),
        (f64::INFINITY, 1.0),
        (f64::NAN, 0.5),
    ];
    let complex = |(re, im): (f64, f64)| Value::Complex(Arc::new(Complex64::new(re, im)));
    for n in [0, 1, 2, 5, 1000, 30_000] {
        same(source, "f", || int(n));
        for pair in pairs {
            same(source, "g", || vec![Value::Int(n.min(200)), complex(pair)]);
        }
    }
    for a in pairs {
        for b in pairs {
            same(source, "h", || vec![complex(a), complex(b)]);
        }
    }
    let got = same(source, "f", || int(1000));
    assert!(!got.starts_with('!'), "{got}");
    let got = same(source, "g", || vec![Value::Int(9), complex((0.3, 0.4))]);
    assert!(!got.starts_with('!'), "{got}");
}

#[test]
fn lists_of_numbers() {
    let source = "
def f(n: int, l: List[int]) -> Tuple[int, List[float], List[bool], int]:
    s = 0
    x: List[float] = []
    b: List[bool] = []
    for i in range(n):
        l[i % len(l)] = s
        s += l[i & 3] + l[-1]
        l.append(i)
        x.append(s * 0.5)
        b.append(s > 3)
        x[-1] += x[i // 2]
        if b[i // 3]:
            s -= 1
    return s, x, b, len(l)

def at(l: List[int], i: int) -> int:
    s = 0
    for k in range(100):
        s += l[k % 3]
    return s + l[i]

def put(l: List[float], i: int) -> List[float]:
    for k in range(100):
        l[k % 3] = k * 0.25
    l[i] = 2.0
    return l
";
    for n in [0, 1, 5, 300] {
        same(source, "f", || {
            vec![Value::Int(n), vec![1i64, 2, 3, 4, 5].into()]
        });
    }
    for i in [0, 2, 3, -1, -3, -4, i64::MAX, i64::MIN] {
        same(source, "at", || {
            vec![vec![4i64, 5, 6].into(), Value::Int(i)]
        });
        same(source, "put", || {
            vec![vec![4f64, 5.0, 6.0].into(), Value::Int(i)]
        });
    }
    let got = same(source, "at", || {
        vec![vec![4i64, 5, 6].into(), Value::Int(3)]
    });
    assert!(got.contains("list index out of range"), "{got}");
    assert!(got.contains("s + l[i]"), "{got}");
}

#[test]
fn errors_show_the_same_calls() {
    let source = "
def inner(a: int, b: int) -> int:
    s = 0
    for i in range(100):
        s += a // (b - i)
    return s

def outer(n: int) -> int:
    s = 0
    for i in range(n):
        s += inner(i, 200 - i * 20)
    return s

def raises(n: int) -> int:
    s = 0
    while True:
        s += n
        if s > 1000:
            raise ValueError('too much: ' + str(s))
    return s

def asserts(n: int) -> int:
    s = 0
    for i in range(1000):
        s += n
        assert s < 5000, 'large'
    return s
";
    for n in [0, 3, 5, 20] {
        same(source, "outer", || int(n));
        same(source, "raises", || int(n + 1));
        same(source, "asserts", || int(n));
    }
    let got = same(source, "outer", || int(20));
    assert!(got.contains("s += a // (b - i)"), "{got}");
}

#[test]
fn everything_else_is_the_hosts() {
    let source = "
class Counter(object):
    def __init__(self, n: int):
        self.n = n
        self.seen: List[int] = []

    def add(self, i: int) -> int:
        self.n += i
        self.seen.append(i)
        return self.n

def f(n: int) -> Tuple[int, Dict[str, int], List[str], Optional[int]]:
    d: Dict[str, int] = {}
    words: List[str] = []
    last: Optional[int] = None
    c = Counter(3)
    s = 0
    for i in range(n):
        w = 'w' + str(i % 5)
        if w in d:
            d[w] += i
        else:
            d[w] = 1
        words.append(w)
        t = (i, w, s * 0.5)
        a, b, x = t
        s += a + len(b) + int(x)
        s += c.add(i)
        if last is None:
            last = i
        else:
            last = last + 1
        rows = [[i, i + 1], [s]]
        s += rows[0][1] + rows[1][0] + len(c.seen) + c.seen[-1]
    return s, d, words, last
";
    for n in [0, 1, 2, 7, 60] {
        same(source, "f", || int(n));
    }
}

#[test]
fn variables_that_are_not_assigned_yet() {
    let source = "
def f(n: int) -> int:
    for i in range(n):
        if i > 3:
            return i * 2
        for k in range(i):
            if k == 2:
                break
            if i * k > 7:
                return k
    return -1
";
    for n in 0..10 {
        same(source, "f", || int(n));
    }
}

#[test]
fn limits_hold() {
    let source = "
def f(n: int) -> int:
    s = 0
    while s >= 0:
        s += n
        for i in range(10):
            s += i
    return s

def g(l: List[int]) -> int:
    while len(l) > 0:
        l[0] += 1
    return 3
";
    for instructions in [1000, 16_384, 1_000_000] {
        let limits = || {
            Some(Limits {
                instructions,
                ..Limits::default()
            })
        };
        let got = same_within(source, "f", || int(1), limits());
        assert!(got.contains("was stopped after"), "{got}");
        let got = same_within(source, "g", || vec![vec![1i64].into()], limits());
        assert!(got.contains("was stopped after"), "{got}");
    }
}

#[test]
fn strings_and_dicts_and_what_they_hold() {
    let source = r#"
class _Shelf(object):
    def __init__(self):
        self.books: Dict[str, int] = {}
        self.label = "a"

    def put(self, name: str) -> int:
        self.books[name + self.label] = len(self.books)
        return self.books[name + self.label]

def text(n: int) -> str:
    s = "the quick brown fox, déjà vu"
    out = ""
    for i in range(n):
        c = s[i % len(s)]
        if c == "q" or c in "aeiou":
            out = out + c.upper()
        elif c != " ":
            out += c + str(i)
        if len(out) > 40:
            out = "-".join(out[3:].split("o"))
    return "{}:{}:{}".format(out, n, -n)

def numbers(n: int) -> Tuple[int, List[int], List[Tuple[int, int]]]:
    d: Dict[int, int] = {}
    s = 0
    for i in range(n):
        d[i * 7 % 31] = i
        s += d.get(i, -1) + len(d)
        if i % 5 in d:
            s += d[i % 5]
        if i % 11 == 3:
            d.pop(i * 7 % 31)
    return s, list(d.keys()), list(d.items())

def pairs(n: int) -> List[Tuple[float, str]]:
    best: Dict[str, Tuple[float, float]] = {"": (1.0, 0.0)}
    for i in range(n):
        key = "ab"[i % 2] + "xyz"[: i % 3] + "c"
        a, b = best.get(key, (0.0, 0.5))
        best[key] = (a + 1.0, b * 2.0)
    out: List[Tuple[float, str]] = []
    for k, v in best.items():
        out.append((-v[0] - v[1], k))
    out.sort()
    return out

def nested(n: int) -> Tuple[int, Dict[str, List[int]]]:
    d: Dict[str, List[int]] = {}
    stack = [(0, n)]
    s = 0
    while len(stack) > 0:
        lo, hi = stack.pop()
        s += hi - lo
        key = str((hi - lo) % 4)
        if key not in d:
            d[key] = [lo]
        else:
            d[key] = d[key] + [hi]
        if hi - lo > 1:
            mid = (lo + hi) // 2
            stack.append((lo, mid))
            stack.append((mid, hi))
    return s, d

def objects(n: int) -> Tuple[int, Dict[str, int], str]:
    shelf = _Shelf()
    s = 0
    for i in range(n):
        shelf.label = "xyz"[i % 3]
        s += shelf.put(str(i % 4))
    return s, shelf.books, shelf.label

def missing(n: int) -> int:
    d = {"a": 1}
    s = 0
    for i in range(1000):
        s += d["a" if i < n else "b" + str(i)]
    return s

def outside(n: int) -> int:
    words = ["ab", "abc"]
    k = 0
    for i in range(1000):
        if words[i & 1][i // n] == "a":
            k += 1
    return k
"#;
    for n in [0, 1, 2, 7, 50, 400] {
        for name in ["text", "numbers", "pairs", "nested", "objects", "missing"] {
            same(source, name, || int(n));
        }
        if n > 0 {
            same(source, "outside", || int(n));
        }
    }
    for name in ["text", "numbers", "pairs", "nested", "objects"] {
        let got = same(source, name, || int(400));
        assert!(!got.starts_with('!'), "{name}: {got}");
    }
    assert!(same(source, "missing", || int(400)).starts_with('!'));
    assert!(same(source, "outside", || int(100)).starts_with('!'));
}

#[test]
fn what_is_said_of_characters() {
    let source = "
def asked(text: str) -> List[int]:
    said: List[int] = []
    for c in text:
        bits = 0
        if c.isdigit():
            bits += 1
        if c.isalpha() or c.isspace():
            bits += 2
        if c.isupper() != c.islower():
            bits += 4
        if c in '+-*/e':
            bits += 8
        if c not in ['x', 'y', '(']:
            bits += 16
        if 'abc'.startswith(c):
            bits += 32
        said.append(bits + 64 * 'hello'.find(c) + 4096 * 'hello'.count(c))
    return said

def f(text: str) -> Tuple[List[int], List[int], int]:
    words = 0
    for word in text.split(' '):
        if word in ['if', 'else', 'x'] and not word.isalpha():
            words += 100
        if word.isalnum():
            words += 1
    return asked(text), asked(''), words

def lists(n: int) -> List[int]:
    total: List[int] = []
    for i in range(n):
        fixed = [1, 2, 3]
        fixed.append(i)
        both = fixed + [4, 5]
        both[0] = 7
        total.extend(both[1:5])
        total.append(sum([1, 2, 3]) + max([4, i]))
    return total
";
    let texts = [
        "x + 12*(y-Ab) e\u{e9}\t\u{1f600}hello z",
        "",
        "if 12 else x a1 \u{7f}\u{80}",
    ];
    for text in texts {
        let given = || vec![Value::str(text)];
        let got = same(source, "f", given);
        assert!(!got.starts_with('!'), "{got}");
    }
    for n in [0, 1, 9] {
        same(source, "lists", || int(n));
    }
}

#[test]
fn short_strings_long_ones_and_dicts_of_plain_values() {
    let source = r#"
class _Table(object):
    def __init__(self, last: Optional[str]):
        self.counts: Dict[str, int] = {}
        self.names: Dict[int, str] = {0: "nobody"}
        self.last = last

    def add(self, word: str) -> int:
        if word in self.counts:
            self.counts[word] = self.counts[word] + 1
        else:
            self.counts[word] = 1
        self.names[len(word)] = word
        self.last = word
        return self.counts[word]

def lengths(n: int) -> Tuple[str, List[int], List[str]]:
    s = ""
    seen: List[int] = []
    kept: List[str] = []
    for i in range(n % 40):
        s = s + "abcdefg"[i % 7]
        seen.append(len(s) + ord(s[-1]) * 100 + ord(s[len(s) // 2]))
        kept.append(s)
        if s[len(s) - 1] != s[-1]:
            seen.append(-1)
    return s, seen, kept

def equal(n: int) -> List[int]:
    words = ["", "a", "abcdefghijklmn", "abcdefghijklmno", "abcdefghijklmnopqrstuvwxyz", "é", "déjà vu", "abcdefghijklmn\u00e9"]
    counts = [0, 0, 0, 0, 0, 0]
    for i in range(n):
        a = words[i % 8]
        b = words[i * 3 % 8]
        if a == b:
            counts[0] += 1
        if a != b:
            counts[1] += len(a)
        if a == "abcdefghijklmn":
            counts[2] += 1
        if "abcdefghijklmnopqrstuvwxyz" == a:
            counts[3] += 1
        if a + "x" == b + "x":
            counts[4] += 1
        if a + "" != a:
            counts[5] += 1
    return counts

def torn(n: int) -> Tuple[str, int]:
    word = "naïve déjà vu"
    out = ""
    k = 0
    for i in range(n % 50):
        c = word[i % len(word)]
        out = out + c
        if len(out) > 15:
            out = out[-2:]
        if c == word[0]:
            k += 1
        k += ord(c)
    return out + word, k

def optional(n: int) -> Tuple[int, str]:
    o: Optional[str] = None
    p: Optional[int] = None
    s = 0
    t = ""
    for i in range(n):
        if o is None:
            o = str(i % 10)
        else:
            t = o
            o = None
        if p is None:
            p = i
        else:
            s += p
            p = None
    return s, t

def dicts(n: int) -> Tuple[Dict[int, float], Dict[str, str], int, List[int]]:
    halves: Dict[int, float] = {}
    names = {"one": "eins", "two": "zwei", "a much longer key than the others": "drei"}
    keys = ["one", "two", "three", "a much longer key than the others"]
    flags: Dict[int, bool] = {3: True}
    found = 0
    maybe: Dict[str, Optional[int]] = {"one": 1, "two": None}
    out: List[int] = []
    for i in range(n):
        halves[i % 9] = i / 2
        key = keys[i % 4]
        if key in names:
            names[key] = names[key][:3] + str(i % 3)
            found += len(names[key])
        if i % 9 in halves:
            found += int(halves[i % 9])
        if i % 5 in flags:
            flags[i % 5] = not flags[i % 5]
            if flags[i % 5]:
                found += 1
        one = maybe["one"]
        if one is None:
            maybe["one"] = i
        else:
            out.append(one)
            maybe["one"] = None
    return halves, names, found, out

def table(n: int) -> Tuple[int, Dict[str, int], Dict[int, str], Optional[str]]:
    t = _Table(None)
    s = 0
    for i in range(n):
        s += t.add("word" + str(i % 6) + "sssssssssssss"[: i % 13])
    return s, t.counts, t.names, t.last

def copies(n: int) -> List[str]:
    a = ["x", "a string that is longer", "yz"]
    b = a.copy()
    for i in range(n):
        a[i % 3] = b[(i + 1) % 3]
        b[i % 3] = a[i % 3]
    return a + b

def no_key(n: int) -> int:
    d = {1: 2}
    s = 0
    for i in range(n):
        s += d[1]
        if i == 45:
            s += d[i]
    return s

def no_byte(n: int) -> int:
    word = "abc"
    s = 0
    for i in range(n):
        s += ord(word[i // 30])
    return s

def no_byte_to_number(n: int) -> int:
    words = ["a", "b", "cd"]
    s = 0
    for i in range(n):
        s += ord(words[i // 30])
    return s
"#;
    let fine = [
        "lengths", "equal", "torn", "optional", "dicts", "table", "copies",
    ];
    for n in [0, 1, 3, 33, 200] {
        for name in fine
            .iter()
            .chain(&["no_key", "no_byte", "no_byte_to_number"])
        {
            same(source, name, || int(n));
        }
    }
    for name in fine {
        let got = same(source, name, || int(200));
        assert!(!got.starts_with('!'), "{name}: {got}");
    }
    for name in ["no_key", "no_byte", "no_byte_to_number"] {
        assert!(same(source, name, || int(200)).starts_with('!'), "{name}");
    }
}

#[test]
fn numbers_that_may_be_missing() {
    let source = r#"
def flip(n: int) -> int:
    o: Optional[int] = None
    s = 0
    for i in range(n):
        if o is None:
            o = i
        else:
            s += o
            o = None
    return s

def largest(xs: List[float]) -> Optional[float]:
    best: Optional[float] = None
    for x in xs:
        if best is None or x > best:
            best = x
    return best

def three_ways(n: int) -> Tuple[int, int, int]:
    seen: Optional[bool] = None
    yes, no, unknown = 0, 0, 0
    for i in range(n):
        was: Optional[bool] = seen
        if was is None:
            unknown += 1
            seen = i % 5 < 2
        elif was:
            yes += 1
            if i % 3 == 0:
                seen = None
            else:
                seen = False
        else:
            no += 1
            if i % 2 == 0:
                seen = None
            else:
                seen = True
    return yes, no, unknown

def half(n: int) -> Optional[int]:
    if n % 2 == 1:
        return None
    return n // 2

def calls(n: int) -> Tuple[int, Optional[int]]:
    total = 0
    kept: Optional[int] = None
    for i in range(n):
        h = half(i)
        if h is not None:
            total += h
            kept = h
        else:
            kept = half(i + 3)
    return total, kept

def in_lists(n: int) -> Tuple[List[Optional[int]], int]:
    holes: List[Optional[int]] = []
    for i in range(n):
        o: Optional[int] = None
        if i % 3 != 1:
            o = i * i
        holes.append(o)
    count = 0
    for i in range(len(holes)):
        h = holes[i]
        if h is None:
            count += 1000
            holes[i] = -1
        else:
            count += h
    return holes[:6], count

def in_tuples(n: int) -> Tuple[Optional[float], Optional[bool]]:
    pair: Tuple[Optional[float], Optional[bool]] = (None, None)
    for i in range(n):
        a, b = pair
        if a is None:
            pair = (float(i) / 2, b)
        elif b is None:
            pair = (a, a > 2.5)
        else:
            pair = (None, None)
    return pair

def in_dicts(n: int) -> Tuple[int, int]:
    last: Dict[int, Optional[int]] = {}
    known: Dict[int, int] = {3: 7}
    hits, sum = 0, 0
    for i in range(n):
        k = i % 7
        got = known.get(k)
        if got is not None:
            hits += got
        if k in last:
            before = last[k]
            if before is not None:
                sum += i - before
                last[k] = None
            else:
                last[k] = i
        else:
            last[k] = i
    return hits, sum

class Meter(object):
    def __init__(self, low: Optional[int], mean: Optional[float]) -> None:
        self.low = low
        self.mean = mean
        self.resets = 0

    def see(self, x: int) -> None:
        low = self.low
        if low is None or x < low:
            self.low = x
        mean = self.mean
        if mean is None:
            self.mean = float(x)
        else:
            self.mean = mean * 0.5 + x * 0.5
        if x % 10 == 9:
            self.low = None
            self.resets += 1

def attributes(n: int) -> Tuple[Optional[int], Optional[float], int]:
    m = Meter(None, None)
    for i in range(n):
        m.see((i * 37) % 101)
    return m.low, m.mean, m.resets

def nested(n: int) -> int:
    outer: Optional[int] = None
    s = 0
    for i in range(n):
        inner: Optional[int] = outer
        for j in range(3):
            was: Optional[int] = inner
            if was is None:
                inner = i + j
            elif was % 4 == 0:
                inner = None
            else:
                inner = was + 1
        outer = inner
        if outer is not None:
            s += outer
    return s

def swapped(n: int) -> Tuple[Optional[int], Optional[int], Optional[int]]:
    a: Optional[int] = 1
    b: Optional[int] = None
    c: Optional[int] = 3
    for i in range(n):
        a, b, c = b, c, a
        if a is None:
            c = i
    return a, b, c

def defaults(n: int, step: Optional[int], scale: Optional[float]) -> float:
    s = 0.0
    for i in range(n):
        k = step if step is not None else 1
        s += float(i * k)
        if scale is not None:
            s *= scale
        if i == 5:
            if k > 1:
                step = None
            else:
                step = 2
    return s

def required(n: int) -> int:
    o: Optional[int] = None
    s = 0
    for i in range(n):
        if i < 40:
            o = i
        else:
            o = None
        assert o is not None, "nothing at " + str(i)
        s += o
    return s

def last_even(xs: List[int]) -> Optional[int]:
    found: Optional[int] = None
    i = 0
    while i < len(xs):
        if xs[i] % 2 == 0:
            found = xs[i]
        elif xs[i] < 0:
            found = None
            break
        i += 1
    return found

def popped(n: int) -> Tuple[int, List[Optional[int]]]:
    holes: List[Optional[int]] = [None]
    s = 0
    for i in range(n):
        top = holes.pop()
        if top is None:
            holes.append(i)
            holes.append(None)
            holes.append(i + 1)
        else:
            s += top
            if len(holes) == 0:
                holes.append(None)
    return s, holes[-3:]

def beyond(n: int) -> int:
    holes: List[Optional[int]] = [1, None, 3]
    s = 0
    for i in range(n):
        h = holes[i // 30]
        if h is not None:
            s += h
    return s
"#;
    let list = |n: i64, end: &[i64]| {
        let items: Vec<i64> = (0..n)
            .map(|i| i * 7 % 11)
            .chain(end.iter().copied())
            .collect();
        vec![Value::IntList(items.into())]
    };
    let fine = [
        "flip",
        "three_ways",
        "calls",
        "in_lists",
        "in_tuples",
        "in_dicts",
        "attributes",
        "nested",
        "swapped",
        "popped",
    ];
    for n in [0, 1, 2, 7, 33, 40, 200] {
        for name in fine.iter().chain(&["required", "beyond"]) {
            same(source, name, || int(n));
        }
        for step in [Value::None, Value::Int(3)] {
            for scale in [Value::None, Value::Float(0.5)] {
                same(source, "defaults", || {
                    vec![Value::Int(n), step.clone(), scale.clone()]
                });
            }
        }
        same(source, "last_even", || list(n, &[]));
        same(source, "last_even", || list(n, &[-1, 2]));
        same(source, "largest", || {
            let items: Vec<f64> = (0..n).map(|i| (i * 7919 % 1013) as f64).collect();
            vec![Value::FloatList(items.into())]
        });
    }
    for name in fine {
        let got = same(source, name, || int(200));
        assert!(!got.starts_with('!'), "{name}: {got}");
    }
    for name in ["required", "beyond"] {
        assert!(same(source, name, || int(200)).starts_with('!'), "{name}");
    }
    for fuel in [1, 10, 100, 400, 1000] {
        let limits = Limits {
            instructions: fuel,
            ..Limits::default()
        };
        for name in ["flip", "nested", "in_lists"] {
            same_within(source, name, || int(1000), Some(limits.clone()));
        }
    }
}

#[test]
fn stacks_of_tuples() {
    let source = r#"
def search(n: int) -> List[int]:
    found: List[int] = []
    stack = [(0, n)]
    while len(stack) > 0:
        low, high = stack.pop()
        if high - low < 2:
            found.append(low)
            continue
        middle = (low + high) // 2
        stack.append((middle, high))
        stack.append((low, middle))
    return found

def texts(n: int) -> List[Tuple[str, float, int]]:
    out: List[Tuple[str, float, int]] = []
    kept = ("", 0.0, 0)
    for i in range(n):
        one = (str(i * 7919) + str(i), i * 0.5, i)
        out.append(one)
        out.append(one)
        name, x, k = out.pop()
        if k % 3 == 0:
            kept = (name + kept[0][:3], x + kept[1], k)
        if len(out) > 5:
            a, b, c = out[i % len(out)]
            out.append((a, b + one[1], c))
    out.append(kept)
    return out

def rows(n: int) -> List[List[int]]:
    out: List[List[int]] = []
    row = [0]
    for i in range(n):
        row.append(i)
        out.append(row)
        out.append([i, len(row)])
        last = out.pop()
        if i % 4 == 0:
            row = last
    return out

def beyond(n: int) -> int:
    stack = [(i, i + 1) for i in range(n)]
    s = 0
    while True:
        a, b = stack.pop()
        s += a * b
    return s
"#;
    for n in [0, 1, 2, 3, 17, 100, 400] {
        for name in ["search", "texts", "rows", "beyond"] {
            same(source, name, || int(n));
        }
    }
}

#[test]
fn values_with_several_owners() {
    let source = r#"
import math

class Node:
    def __init__(self, name: str):
        self.name = name
        self.links = [0]
        self.seen: Dict[str, int] = {}
        self.next = 0

def walk(n: int) -> Tuple[int, str, List[str]]:
    counts: Dict[str, int] = {}
    lists: Dict[int, List[int]] = {}
    for i in range(n):
        key = "k" + str(i % 5)
        counts[key] = counts.get(key, 0) + i
        if i % 7 not in lists:
            lists[i % 7] = [i]
        lists[i % 7].append(i)
    total = 0
    text = ""
    for k, v in counts.items():
        total += v * len(k)
        counts[k] = v + 1
        text = text + k[1:]
    for j, l in lists.items():
        l.append(j)
        lists[j] = [j]
        total += len(l)
    for pair in lists.items():
        total += pair[0] + len(pair[1])
    kept = list(counts.items())
    return total + len(kept), text, [k + str(v) for k, v in counts.items()]

def nodes(n: int) -> Tuple[int, str, List[int]]:
    made: List[Node] = []
    for i in range(n):
        node = Node("a rather long name " + str(i % 3))
        made.append(node)
        made[i // 2].links.append(i)
        made[i // 2].seen[node.name] = made[i // 2].seen.get(node.name, 0) + 1
        made[i // 3].name = node.name
    total = 0
    links = [0]
    for node in made:
        links = node.links
        node.links = made[0].links
        total += len(links) + len(node.seen)
        seen = node.seen
        seen["x"] = total
        empty: Dict[str, int] = {}
        node.seen = empty
    made[0].links.append(7)
    return total, made[len(made) // 2].name, links

def rows(n: int) -> List[List[int]]:
    out = [[i] for i in range(4)]
    spare = [9]
    for i in range(n):
        row = out[i % 4]
        out[i % 4] = out[(i + 1) % 4]
        out[(i + 1) % 4] = row
        row.append(i)
        if i % 5 == 0:
            out[i % 4] = spare
            spare = [i]
    return out

def longer(n: int) -> Tuple[str, float, int]:
    t = ("a string that is not short", 0.5, 1, [1], (2, 3.0))
    for i in range(n):
        a, b, c, d, e = t
        d.append(i)
        t = (a, b + e[1], c + e[0] + len(d), d, (i, b))
    return t[0], t[1], t[2]

def outside(n: int) -> int:
    d = {"a": [1]}
    s = 0
    for i in range(n):
        s += len(d["a" if i < n - 1 else "b"])
    return s

def whole(n: int) -> int:
    s = 0
    x = 0.75
    for i in range(n):
        x = x * -3.5
        s += math.floor(x)
    return s
"#;
    for n in [1, 2, 3, 17, 100, 700] {
        for name in ["walk", "nodes", "rows", "longer", "outside", "whole"] {
            same(source, name, || int(n));
        }
    }
}

"""Makes mobile archives without source code and records what PyTorch's mobile interpreter answers: `python make.py`, with PyTorch.

Each class below is one archive: what `_save_for_lite_interpreter` writes, with `code/` taken out, so that only the bytecode says
what to do. `CALLS` of the class lists the calls. Some are also written in older versions of the bytecode, as far back as PyTorch converts;
version 3 is version 4 with another number. `_v9.ff` are flatbuffers, without source code but for those called `_with_source`.
"""

import io
import json
import math
import pathlib
import sys
import warnings
import zipfile
from enum import Enum
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
from torch.jit.mobile import _backport_for_mobile, _load_for_lite_interpreter

warnings.filterwarnings("ignore")
HERE = pathlib.Path(__file__).parent
ARCHIVES = []


def archive(cls):
    ARCHIVES.append(cls)
    return cls


@archive
class Arithmetic(nn.Module):
    """Numbers, comparisons, chained branches, loops of both kinds, early exits."""

    def forward(self, n: int, x: float) -> Tuple[int, float, bool]:
        total, product = 0, 1.0
        for i in range(n):
            if i % 3 == 0:
                continue
            if i > 20:
                break
            total += i * i
            product *= x
        while total > 100:
            total -= 7
        return total, product, total > n and not (x < 0.5)

    @torch.jit.export
    def collatz(self, n: int, limit: int = 1000) -> int:
        steps = 0
        while n != 1:
            if steps >= limit:
                return -1
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps

    CALLS = [("forward", 10, 1.5), ("forward", 40, 0.25), ("forward", 0, 2.0), ("collatz", 27), ("collatz", 27, 50)]


@archive
class Containers(nn.Module):
    """Lists, dicts, tuples, strings."""

    names: Dict[str, int]
    history: List[Tensor]
    empty: List[int]

    def __init__(self):
        super().__init__()
        self.names = {"a": 1}
        self.history = []
        self.empty = []

    def forward(self, xs: List[int]) -> Tuple[List[int], Dict[str, int], str, List[str]]:
        out = [x * 2 for x in xs]
        out.append(len(xs))
        first, _, _ = (xs[0], xs[-1], 5)
        d = {str(x): x for x in xs}
        d["first"] = first
        if "3" in d:
            d["three"] = d["3"]
        text = "-".join([str(x) for x in out])
        return out[::-1], d, text + "{} of {}".format(len(d), first), text.split("-")

    @torch.jit.export
    def remember(self, x: Tensor, name: str) -> Tuple[int, int, int]:
        self.history.append(x)
        self.names[name] = self.names.get(name, 0) + len(self.history)
        self.empty.append(self.names[name])
        total = 0
        for k, v in self.names.items():
            total += v + len(k)
        return total, len(self.history), self.empty[-1]

    @torch.jit.export
    def nested(self, n: int) -> List[List[Tuple[int, float]]]:
        rows: List[List[Tuple[int, float]]] = []
        for i in range(n):
            row = [(i, 0.5)]
            for j in range(i):
                row.append((j, float(i) / (j + 1)))
            rows.append(row)
        return rows

    CALLS = [
        ("forward", [1, 2, 3, 4]),
        ("remember", torch.ones(2), "a"),
        ("remember", torch.ones(1), "long"),
        ("nested", 3),
    ]


class Pair(NamedTuple):
    left: Tensor
    count: int


@archive
class Tuples(nn.Module):
    """Tuples with and without names, slices, unpacking, swaps."""

    kept: Pair

    def __init__(self):
        super().__init__()
        self.kept = Pair(torch.tensor([1.0, 2.0]), 3)

    def make(self, x: Tensor, n: int) -> Pair:
        return Pair(left=x * n, count=n + 1)

    def forward(self, x: Tensor) -> Tuple[Tensor, int, Tuple[int, int]]:
        p = self.make(x, 2)
        a, b = p
        t = (1, 2, 3, 4)
        head = t[1:3]
        b, c = head[1], b
        q = p if b > 2 else self.kept
        return a + q.left, b + c + q.count, head

    CALLS = [("forward", torch.tensor([1.0, -1.0]))]


@archive
class Optionals(nn.Module):
    """Values that may be None, refinement, defaults."""

    bias: Optional[Tensor]
    scale: Optional[float]
    later: Optional[int]

    def __init__(self):
        super().__init__()
        self.bias = None
        self.scale = 2.0
        self.later = None

    def forward(self, x: Tensor, add: Optional[Tensor] = None) -> Tensor:
        y = x
        if add is not None:
            y = y + add
        bias = self.bias
        if bias is not None:
            y = y + bias
        scale = self.scale
        if scale is None:
            scale = 1.0
        return y * scale

    @torch.jit.export
    def count(self, by: int) -> int:
        later = self.later
        if later is None:
            self.later = by
        else:
            self.later = later + by
        now = self.later
        assert now is not None
        return now

    CALLS = [("forward", torch.ones(2)), ("forward", torch.ones(2), torch.ones(2)), ("count", 4), ("count", 5)]


@archive
class Errors(nn.Module):
    """Exceptions and asserts."""

    def forward(self, n: int) -> int:
        assert n > -5, "too small"
        if n > 3:
            raise ValueError("too large: " + str(n))
        elif n == 3:
            raise RuntimeError("three")
        return n * 2

    CALLS = [("forward", 1), ("forward", 4), ("forward", 3), ("forward", -7)]


class Block(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.norm = nn.BatchNorm1d(width)
        self.linear = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self.linear(self.norm(x))) + x


@archive
class Network(nn.Module):
    """Modules in modules, convolutions, normalisation, state that training would change."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.conv = nn.Sequential(nn.Conv2d(1, 3, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten())
        self.blocks = nn.ModuleList([Block(12), Block(12)])
        self.head = nn.Linear(12, 4)
        self.register_buffer("seen", torch.zeros(1, dtype=torch.int64))
        self.eval()

    def forward(self, x: Tensor) -> Tensor:
        x = self.conv(x)
        for block in self.blocks:
            x = block(x)
        self.seen += x.size(0)
        return self.head(x).softmax(-1)

    @torch.jit.export
    def count(self) -> Tensor:
        return self.seen

    CALLS = [("forward", torch.linspace(-1, 1, 32).reshape(2, 1, 4, 4)), ("count",)]


@archive
class Texts(nn.Module):
    """Strings, formats, tests of types, warnings, properties of tensors."""

    def forward(self, x: Tensor, y: Any, z: Any) -> Tuple[str, int, bool]:
        if isinstance(y, int):
            n = y + 1
        elif isinstance(y, str):
            n = len(y)
        else:
            n = -1
        if isinstance(z, (int, float)):
            n += 100
        text = "{} has {} axes".format(n, x.dim())
        if x.dtype == torch.float32 and not x.is_cuda and x.device == torch.device("cpu"):
            text = text.upper() + "!!"
        warnings.warn("read with care")
        a, b = x.size()
        return text.replace("AXES", "sides")[2:], a * b, "has" not in text and n > 0

    CALLS = [("forward", torch.ones(2, 3), 4, "text"), ("forward", torch.ones(2, 3, dtype=torch.int64), "abc", 1.5)]


@archive
class Unset(nn.Module):
    """Variables that are set on some ways only, loops inside loops that end early, results of several types."""

    def first(self, xs: List[List[int]], wanted: int) -> Optional[Tuple[int, int]]:
        for i in range(len(xs)):
            for j, x in enumerate(xs[i]):
                if x == wanted:
                    return (i, j)
                if x < 0:
                    break
        return None

    def forward(self, xs: List[List[int]], wanted: int) -> int:
        found = self.first(xs, wanted)
        if found is None:
            return -1
        best: Optional[int] = None
        i, j = found
        k = 0
        while True:
            k += 1
            if k > i + 3:
                break
            if k % 2 == 0:
                continue
            if best is None or best < k * j:
                best = k * j
        assert best is not None
        return best

    CALLS = [("forward", [[1, 2], [3, 4, 5]], 5), ("forward", [[1, -2, 7], [3]], 7), ("forward", [[0, 9]], 9)]


@archive
class Unrolled(nn.Module):
    """Tuples asked by a number that is not written down, and code that no call reaches."""

    strides: Tuple[int, int, int]

    def __init__(self):
        super().__init__()
        self.strides = (2, 3, 5)
        torch.manual_seed(2)
        self.up = nn.ConvTranspose1d(2, 3, 3, stride=2)
        self.lstm = nn.LSTM(3, 2)

    def forward(self, x: Tensor, size: List[int]) -> Tuple[Tensor, int]:
        total = 0
        for i in range(3):
            total += self.strides[i]
        y, _ = self.lstm(self.up(x, size).transpose(1, 2))
        return y, total

    CALLS = [("forward", torch.linspace(-1, 1, 8).reshape(1, 2, 4), [10])]


@archive
class Packed(nn.Module):
    """Saves less than it holds and makes the rest when it is loaded."""

    def __init__(self):
        super().__init__()
        self.weight = torch.tensor([[0.5, -1.0], [2.0, 0.25]])
        self.scale = 0.25
        self.training = False

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.weight * self.scale

    @torch.jit.export
    def __getstate__(self):
        return (self.weight / self.scale).to(torch.int8), self.scale, self.training

    @torch.jit.export
    def __setstate__(self, state: Tuple[Tensor, float, bool]):
        self.weight = state[0].to(torch.float32) * state[1]
        self.scale = state[1]
        self.training = state[2]

    CALLS = [("forward", torch.tensor([[1.0, 2.0]]))]


@torch.jit.interface
class Activation(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        pass


class Scaled(nn.Module):
    def __init__(self, factor: float):
        super().__init__()
        self.factor = factor

    def forward(self, x: Tensor) -> Tensor:
        return x * self.factor


class Shifted(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("shift", torch.tensor([10.0, 20.0]))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.shift


@archive
class Interfaces(nn.Module):
    """Submodules that are known by their interface only."""

    first: Activation
    second: Activation

    def __init__(self):
        super().__init__()
        self.first = Scaled(0.5)
        self.second = Shifted()

    def forward(self, x: Tensor, times: int) -> Tensor:
        for i in range(times):
            if i % 2 == 0:
                x = self.first.forward(x)
            else:
                x = self.second.forward(x)
        return x

    CALLS = [("forward", torch.tensor([2.0, 4.0]), 3)]


@archive
class Tensors(nn.Module):
    """Constants, in-place operators, views, several results, lists of tensors, defaults of operators."""

    def __init__(self):
        super().__init__()
        self.table = torch.arange(12.0).reshape(3, 4)

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor, List[int]]:
        values, places = x.sort(descending=True)
        top, _ = torch.topk(values, 2)
        y = torch.zeros(2, 3, dtype=torch.float64)
        y[0] = 4
        y[1, 1:] -= 1.5
        parts = torch.cat([p.t() for p in self.table.split(2, 1)], dim=1)
        z = torch.add(parts.sum(), top, alpha=2)
        order: List[int] = places.tolist()
        return z + torch.tensor([1.0, 2.0]), y, order

    @torch.jit.export
    def kinds(self, x: Tensor) -> Tuple[int, bool, float, Tensor]:
        n = int(x.sum())
        return x.dim(), x.is_floating_point(), float(x.max()), torch.tensor(n, dtype=torch.int32) // 2

    CALLS = [("forward", torch.tensor([3.0, 1.0, 2.0])), ("kinds", torch.tensor([[1.0, 2.5]]))]


@archive
class Traced(nn.Module):
    """A trace, with a tensor as constant."""

    EXAMPLE = torch.ones(2, 2)

    def forward(self, x):
        return (x * torch.tensor([1.0, 2.0]) + torch.eye(2)).cos().sum(0)

    CALLS = [("forward", torch.tensor([[0.5, 1.0], [2.0, 0.0]]))]


class Inner(NamedTuple):
    value: Tensor
    more: Optional[Tensor] = None


class Outer(NamedTuple):
    first: Inner
    named: Dict[str, Inner]


@archive
class Nested(nn.Module):
    """NamedTuples in NamedTuples and in dicts, defined where they are first needed."""

    def make(self, x: Tensor) -> Outer:
        return Outer(Inner(x), {"a": Inner(x * 2, x), "b": Inner(x * 3)})

    def forward(self, x: Tensor) -> Tensor:
        outer = self.make(x)
        more = outer.named["a"].more
        assert more is not None
        return outer.first.value + outer.named["b"].value - more * len(outer.named)

    CALLS = [("forward", torch.tensor([1.0, 2.0]))]


class Kind(Enum):
    SMALL = 1
    LARGE = 10


class Mood(Enum):
    CALM = "calm"
    WILD = "wild"


@archive
class Enums(nn.Module):
    """Members of enums as constants, attributes and keys. PyTorch's mobile interpreter refuses them; the answers are those of the script."""

    table: Dict[str, Kind]

    def __init__(self):
        super().__init__()
        self.kind = Kind.LARGE
        self.mood = Mood.WILD
        self.table = {"a": Kind.SMALL}

    def forward(self, n: int) -> Tuple[int, str, bool]:
        kind = Kind.SMALL if n < 5 else self.kind
        self.table[self.mood.value] = kind
        total = 0
        for name, each in self.table.items():
            total += each.value * len(name)
        return total, self.mood.value, kind == Kind.LARGE

    CALLS = [("forward", 2), ("forward", 7)]
    BY_SCRIPT = True


class Restored(nn.Module):
    """Restores itself, as a part of something that does not."""

    def __init__(self):
        super().__init__()
        self.weight = torch.tensor([2.0, 4.0])
        self.training = False

    def forward(self, x: Tensor) -> Tensor:
        return x * self.weight

    @torch.jit.export
    def __getstate__(self):
        return self.weight.half(), self.training

    @torch.jit.export
    def __setstate__(self, state: Tuple[Tensor, bool]):
        self.weight = state[0].float()
        self.training = state[1]


@archive
class Kept(nn.Module):
    """Attributes of many types, tensors of many kinds, parts that restore themselves."""

    nested: Dict[str, Tuple[int, List[float]]]
    maybe: Optional[List[int]]

    def __init__(self):
        super().__init__()
        self.inner = Restored()
        self.nested = {"größe": (3, [0.5, 1.5]), "": (-1, [])}
        self.maybe = [4, 5]
        self.words = ["ä", "b"]
        self.flags = [True, False]
        self.rotation = 0.0 + 1.0j
        self.place = torch.device("cpu")
        base = torch.arange(12.0)
        self.register_buffer("base", base)
        self.register_buffer("part", base[2:8].reshape(2, 3).t())
        self.register_buffer("small", torch.tensor([1.5, -2.0], dtype=torch.bfloat16))
        self.register_buffer("wave", torch.tensor([1 + 1j, 2 - 1j]))
        self.register_buffer("bits", torch.tensor([True, False]))
        self.register_buffer("scalar", torch.tensor(7, dtype=torch.uint8))
        self.register_buffer("packed", torch.quantize_per_tensor(torch.tensor([1.0, 2.0]), 0.5, 1, torch.qint8))
        scales, zeros = torch.tensor([0.5, 0.25]), torch.tensor([0, 1])
        self.register_buffer("rows", torch.quantize_per_channel(torch.ones(2, 2), scales, zeros, 0, torch.qint8))

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor, Tensor, int]:
        y = self.inner(x).to(self.place) + self.small.float() + self.packed.dequantize()
        turned = torch.view_as_real(self.wave * self.rotation)
        self.base += 1
        total = len(self.words) + int(self.scalar) + int(self.bits.sum())
        for key, (n, values) in self.nested.items():
            total += n * len(values) + len(key)
        maybe = self.maybe
        if maybe is not None:
            total += maybe[0]
        if self.flags[0]:
            total += 1000
        return y + self.rows.dequantize(), turned, self.part, total

    CALLS = [("forward", torch.tensor([1.0, 0.5])), ("forward", torch.tensor([0.0, 0.0]))]


# Saving and recording -------------------------------------------------------------------------------------------------


def without_code(data):
    """The same archive without `code/`."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for info in old.infolist():
            if "/code/" not in info.filename:
                new.writestr(zipfile.ZipInfo(info.filename), old.read(info))
    return out.getvalue()


def encoded(x):
    """A value as expected.json holds it."""
    if isinstance(x, Tensor):
        data = [encoded_float(v) if isinstance(v, float) else int(v) for v in x.detach().flatten().tolist()]
        return {"t": str(x.dtype).removeprefix("torch."), "shape": list(x.shape), "data": data}
    if isinstance(x, float):
        return {"v": encoded_float(x), "kind": "float"}
    if x is None or isinstance(x, (bool, int, str)):
        return {"v": x}
    if isinstance(x, tuple):
        return {"tuple": [encoded(v) for v in x]}
    if isinstance(x, list):
        return {"list": [encoded(v) for v in x]}
    return {"dict": [[encoded(k), encoded(v)] for k, v in x.items()]}


def encoded_float(x):
    return x if math.isfinite(x) else str(x)


def recorded(data, cls):
    """The answers of the mobile interpreter; the file has its code, which it does not look at."""
    if hasattr(cls, "BY_SCRIPT"):
        module = torch.jit.script(cls())
        run = lambda method, *arguments: getattr(module, method)(*arguments)
    else:
        run = _load_for_lite_interpreter(io.BytesIO(data)).run_method
    entries = []
    for method, *arguments in cls.CALLS:
        entry = {"method": method, "args": [encoded(a) for a in arguments]}
        try:
            entry["result"] = encoded(run(method, *arguments))
        except Exception as error:
            line = str(error).strip().split("\n")[0]
            # Such a message would read as one with a class in front.
            entry["error"] = f"RuntimeError: {line}" if line.startswith("AssertionError: ") else line
        entries.append(entry)
    return {"calls": entries}


def flat_without_code(data):
    """The same flatbuffer without its sources."""
    return torch._C._save_mobile_module_to_bytes(torch._C._load_mobile_module_from_bytes(data), {})


def in_version_3(data):
    """An archive of version 4 as one of version 3."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for info in old.infolist():
            content = old.read(info)
            if info.filename.endswith("/bytecode.pkl"):
                assert content.startswith(b"\x80\x02K\x04")
                content = b"\x80\x02K\x03" + content[4:]
            new.writestr(zipfile.ZipInfo(info.filename), content)
    return out.getvalue()


FLAT = "Containers Optionals Packed Tensors Interfaces Unset Texts Kept".split()


def main():
    expected = {}
    for cls in ARCHIVES:
        module = torch.jit.trace(cls(), cls.EXAMPLE) if hasattr(cls, "EXAMPLE") else torch.jit.script(cls())
        versions = {8: module._save_to_buffer_for_lite_interpreter()}
        (HERE / "whole.ptl").write_bytes(versions[8])
        for version in [7, 6, 5, 4]:
            if cls.__name__ in ("Unrolled", "Network", "Tensors", "Arithmetic", "Unset", "Errors"):
                _backport_for_mobile(str(HERE / "whole.ptl"), str(HERE / "older.ptl"), version)
                versions[version] = (HERE / "older.ptl").read_bytes()
        for version, data in versions.items():
            name = f"{cls.__name__.lower()}_v{version}.ptl"
            (HERE / name).write_bytes(without_code(data))
            try:
                expected[name] = recorded(data, cls)
            except Exception as error:
                print(name, "is refused:", str(error).split("\n")[0], file=sys.stderr)
        base = cls.__name__.lower()
        if cls.__name__ in ("Tensors", "Unset"):
            (HERE / f"{base}_v3.ptl").write_bytes(in_version_3(without_code(versions[4])))
            expected[f"{base}_v3.ptl"] = recorded(versions[4], cls)
        if cls.__name__ in ("Enums", "Kept"):
            data = module._save_to_buffer_for_lite_interpreter(_use_flatbuffer=True, _extra_files={"note": "kept"})
            (HERE / f"{base}_with_source_v9.ff").write_bytes(data)
            expected[f"{base}_with_source_v9.ff"] = recorded(data, cls) | {"extra_files": {"note": "kept"}}
        if cls.__name__ in FLAT:
            data = flat_without_code(module._save_to_buffer_for_lite_interpreter(_use_flatbuffer=True))
            (HERE / f"{base}_v9.ff").write_bytes(data)
            expected[f"{base}_v9.ff"] = recorded(data, cls)
    for name in ("whole.ptl", "older.ptl"):
        (HERE / name).unlink(missing_ok=True)
    lines = (f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in expected.items())
    (HERE / "expected.json").write_text("{" + ",\n".join(lines) + "}\n")


main()

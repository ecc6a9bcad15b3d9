"""Make the archives of this folder and record what the reference answers for them.

    PYTHON make.py    PYTHON is a Python that has PyTorch

Writes NAME.pt for each function marked with `@archive`, and expected.json with the calls that the function lists:
`{file: {"calls": [{"method", "args", "result" | "error"}], "bytes": n}}`. The calls of one file are made in order on
one loaded instance. Values are written as README.md says. An archive records in which files its source stood, so
run this script from where you do not mind that.
"""

import json
import math
import pathlib
import zipfile
from enum import Enum
from typing import Dict, Final, List, NamedTuple, Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor

HERE = pathlib.Path(__file__).parent
ARCHIVES = []


def archive(make):
    """Mark a function that returns (module, calls) or (module, calls, extra files); its name is the file's."""
    ARCHIVES.append(make)
    return make


# One archive after the other ------------------------------------------------------------------------------------------


class Attributes(nn.Module):
    """An attribute of every type that can be saved."""

    optional_int: Optional[int]
    no_tensor: Optional[Tensor]
    pair: Tuple[int, str]
    nested: Dict[str, List[Tuple[int, float]]]
    by_number: Dict[int, Tensor]
    rows: List[List[int]]
    nothing_yet: List[str]
    fixed: Final[int]

    def __init__(self):
        super().__init__()
        self.whole = -(2**62)
        self.real = 0.1
        self.flag = True
        self.text = "caf\u00e9 \"quoted\"\n"
        self.optional_int = None
        self.no_tensor = None
        self.pair = (7, "seven")
        self.nested = {"a": [(1, 0.5), (2, math.inf)], "b": []}
        self.by_number = {3: torch.ones(2), -1: torch.zeros(1)}
        self.rows = [[1, 2], [], [3]]
        self.reals = [1.0, -0.0, 1e300]
        self.flags = [True, False]
        self.words = ["x", "", "yz"]
        self.tensors = [torch.tensor(1.5), torch.arange(3)]
        self.nothing_yet = []
        self.place = torch.device("cpu")
        self.fixed = 11
        self.weight = nn.Parameter(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
        for dtype in ["float16", "bfloat16", "float64", "int8", "uint8", "int16", "int32", "bool"]:
            self.register_buffer("as_" + dtype, torch.tensor([0, 1, 3]).to(getattr(torch, dtype)))
        self.register_buffer("temporary", torch.ones(2), persistent=False)
        self.register_buffer("empty", torch.zeros(0, 4))

    def forward(self, x: Tensor) -> Tensor:
        total = x @ self.weight + self.real
        for t in self.tensors:
            total = total + t.sum()
        return total * self.fixed + self.temporary

    @torch.jit.export
    def scalars(self):
        return self.whole, self.real, self.flag, self.text, self.optional_int, self.pair, self.fixed

    @torch.jit.export
    def lists(self):
        return self.rows, self.reals, self.flags, self.words, self.nothing_yet, self.tensors

    @torch.jit.export
    def dicts(self):
        return self.nested, self.by_number, self.no_tensor is None, self.place == torch.device("cpu")

    @torch.jit.export
    def buffers_of_all_kinds(self):
        floats = (self.as_float16, self.as_bfloat16, self.as_float64, self.empty)
        return floats, (self.as_int8, self.as_uint8, self.as_int16, self.as_int32, self.as_bool)


@archive
def attributes():
    return torch.jit.script(Attributes()), [
        ("forward", torch.tensor([[1.0, -1.0]])),
        ("scalars",),
        ("lists",),
        ("dicts",),
        ("buffers_of_all_kinds",),
    ]


class Box(NamedTuple):
    corner: Tensor
    size: Tuple[float, float]
    label: str = "none"


class Labelled(NamedTuple):
    boxes: List[Box]
    best: Optional[Box]


class NamedTuples(nn.Module):
    """NamedTuples as attribute, argument, result and inside each other."""

    default: Box

    def __init__(self):
        super().__init__()
        self.default = Box(torch.zeros(2), (1.0, 2.0), "default")

    def grow(self, box: Box, factor: float) -> Box:
        width, height = box.size
        return Box(box.corner * factor, (width * factor, height * factor), box.label + "+")

    def forward(self, corner: Tensor, labels: List[str]) -> Labelled:
        boxes = [self.default]
        best: Optional[Box] = None
        for i, label in enumerate(labels):
            boxes.append(self.grow(Box(corner + i, (2.0, 0.5), label), float(i + 1)))
            if label == "best":
                best = boxes[-1]
        return Labelled(boxes, best)


@archive
def named_tuples():
    return torch.jit.script(NamedTuples()), [
        ("forward", torch.tensor([1.0, 2.0]), ["a", "best"]),
        ("forward", torch.tensor([0.5, 0.5]), []),
    ]


class Mode(Enum):
    SUM = "sum"
    MEAN = "mean"
    MAX = "largest"


class Enums(nn.Module):
    """An Enum in an attribute, compared, listed and asked for its name and value."""

    mode: Mode

    def __init__(self, mode):
        super().__init__()
        self.mode = mode

    def forward(self, x: Tensor) -> Tensor:
        if self.mode == Mode.SUM:
            return x.sum()
        elif self.mode == Mode.MEAN:
            return x.mean()
        return x.max()

    @torch.jit.export
    def choose(self, value: str) -> str:
        for mode in Mode:
            if mode.value == value:
                self.mode = mode
        return self.mode.name


@archive
def enums():
    x = torch.tensor([1.0, 2.0, 6.0])
    return torch.jit.script(Enums(Mode.MEAN)), [
        ("forward", x),
        ("choose", "largest"),
        ("forward", x),
        ("choose", "unknown"),
        ("choose", "sum"),
        ("forward", x),
    ]


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


class Interfaces(nn.Module):
    """Submodules that are known by their interface only."""

    first: Activation
    second: Activation

    def __init__(self):
        super().__init__()
        self.first = Scaled(0.5)
        self.second = Shifted()

    def apply(self, which: bool, x: Tensor) -> Tensor:
        return self.first.forward(x) if which else self.second.forward(x)

    def forward(self, x: Tensor) -> Tensor:
        return self.apply(False, self.apply(True, x))


@archive
def interfaces():
    return torch.jit.script(Interfaces()), [("forward", torch.tensor([2.0, 4.0]))]


class Block(nn.Module):
    def __init__(self, width: int, residual: bool):
        super().__init__()
        self.residual = residual
        self.norm = nn.LayerNorm(width)
        self.linear = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        y = F.gelu(self.linear(self.norm(x)))
        if self.residual:
            y = y + x
        return y


class Submodules(nn.Module):
    """Modules in modules, lists and dicts; classes of one name that differ in type."""

    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(4, i > 0) for i in range(3)])
        self.heads = nn.ModuleDict({"left": nn.Linear(4, 2), "right": nn.Sequential(nn.Linear(4, 3), nn.Tanh())})
        self.skip = nn.Identity()

    def forward(self, x: Tensor) -> Dict[str, Tensor]:
        for block in self.blocks:
            x = block(x)
        out: Dict[str, Tensor] = {}
        for name, head in self.heads.items():
            out[name] = head(self.skip(x))
        return out


@archive
def submodules():
    return torch.jit.script(Submodules().eval()), [("forward", torch.randn(2, 4))]


class SharedStorage(nn.Module):
    """Tensors that share memory keep sharing it: views, a transposed view, one parameter under two names."""

    def __init__(self):
        super().__init__()
        base = torch.arange(12.0)
        self.register_buffer("base", base)
        self.register_buffer("tail", base[8:])
        self.register_buffer("turned", base.view(3, 4).t())
        self.register_buffer("every_third", base[1::3])
        self.left = nn.Linear(2, 2, bias=False)
        self.right = nn.Linear(2, 2, bias=False)
        self.right.weight = self.left.weight

    def forward(self, x: Tensor) -> Tensor:
        return self.right(self.left(x))

    @torch.jit.export
    def write(self, value: float):
        self.tail.fill_(value)
        self.turned[0, 0] = -1
        return self.base, self.turned, self.every_third


@archive
def shared_storage():
    return torch.jit.script(SharedStorage()), [
        ("forward", torch.ones(1, 2)),
        ("write", 5.0),
        ("write", 6.0),
    ]


class Memory(nn.Module):
    """State in lists, dicts and buffers that calls change."""

    seen: List[Tensor]
    counts: Dict[str, int]

    def __init__(self):
        super().__init__()
        self.seen = []
        self.counts = {"start": 100}
        self.steps = 0
        self.register_buffer("mean", torch.zeros(2))

    def forward(self, x: Tensor, tag: str):
        self.steps += 1
        self.seen.append(x)
        self.counts[tag] = self.counts.get(tag, 0) + 1
        self.mean += (x - self.mean) / self.steps
        return self.mean.clone(), self.counts, len(self.seen)

    @torch.jit.export
    def reset(self) -> int:
        forgotten = len(self.seen)
        self.seen.clear()
        self.counts.clear()
        self.steps = 0
        self.mean.zero_()
        return forgotten


@archive
def memory():
    return torch.jit.script(Memory()), [
        ("forward", torch.tensor([1.0, 2.0]), "a"),
        ("forward", torch.tensor([3.0, 6.0]), "start"),
        ("reset",),
        ("forward", torch.tensor([5.0, 5.0]), "b"),
    ]


class PackedWeights(nn.Module):
    """Saves its weight as small integers and unpacks it when it is loaded."""

    def __init__(self):
        super().__init__()
        self.weight = torch.tensor([[0.5, -1.0], [2.0, 0.25]])
        self.scale = 0.25
        self.training = False

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.weight

    @torch.jit.export
    def __getstate__(self):
        return (self.weight / self.scale).to(torch.int8), self.scale, self.training

    @torch.jit.export
    def __setstate__(self, state: Tuple[Tensor, float, bool]):
        self.scale = state[1]
        self.weight = state[0].to(torch.float32) * self.scale
        self.training = state[2]


class HoldsPacked(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = PackedWeights()
        self.last = 3.0

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x) + self.last


@archive
def set_state():
    return torch.jit.script(HoldsPacked()), [("forward", torch.tensor([[1.0, 2.0]]))]


def smooth(x: Tensor, steps: Tensor) -> Tensor:
    window = torch.hann_window(5, periodic=False)
    y = F.conv1d(F.pad(x[None, None], (2, 2), mode="reflect"), window[None, None] / window.sum())
    return (y[0, 0] * steps.exp()).clamp(-2, 2)


@archive
def traced_function():
    return torch.jit.trace(smooth, (torch.randn(9), torch.zeros(9))), [
        ("forward", torch.linspace(-3, 3, 9), torch.full((9,), 0.1)),
        ("forward", torch.ones(12), torch.zeros(12)),
    ]


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, stride=2, padding=1, groups=1)
        self.norm = nn.BatchNorm2d(4)
        self.rest = nn.Sequential(nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(16, 5))

    def forward(self, x):
        return self.rest(self.norm(self.conv(x))).log_softmax(-1), {"shape": torch.tensor(x.shape)}


@archive
def traced_module():
    model = Small().eval()
    return torch.jit.trace(model, torch.randn(1, 3, 8, 8), strict=False), [("forward", torch.randn(2, 3, 8, 8))]


class Constants(nn.Module):
    """Tensors, odd numbers and odd texts that stand in the code or beside it."""

    limits: Final[List[int]]
    name: Final[str]

    def __init__(self):
        super().__init__()
        self.limits = [-1, 2**40]
        self.name = "tab\tquote'\\"
        self.inner = torch.jit.trace(lambda x: x * torch.tensor([1.0, 2.0]) + torch.eye(2), torch.ones(2, 2))

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x)

    @torch.jit.export
    def numbers(self):
        return float("inf"), -float("inf"), 1e-320, 0.1 + 0.2, 1e22, -(2**63), self.limits[1] + self.limits[0], -0.0

    @torch.jit.export
    def texts(self):
        return self.name, "\u20ac\U0001f600", "\x00\x7f", 'a"b', "", r"\d"


@archive
def constants():
    return torch.jit.script(Constants()), [("forward", torch.ones(2, 2)), ("numbers",), ("texts",)]


class Extra(nn.Module):
    def forward(self, x: int) -> int:
        return 3 * x + 1


@archive
def extra_files():
    files = {"labels.txt": "cat\ndog\n", "config/settings.json": '{"threshold": 0.5}', "empty": ""}
    return torch.jit.script(Extra()), [("forward", 5), ("forward", -(2**40))], files


@torch.jit.script
class Interval:
    def __init__(self, low: float, high: float):
        self.low = low
        self.high = high

    def __contains__(self, x: float) -> bool:
        return self.low <= x and x < self.high

    def widen(self, x: float) -> "Interval":
        self.low = min(self.low, x)
        self.high = max(self.high, x)
        return self

    @property
    def width(self) -> float:
        return self.high - self.low


class ScriptClasses(nn.Module):
    """Instances of a script class in a local, an attribute and a list."""

    def __init__(self):
        super().__init__()
        self.range = Interval(0.0, 1.0)

    def forward(self, xs: List[float]):
        local = Interval(0.0, 0.0)
        inside = [x in self.range for x in xs]
        for x in xs:
            local.widen(x)
        both = [local, self.range.widen(2.0)]
        return inside, local.width, sum([r.width for r in both])


@archive
def script_classes():
    return torch.jit.script(ScriptClasses()), [("forward", [0.5, 1.5, -1.0]), ("forward", [1.5])]


class ControlFlow(nn.Module):
    """Branches, loops, early returns, and exceptions of several kinds."""

    def search(self, xs: List[int], wanted: int) -> Optional[int]:
        for i, x in enumerate(xs):
            if x == wanted:
                return i
            if x < 0:
                break
        return None

    def forward(self, xs: List[int], wanted: int) -> int:
        place = self.search(xs, wanted)
        if place is None:
            raise ValueError(f"{wanted} is not among {len(xs)} numbers")
        assert xs[place] != 13, "thirteen"
        return xs[place + 1] // place

    @torch.jit.export
    def digits(self, n: int) -> str:
        out = ""
        while n > 0:
            n, digit = n // 10, n % 10
            if digit == 0:
                continue
            out = "abcdefghi"[digit - 1] + out
        return out


@archive
def control_flow():
    return torch.jit.script(ControlFlow()), [
        ("forward", [4, 6, 9], 6),
        ("forward", [4, 6], 6),
        ("forward", [4, 6], 4),
        ("forward", [4, -6, 7], 7),
        ("forward", [1, 13, 2], 13),
        ("digits", 10203),
    ]


class Recurrent(nn.Module):
    """A recurrent network over a sequence of any length, and an embedding."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(10, 6, padding_idx=0)
        self.lstm = nn.LSTM(6, 5, num_layers=2, batch_first=True, bidirectional=True)
        self.cell = nn.GRUCell(10, 4)

    def forward(self, tokens: Tensor, state: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
        y, (h, _) = self.lstm(self.embedding(tokens))
        if state is None:
            state = torch.zeros(tokens.size(0), 4)
        for step in range(y.size(1)):
            state = self.cell(y[:, step], state)
        return state, h.mean(0)


@archive
def recurrent():
    return torch.jit.script(Recurrent()), [
        ("forward", torch.tensor([[1, 5, 0], [9, 2, 3]])),
        ("forward", torch.tensor([[4]]), torch.ones(1, 4)),
    ]


class Measured(nn.Module):
    """Blocks that a profiler would measure, letters beyond ASCII in the source that errors show, a device with a number."""

    def __init__(self):
        super().__init__()
        self.places = {"here": torch.device("cpu"), "there": torch.device("cuda:1")}
        self.words = {"\U0001f389": 3}

    def forward(self, x: Tensor, key: str) -> Tuple[Tensor, str, int]:
        with torch.autograd.profiler.record_function("block"):
            y = x * 2
        return y.to(self.places["here"]), str(self.places["there"]) + "\u00df\U0001f389", self.words[key] + len("\U0001f389")


@archive
def measured():
    return torch.jit.script(Measured()), [("forward", torch.ones(2), "\U0001f389"), ("forward", torch.ones(2), "\u00df")]


class Rows(nn.Module):
    """Quantized rows with zero points that are no integers, means whose halves round by the order in memory."""

    def __init__(self):
        super().__init__()
        weight = torch.linspace(-1, 2, 24).reshape(4, 6)
        scales = torch.tensor([0.011, 0.02, 0.03, 0.04])
        self.register_buffer("weight", torch.quantize_per_channel(weight, scales, torch.tensor([100.25, 2.5, 7.0, 0.75]), 0, torch.quint8))
        integers = (torch.arange(96) * 37 % 251).to(torch.uint8).reshape(1, 24, 2, 2)
        image = torch._make_per_tensor_quantized_tensor(integers, 0.0032, 0)
        self.register_buffer("image", image.contiguous(memory_format=torch.channels_last))

    def forward(self, i: Tensor) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
        table = torch.ops.quantized.embedding_bag_prepack(self.weight)
        rows = torch.ops.quantized.embedding_byte(table, i)
        bags = torch.ops.quantized.embedding_bag_byte(table, i, torch.tensor([0, 2]))
        zero_points = self.weight.q_per_channel_zero_points()
        return rows, bags, zero_points, self.image.mean([2, 3]).int_repr()

    @torch.jit.export
    def activated(self, x: Tensor) -> Tensor:
        q = torch.quantize_per_tensor(x, 0.05, 3, torch.quint8)
        assert q.is_quantized and not x.is_quantized
        return torch.ops.quantized.elu(q, 0.1, 2).dequantize()


@archive
def quantized_rows():
    return torch.jit.script(Rows()), [("forward", torch.tensor([3, 0, 1])), ("activated", torch.linspace(-1, 1, 5))]


class Sequences(nn.Module):
    """A recurrent layer with packed weights, for whole batches and for packed sequences, and a cell on its own."""

    def __init__(self):
        super().__init__()
        self.layers = nn.LSTM(3, 2, bidirectional=True)
        self.cell = nn.GRUCell(3, 2)

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        return self.layers(x)[0], self.cell(x[0])


class Packed(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        return self.inner(x)

    @torch.jit.export
    def packed(self, data: Tensor, lengths: Tensor) -> Tensor:
        layers = self.inner.layers
        state = torch.zeros(2, int(lengths[0]), 2)
        return layers.forward_impl(data, (state, state), lengths, int(lengths[0]), None)[0]


@archive
def quantized_sequences():
    quantize = torch.ao.quantization.quantize_dynamic
    inner = quantize(Sequences().eval(), {nn.LSTM, nn.GRUCell}, dtype=torch.qint8)
    calls = [("forward", torch.linspace(-1, 1, 18).reshape(3, 2, 3)), ("packed", torch.linspace(-1, 1, 15).reshape(5, 3), torch.tensor([2, 2, 1]))]
    return torch.jit.script(Packed(inner)), calls


@torch.jit.interface
class Part(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        pass


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.count = 0

    def forward(self, x: Tensor) -> Tensor:
        self.count += 1
        return x * self.count


class Shifting(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + 10


class Picked(nn.Module):
    """Parts picked by a number that only running tells; tensors whose conjugation is pending."""

    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList([Counting(), Shifting()])
        self.register_buffer("turned", torch.tensor([1 + 2j, 3 - 1j]).conj())
        self.register_buffer("imaginary", torch.tensor([1 + 2j, 3 - 1j]).conj().imag)

    def forward(self, x: Tensor, i: int) -> Tuple[Tensor, Tensor, Tensor]:
        part: Part = self.parts[i]
        return part.forward(x), torch.view_as_real(self.turned.resolve_conj()), self.imaginary + 0


@archive
def picked():
    return torch.jit.script(Picked()), [("forward", torch.ones(2), i) for i in (0, 1, 0)]


class Cells(nn.Module):
    """Recurrent cells with packed weights, which are unpacked by a method when they are saved; volumes of integers."""

    def __init__(self):
        super().__init__()
        self.tanh = nn.RNNCell(3, 2)
        self.relu = nn.RNNCell(3, 2, nonlinearity="relu")

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        return self.tanh(x), self.relu(x)


class Volumes(nn.Module):
    def __init__(self, cells):
        super().__init__()
        self.cells = cells
        weight = torch.quantize_per_tensor(torch.linspace(-1, 1, 8).reshape(1, 1, 2, 2, 2), 0.01, 0, torch.qint8)
        self.packed = torch.ops.quantized.conv3d_prepack(weight, None, [1, 1, 1], [0, 0, 0], [1, 1, 1], 1)

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        return self.cells(x)

    @torch.jit.export
    def volume(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        q = torch.quantize_per_tensor(x, 0.02, 50, torch.quint8)
        weight, _ = self.packed.unpack()
        y = torch.ops.quantized.conv3d(q, self.packed, 0.05, 20)
        return F.interpolate(y, scale_factor=2.0).int_repr(), weight.int_repr()


@archive
def quantized_cells():
    cells = torch.ao.quantization.quantize_dynamic(Cells().eval(), {nn.RNNCell}, dtype=torch.qint8)
    calls = [("forward", torch.linspace(-1, 1, 6).reshape(2, 3)), ("volume", torch.linspace(-1, 1, 27).reshape(1, 1, 3, 3, 3))]
    return torch.jit.script(Volumes(cells)), calls


class Steps(nn.Module):
    """What is not linear with quantized tensors: comparisons, thresholds, pools, writing in place, and a conversion that is refused."""

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        q = torch.quantize_per_tensor(x, 0.05, 128, torch.quint8)
        other = torch.quantize_per_tensor(x, 0.1, 100, torch.quint8)
        pooled = torch.ops.quantized.max_pool2d(q[None], [2, 2], [1, 1], [0, 0], [1, 1], False)
        above = F.threshold(q, 0.1, 0.0)
        filled = q.clone().fill_(0.52)
        filled[0].copy_(x[0] * 0.5)
        return q > 0.5, q == other, pooled.int_repr(), above.int_repr(), filled.int_repr()

    @torch.jit.export
    def refused(self, x: Tensor) -> Tensor:
        return torch.quantize_per_tensor(x, 0.05, 128, torch.quint8).float()


@archive
def quantized_steps():
    x = torch.linspace(-2, 2, 24).reshape(2, 3, 4)
    return torch.jit.script(Steps()), [("forward", x), ("refused", x)]


class Shade(Enum):
    DARK = 1
    LIGHT = 2


class Clipped:
    def __init__(self, most: float = math.log(62.5), device: torch.device = torch.device("cpu"), steps: int = 2 + 1):
        self.most = most
        self.device = device
        self.steps = steps

    def scaled(self, by: int = -3, pair: Tuple[int, int] = (1, 2)) -> int:
        return by * self.steps + pair[1]


class Defaults(nn.Module):
    """Parameters with defaults of every kind that code can spell."""

    def forward(
        self, most: float = math.log(62.5), device: torch.device = torch.device("cpu"), kind: torch.dtype = torch.float32,
        pair: Tuple[int, int] = (1, 2), high: float = math.inf, low: float = -math.inf, text: str = "a'b\n",
        maybe: Optional[float] = -2.5, flag: bool = not False, large: float = 1e20, shade: Shade = Shade.LIGHT,
    ):
        clipped = Clipped(steps=1)
        values = (most, kind, pair, high, low, text, maybe, flag, large)
        return values, str(device), shade.name, clipped.most, clipped.scaled(), clipped.scaled(2, (3, 4))


@archive
def defaults():
    return torch.jit.script(Defaults()), [("forward",), ("forward", 1.5)]


# Saving and recording -------------------------------------------------------------------------------------------------


def encoded(x):
    """A value as expected.json holds it."""
    if isinstance(x, Tensor):
        flat = x.detach().flatten().tolist()
        data = [encoded_float(v) if isinstance(v, float) else int(v) for v in flat]
        return {"t": str(x.dtype).removeprefix("torch."), "shape": list(x.shape), "data": data}
    if isinstance(x, float):
        return {"v": encoded_float(x), "kind": "float"}
    if x is None or isinstance(x, (bool, int, str)):
        return {"v": x}
    if isinstance(x, tuple):
        return {"tuple": [encoded(v) for v in x]}
    if isinstance(x, list):
        return {"list": [encoded(v) for v in x]}
    if isinstance(x, dict):
        return {"dict": [[encoded(k), encoded(v)] for k, v in x.items()]}
    raise TypeError(f"no form for {type(x).__name__}")


def encoded_float(x):
    return x if math.isfinite(x) else str(x)


def recorded_call(module, method, arguments):
    """One entry of `calls`, made on a loaded module."""
    entry = {"method": method, "args": [encoded(a) for a in arguments]}
    try:
        with torch.no_grad():
            entry["result"] = encoded(getattr(module, method)(*arguments))
    except (RuntimeError, torch.jit.Error) as error:
        entry["error"] = str(error).strip().split("\n")[-1]
    return entry


def without_lines_of_libraries(path):
    """Take out the source lines that errors would show for code of PyTorch's own modules."""
    with zipfile.ZipFile(path) as archive:
        records = [(info, archive.read(info)) for info in archive.infolist()]
    with zipfile.ZipFile(path, "w") as archive:
        for info, content in records:
            if "/code/__torch__/torch/" not in info.filename or not info.filename.endswith(".debug_pkl"):
                archive.writestr(zipfile.ZipInfo(info.filename), content)


def main():
    torch.set_num_threads(1)
    entries = []
    for make in ARCHIVES:
        torch.manual_seed(20)
        module, calls, *extra = make()
        path = HERE / f"{make.__name__}.pt"
        torch.jit.save(module, str(path), _extra_files=extra[0] if extra else None)
        if make.__name__ in ("measured", "quantized_rows", "quantized_sequences", "picked", "quantized_cells", "quantized_steps"):
            without_lines_of_libraries(path)
        loaded = torch.jit.load(str(path))
        record = {
            "calls": [recorded_call(loaded, method, arguments) for method, *arguments in calls],
            "bytes": path.stat().st_size,
        }
        if extra:
            record["extra_files"] = extra[0]
        entries.append(f"{json.dumps(path.name)}: {json.dumps(record)}")
        print(f"{path.name}: {record['bytes']} bytes, {len(calls)} calls")
    (HERE / "expected.json").write_text("{" + ",\n".join(entries) + "}\n")


if __name__ == "__main__":
    main()

"""Makes archives as older versions of PyTorch wrote them, and records what PyTorch answers: `python make.py`, with PyTorch.

Each case is the body of a `forward` in the code that an archive of some file format version holds.
"""

import io
import json
import pathlib
import zipfile

import torch

HERE = pathlib.Path(__file__).parent

# (name, file format version, parameters, result, body)
CASES = [
    ("div1", 3, "x: Tensor, y: Tensor", "Tuple[Tensor, Tensor, Tensor]", "    a = torch.div(x, y)\n    b = torch.div(x, 2)\n    c = torch.div(x, 2.5)\n    return (a, b, c)"),
    ('divmode', 3, 'x: Tensor, y: Tensor', 'Tuple[Tensor, Tensor, Tensor, Tensor]', '    a = torch.div(x, y, rounding_mode="floor")\n    b = torch.div(x, 2, rounding_mode="trunc")\n    c = torch.div(x, 2, rounding_mode=None)\n    d = torch.div(x, y, rounding_mode=None)\n    return (a, b, c, d)'),
    ("div_", 3, "x: Tensor, y: Tensor", "Tuple[Tensor, Tensor]", "    z = torch.clone(x)\n    a = torch.div_(z, y)\n    w = torch.clone(x)\n    b = torch.div_(w, 2)\n    return (a, b)"),
    ("div_f", 3, "x: Tensor, y: Tensor", "Tensor", "    w = torch.clone(x)\n    b = torch.div_(w, 2.5)\n    return b"),
    ('div_mode', 3, 'x: Tensor, y: Tensor', 'Tuple[Tensor, Tensor]', '    z = torch.clone(x)\n    a = torch.div_(z, y, rounding_mode="floor")\n    w = torch.clone(x)\n    b = torch.div_(w, 2, rounding_mode="trunc")\n    return (a, b)'),
    ("divout", 3, "x: Tensor, y: Tensor", "Tensor", "    z = torch.clone(x)\n    a = torch.div(x, y, out=z)\n    return z"),
    ('divoutmode', 3, 'x: Tensor, y: Tensor', 'Tensor', '    z = torch.clone(x)\n    a = torch.div(x, y, rounding_mode="floor", out=z)\n    return z'),
    ("full", 4, "x: Tensor, y: Tensor", "Tuple[Tensor, Tensor, Tensor]", "    a = torch.full([2], 3)\n    b = torch.full([2], True)\n    c = torch.full([2], 2, dtype=4)\n    return (a, b, c)"),
    ("fullout", 4, "x: Tensor, y: Tensor", "Tensor", "    z = torch.clone(x)\n    a = torch.full([2, 2], 3, out=z)\n    return z"),
    ("lin", 7, "x: Tensor, y: Tensor", "Tuple[Tensor, Tensor, Tensor]", "    a = torch.linspace(0, 10)\n    b = torch.linspace(0, 10, None, dtype=6)\n    c = torch.linspace(0, 10, 5)\n    return (a, b, c)"),
    ("linout", 7, "x: Tensor, y: Tensor", "Tensor", "    z = torch.clone(y)\n    a = torch.linspace(0, 10, None, out=z)\n    return a"),
    ("log", 8, "x: Tensor, y: Tensor", "Tuple[Tensor, Tensor]", "    a = torch.logspace(0, 1)\n    b = torch.logspace(0, 1, None, 2.)\n    return (a, b)"),
    ("logout", 8, "x: Tensor, y: Tensor", "Tensor", "    z = torch.empty([3])\n    a = torch.logspace(0, 1, None, 10., out=z)\n    return z"),
    ("gelu", 9, "x: Tensor, y: Tensor", "Tensor", "    return torch.gelu(y)"),
    ("geluout", 9, "x: Tensor, y: Tensor", "Tensor", "    z = torch.clone(y)\n    a = torch.gelu(y, out=z)\n    return z"),
    ("subcmul2", 2, "x: Tensor, y: Tensor", "Tensor", "    return torch._test_serialization_subcmul(x, y, 2)"),
    ("opver", 1, "x: Tensor, y: Tensor", "Tensor", "    return torch.add(x, y, alpha=1)"),
    ("conv12", 3, "x: Tensor, y: Tensor", "Tensor", "    return torch._convolution(torch.ones([1, 1, 4, 4]), torch.ones([1, 1, 2, 2]), None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1, False, False, True)"),
    ("upsample", 3, "x: Tensor, y: Tensor", "Tensor", "    return torch.upsample_bilinear2d(torch.ones([1, 1, 4, 4]), [8, 8], True, None, None)"),
    ("upsample2", 2, "x: Tensor, y: Tensor", "Tensor", "    return torch.upsample_nearest2d(torch.ones([1, 1, 2, 2]), [4, 4])"),
    ('interp', 2, 'x: Tensor, y: Tensor', 'Tensor', '    return torch.__interpolate(torch.ones([1, 1, 2, 2]), [4, 4], None, "nearest", None)'),
    ('interp2', 2, 'x: Tensor, y: Tensor', 'Tensor', '    return torch.__upsample(torch.ones([1, 1, 2, 2]), [4, 4], None, "nearest", None)'),
    ("unwrap", 2, "x: Tensor, y: Optional[Tensor]", "Tensor", "    if torch.__isnot__(y, None):\n      z = torch._unwrap_optional(y)\n    else:\n      z = x\n    w = ops.prim.unchecked_unwrap_optional(y)\n    return torch.add(z, w)"),
    ("prims", 2, "x: Tensor, y: Tensor", "Tensor", "    n = ops.prim.NumToTensor(torch.size(x, 0))\n    m = int(n)\n    k = annotate(int, n)\n    return torch.view(x, [m, k])"),
    ("eqlist", 2, "x: Tensor, y: Tensor", "bool", "    a = torch.eq(torch.size(x), [2, 2])\n    return a"),
    ("addmm", 2, "x: Tensor, y: Tensor", "Tensor", "    return torch.addmm(torch.ones([2]), torch.to(x, 6, False, False), torch.to(y, 6, False, False), beta=1, alpha=1)"),
    ("dropout", 2, "x: Tensor, y: Tensor", "Tensor", "    return torch.dropout(y, 0.5, False)"),
    ("maxp", 2, "x: Tensor, y: Tensor", "Tuple[Tensor, Tensor]", "    a, b = torch.max_pool2d_with_indices(torch.ones([1, 1, 4, 4]), [2, 2], [2, 2], [0, 0], [1, 1], False)\n    return (a, b)"),
    ("floordiv", 2, "x: Tensor, y: Tensor", "Tensor", "    return torch.floor_divide(x, y)"),
    ("listcomp", 2, "x: Tensor, y: Tensor", "Tensor", "    a = annotate(List[Tensor], [])\n    for i in range(2):\n      _0 = torch.append(a, torch.select(x, 0, i))\n    return torch.stack(a, 0)"),
    ("stft", 7, "x: Tensor, y: Tensor", "Tensor", "    return torch.stft(torch.ones([16]), 8, 4, None, torch.ones([8]), False, True, False)"),
    ("opset", 1, "x: Tensor, y: Tensor", "Tensor", "    return torch.sum(x, dtype=None)"),
    ('einsum', 3, 'x: Tensor, y: Tensor', 'Tensor', '    return torch.einsum("ij,jk->ik", [torch.to(x, 6, False, False, None), y])'),
    ("gather", 3, "x: Tensor, y: Tensor", "Tensor", "    return torch.gather(x, 0, torch.to(x, 4, False, False, None), sparse_grad=False)"),
    ("std", 3, "x: Tensor, y: Tensor", "Tuple[Tensor, Tensor]", "    return (torch.std(y, [0], True, False), torch.var(y, True))"),
    ("softmax", 3, "x: Tensor, y: Tensor", "Tuple[Tensor, Tensor]", "    return (torch.softmax(y, 1, None), torch.log_softmax(y, 1, dtype=None))"),
    ("argmax", 3, "x: Tensor, y: Tensor", "Tensor", "    return torch.argmax(y, None, False)"),
    ("cumsum", 3, "x: Tensor, y: Tensor", "Tensor", "    return torch.cumsum(y, 0, dtype=None)"),
    ("topk", 3, "x: Tensor, y: Tensor", "Tensor", "    v, i = torch.topk(y, 1, -1, True, True)\n    return v"),
    ("quantile", 3, "x: Tensor, y: Tensor", "Tensor", "    return torch.quantile(y, 0.5, None, False)"),
]

DATA = b"\x80\x02c__torch__\nPlaceholderModule\nq\x00)\x81}(X\x08\x00\x00\x00trainingq\x01\x88ubq\x02."


def archive(version, parameters, result, body):
    """The bytes of an archive."""
    code = (
        "class PlaceholderModule(Module):\n  __parameters__ = []\n  training : bool\n"
        f"  def forward(self: __torch__.PlaceholderModule,\n    {parameters}) -> {result}:\n{body}\n"
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as out:
        for name, content in [
            ("version", f"{version}\n"),
            ("data.pkl", DATA),
            ("code/__torch__.py", code),
            ("constants.pkl", b"\x80\x02)."),
        ]:
            out.writestr(zipfile.ZipInfo(f"archive/{name}"), content)
    return buffer.getvalue()


def recorded(value):
    """A value as `expected.json` has it."""
    if isinstance(value, torch.Tensor):
        return {"t": str(value.dtype)[6:], "shape": list(value.shape), "data": value.flatten().tolist()}
    if isinstance(value, tuple):
        return {"tuple": [recorded(v) for v in value]}
    return {"v": value}


expected = {}
for name, version, parameters, result, body in CASES:
    path = HERE / f"{name}_v{version}.pt"
    path.write_bytes(archive(version, parameters, result, body))
    calls = []
    for other in (torch.tensor([[2.0, 1.5], [-2.0, 4.0]]), torch.tensor([[2, 3], [-2, 4]])):
        arguments = (torch.tensor([[7, -7], [3, 1]]), other)
        call = {"method": "forward", "args": [recorded(a) for a in arguments]}
        try:
            call["result"] = recorded(torch.jit.load(str(path))(*arguments))
        except RuntimeError as error:
            call["error"] = {"class": type(error).__name__, "last_line": str(error).strip().splitlines()[-1]}
        calls.append(call)
    expected[path.name] = {"calls": calls}
(HERE / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")

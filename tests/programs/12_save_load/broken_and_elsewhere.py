# Texts of archives that cannot be loaded; map_location="meta" keeps sizes alone; saved functions lose their defaults
import io
import pickle
import zipfile

import torch
from torch import nn


def attempt(name, function):
    try:
        print(name, function())
    except Exception as error:
        print(name, type(error).__name__, str(error).strip().splitlines()[:1])


class Tiny(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(2, 2))

    def forward(self, x):
        return x + self.w


buffer = io.BytesIO()
torch.jit.save(torch.jit.script(Tiny()), buffer)
whole = buffer.getvalue()


def changed(change):
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(whole)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            data = change(name, old.read(name))
            if data is not None:
                new.writestr(name, data)
    return io.BytesIO(out.getvalue())


def without(end):
    return changed(lambda name, data: None if name.endswith(end) else data)


def rewritten(old, new):
    return changed(lambda name, data: data.replace(old, new) if name.endswith(".py") else data)


attempt("code", lambda: torch.jit.load(without(".py")))
attempt("tensor", lambda: torch.jit.load(without("/data/0")))
attempt("constants", lambda: torch.jit.load(without("constants.pkl")))
attempt("operator", lambda: torch.jit.load(rewritten(b"torch.add(", b"torch.qqqqqqqqqqqq(")))
attempt("empty", lambda: torch.jit.load(io.BytesIO(b"")))
attempt("text", lambda: torch.jit.load(io.BytesIO(b"this is no archive at all")))
attempt("cut", lambda: torch.jit.load(io.BytesIO(whole[: len(whole) // 2])))
for data in (b"", b"junk", b"a"):
    attempt(f"load {data}", lambda: torch.load(io.BytesIO(data)))
attempt("unsafe", lambda: torch.load(io.BytesIO(b""), weights_only=False))


def local():
    def inner():
        pass

    return inner


attempt("local", lambda: torch.save(local(), io.BytesIO()))

loaded = torch.jit.load(io.BytesIO(whole), map_location="meta")
print(loaded.w.device, loaded.w.shape, loaded.w.is_meta, loaded.w.t().device, loaded.w.requires_grad)
buffer = io.BytesIO()
torch.save({"a": torch.ones(3), "b": [torch.zeros(2, 2, dtype=torch.int64)]}, buffer)
buffer.seek(0)
meta = torch.load(buffer, map_location="meta")
print(meta)
attempt("cpu", lambda: meta["a"].cpu())
attempt("to", lambda: meta["a"].to("cpu"))
attempt("item", lambda: meta["a"][0].item())
attempt("list", lambda: meta["a"].tolist())


@torch.jit.script
def scaled(x, k: int = 2):
    return x * k


buffer = io.BytesIO()
torch.jit.save(scaled, buffer)
buffer.seek(0)
placeholder = torch.jit.load(buffer)
print(placeholder.forward.schema, placeholder(torch.ones(1), 3))
attempt("default", lambda: placeholder(torch.ones(1)))

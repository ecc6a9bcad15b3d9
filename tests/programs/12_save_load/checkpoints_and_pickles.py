"""torch.save/load, weights_only, pickling, safe globals, mmap, storage sharing, zip layout, map_location, copies."""
import copy
import io
import os
import pickle
import tempfile
import zipfile
from collections import OrderedDict, namedtuple
from dataclasses import dataclass
import numpy as np
import torch
import torch.nn as nn
from torch.serialization import (add_safe_globals, clear_safe_globals, get_default_load_endianness, get_default_mmap_options,
                                 get_safe_globals, get_unsafe_globals_in_checkpoint, safe_globals, set_default_load_endianness, skip_data)

torch.set_printoptions(precision=4)
torch.manual_seed(61)


def err(name, fn, n=1):
    try:
        r = fn()
        print(f"{name}: no error -> {type(r).__name__} {r if not isinstance(r, nn.Module) else ''}")
    except Exception as e:
        lines = [q.strip() for q in str(e).splitlines() if q.strip()]
        if any("WeightsUnpickler error" in q for q in lines):
            lines = [q[q.index("WeightsUnpickler error"):] for q in lines if "WeightsUnpickler error" in q]
        print(f"{name}: {type(e).__name__}: {' / '.join(lines[:n])[:300]}")


def rt(obj, **kw):
    b = io.BytesIO()
    torch.save(obj, b)
    b.seek(0)
    return torch.load(b, **kw)


def blob(obj, **kw):
    b = io.BytesIO()
    torch.save(obj, b, **kw)
    b.seek(0)
    return b


Pt = namedtuple("Pt", "x y")


@dataclass
class Config:
    lr: float
    shape: tuple


class Custom:
    def __init__(self, t):
        self.t = t


class Reducer:
    def __reduce__(self):
        return (print, ("pwned",))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 3)
        self.register_buffer("steps", torch.tensor(4))

    def forward(self, x):
        return self.fc(x) * self.steps


class MyTensor(torch.Tensor):
    pass


print("== round trips (weights_only default)")
for v in (torch.arange(4), torch.tensor(2.5), torch.zeros(0, 3), torch.tensor([1 + 2j]), torch.tensor([True]), torch.ones(2, dtype=torch.bfloat16), torch.tensor([1, 2], dtype=torch.uint16), torch.tensor([0.5]).to(torch.float8_e5m2),
          torch.arange(6).view(2, 3).T, torch.arange(10)[2:5], torch.ones(2, requires_grad=True), nn.Parameter(torch.ones(1)), nn.Buffer(torch.ones(1)), torch.tensor([1.0]).conj() * 1, torch.tensor([1 + 1j]).conj(), torch.eye(2).to_sparse(), torch.eye(2).to_sparse_csr(), torch.ones(2, device="meta")):
    r = rt(v)
    print(type(r).__name__, r, r.stride() if r.layout is torch.strided else r.layout, r.requires_grad, r.dtype)
for v in ({"a": [1, (2, 3.5)], "b": None}, OrderedDict(z=torch.ones(1)), {1, 2}, b"bytes", "text", 10 ** 30, float("inf"), 1 + 2j, torch.float16, torch.Size([2, 3]), torch.device("cpu"), torch.strided, slice(1, 2), bytearray(b"x"), torch.channels_last, frozenset([1]), range(3), ...):
    err(type(v).__name__, lambda: rt(v))
for v in (np.ones(2), np.float32(1.5), np.dtype("int8"), Pt(1, 2), Config(0.1, (1, 2)), Custom(torch.ones(1)), Net(), torch.optim.SGD([torch.ones(1)], 0.1), print, torch.Generator().manual_seed(1).get_state()[:3], MyTensor([1.0])):
    err("wo " + type(v).__name__, lambda: rt(v), 2)

print("== safe globals")
b = blob({"cfg": Config(0.1, (1, 2)), "c": Custom(torch.ones(1))})
print(sorted(get_unsafe_globals_in_checkpoint(b)))
b.seek(0)
with safe_globals([Config, Custom]):
    r = torch.load(b)
    print(r["cfg"], r["c"].t, sorted(g.__name__ for g in get_safe_globals() if g.__module__ == "__main__"))
print([g for g in get_safe_globals() if g.__module__ == "__main__"])
add_safe_globals([Config])
print(rt(Config(0.5, ())), Config in get_safe_globals())
clear_safe_globals()
print(get_safe_globals())
err("cleared", lambda: rt(Config(0.5, ())))
err("reduce", lambda: rt(Reducer()), 2)
rt(Reducer(), weights_only=False)
with safe_globals([(Custom, "renamed.Thing")]):
    print(len(get_safe_globals()))
print(rt(Config(1.0, (3,)), weights_only=False), rt(Pt(1, 2), weights_only=False), type(rt(Net(), weights_only=False)).__name__)
print(get_default_load_endianness(), set_default_load_endianness(torch.serialization.LoadEndianness.NATIVE) is None, get_default_load_endianness())
set_default_load_endianness(None)

print("== sharing & views")
base = torch.arange(6.0)
d = rt({"a": base, "b": base[2:4], "c": base.view(2, 3), "same": [base, base]})
d["a"][2] = 99
print(d["b"], d["c"], d["same"][0] is d["a"], d["a"].untyped_storage().data_ptr() == d["b"].untyped_storage().data_ptr())
big, small = blob(torch.zeros(10000)[:2]).getbuffer().nbytes, blob(torch.zeros(10000)[:2].clone()).getbuffer().nbytes
print(big > 40000, small < 3000)
net = Net()
print(rt(net.state_dict()).keys(), rt(net.state_dict())._metadata, net.load_state_dict(rt(net.state_dict())))
opt = torch.optim.Adam(net.parameters())
net(torch.ones(1, 2)).sum().backward()
opt.step()
ck = rt({"model": net.state_dict(), "opt": opt.state_dict(), "epoch": 3, "rng": torch.get_rng_state()})
print(ck["epoch"], sorted(ck["opt"]["state"][0]), ck["opt"]["param_groups"][0]["betas"], ck["rng"].shape, ck["rng"].dtype)
torch.set_rng_state(ck["rng"])
a = torch.rand(2)
torch.set_rng_state(ck["rng"])
print(torch.equal(a, torch.rand(2)))

print("== files")
with tempfile.TemporaryDirectory() as td:
    p = os.path.join(td, "m.pt")
    torch.save({"w": torch.arange(1000.0), "n": torch.ones(3, dtype=torch.int8)}, p)
    with zipfile.ZipFile(p) as z:
        print([n.split("/", 1)[1] for n in z.namelist()], z.read("m/version").strip(), z.read("m/byteorder"), len(z.read("m/data/0")), z.read("m/data/1"))
    mm = torch.load(p, mmap=True)
    print(mm["w"][-1], mm["n"], torch.load(p, map_location="cpu")["w"].device, torch.load(p, map_location=torch.device("meta"))["w"].shape, torch.load(p, map_location=lambda s, loc: s)["n"], torch.load(p, map_location={"cuda:0": "cpu"})["n"].sum())
    from pathlib import Path
    print(torch.load(Path(p))["n"].tolist(), os.path.getsize(p) > 4000)
    with open(p, "rb") as f:
        print(torch.load(f)["n"].dtype)
    torch.save([1, torch.ones(2)], p, _use_new_zipfile_serialization=False)
    print(torch.load(p), zipfile.is_zipfile(p))
    try:
        torch.load(p, mmap=True)
    except RuntimeError as e:
        print("RuntimeError", str(e).split("(")[0])
    err("legacy custom", lambda: (torch.save(Config(1.0, ()), p, _use_new_zipfile_serialization=False), torch.load(p)))
    with open(p, "wb") as f:
        f.write(b"not a checkpoint at all")
    err("garbage", lambda: torch.load(p))
    err("garbage wo=False", lambda: torch.load(p, weights_only=False))
    with open(p, "wb") as f:
        f.write(b"")
    err("empty", lambda: torch.load(p))
    with open(p, "wb") as f:
        pickle.dump({"a": 1}, f)
    err("plain pickle", lambda: torch.load(p))
    err("plain pickle wo=False", lambda: torch.load(p, weights_only=False))
    try:
        torch.save(1, os.path.join(td, "no", "x.pt"))
    except Exception as e:
        print(type(e).__name__, str(e).split(" ")[0])
    torch.save(torch.ones(3), p)
    raw = open(p, "rb").read()
    err("truncated", lambda: torch.load(io.BytesIO(raw[:len(raw) // 2])))
    try:
        torch.load(os.path.join(td, "nope.pt"))
    except FileNotFoundError as e:
        print("FileNotFoundError", e.errno, e.strerror)
    with skip_data():
        torch.save({"x": torch.ones(4)}, p)
    print("skip_data", torch.load(p)["x"].shape)
    sto = torch.UntypedStorage.from_file(os.path.join(td, "s.bin"), shared=True, nbytes=16)
    tt = torch.empty(0, dtype=torch.float32).set_(sto)
    tt.copy_(torch.arange(4.0))
    del tt, sto
    print(torch.from_file(os.path.join(td, "s.bin"), size=4), np.fromfile(os.path.join(td, "s.bin"), dtype=np.float32))

print("== pickle / copy")
x = torch.arange(3.0, requires_grad=True)
x.tag = "hello"
for pr in (2, 4, 5):
    y = pickle.loads(pickle.dumps(x, protocol=pr))
    print(y, getattr(y, "tag", None))
mt = MyTensor([1.0, 2.0])
mt.extra = 5
print(type(pickle.loads(pickle.dumps(mt))).__name__, pickle.loads(pickle.dumps(mt)).extra, type(copy.copy(mt)).__name__, copy.copy(mt).extra)
err("deepcopy subclass", lambda: copy.deepcopy(mt))
shared = [base, base]
dc = copy.deepcopy(shared)
print(dc[0] is dc[1], dc[0] is base, copy.copy(base).data_ptr() == base.data_ptr(), copy.deepcopy(nn.Linear(1, 1)).weight.requires_grad)
n2 = copy.deepcopy(net)
print(n2.fc.weight.equal(net.fc.weight), n2.fc.weight is net.fc.weight, n2.fc.weight.grad, net.fc.weight.grad is not None, pickle.loads(pickle.dumps(net)).steps)
print(pickle.loads(pickle.dumps([torch.float32, torch.device("cpu"), torch.Size([1]), torch.Generator, torch.strided, torch.preserve_format])), pickle.loads(pickle.dumps(torch.max(torch.ones(2, 1), 0))))
gen = torch.Generator().manual_seed(5)
st = gen.get_state()
u1 = torch.rand(2, generator=gen)
g2 = torch.Generator()
g2.set_state(pickle.loads(pickle.dumps(st)))
print(torch.equal(u1, torch.rand(2, generator=g2)), gen.initial_seed(), copy.copy(torch.Size([1, 2])), gen.clone_state().initial_seed())
ut = torch.tensor([1, 2], dtype=torch.int16).untyped_storage()
err("untyped storage", lambda: rt(ut, weights_only=False).tolist())
err("untyped storage weights_only", lambda: rt(ut))
print(ut.tolist(), copy.deepcopy(ut).tolist(), ut.clone() == ut)
err("pickle lambda module", lambda: pickle.dumps(type("L", (nn.Module,), {})()))
err("save no path", lambda: torch.save(1, 5))
err("load no path", lambda: torch.load(5))
err("non-leaf copy", lambda: copy.deepcopy(x * 2))
err("load kwargs", lambda: torch.load(blob(1), mmap=True))
err("bad pickle_module", lambda: torch.load(blob(1), weights_only=True, pickle_module=pickle))
err("map_location", lambda: torch.load(blob(torch.ones(1)), map_location="bogus"))
err("cuda", lambda: torch.load(blob(torch.ones(1)), map_location="cuda:99"))

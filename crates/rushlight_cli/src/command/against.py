"""Runs one function with PyTorch, for `rushlight verify --against`.

python -c THIS FILE METHOD SEED FUNCTION: the arguments come as a tuple in a torch.save file on the standard input. What
goes to the standard output is a line of JSON with the parts of the result, and then the elements of its tensors.
"""

import ctypes
import io
import json
import os
import sys

target, method, seed, function = sys.argv[1:]
# What the program prints is not the answer.
answer = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)
try:
    import torch
except ImportError as error:
    sys.exit(f"no torch: {error}")

arguments = torch.load(io.BytesIO(sys.stdin.buffer.read()), weights_only=True)
if target.endswith(".py"):
    import importlib.util

    spec = importlib.util.spec_from_file_location("target", target)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    names = [n for n, v in vars(module).items() if callable(v) and getattr(v, "__module__", "") == "target"]
    call = torch.jit.script(getattr(module, function or names[0]))
else:
    call = getattr(torch.jit.load(target, map_location="cpu"), method)
if seed:
    torch.manual_seed(int(seed))
with torch.no_grad():
    result = call(*arguments)

leaves, data = [], []


def gather(value, path):
    if isinstance(value, torch.Tensor):
        dense = value.detach().cpu().contiguous()
        raw = ctypes.string_at(dense.data_ptr(), dense.numel() * dense.element_size()) if dense.numel() else b""
        dtype = str(dense.dtype).removeprefix("torch.")
        leaves.append({"path": path, "dtype": dtype, "shape": list(dense.shape), "length": len(raw)})
        data.append(raw)
    elif isinstance(value, dict):
        for key, item in value.items():
            gather(item, f"{path}[{key!r}]")
    elif isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            gather(item, f"{path}[{i}]")
    else:
        kind = type(value).__name__
        leaves.append({"path": path, "kind": kind, "value": repr(value) if kind == "float" else value})


gather(result, "result")
answer.write(json.dumps(leaves).encode() + b"\n" + b"".join(data))
answer.flush()

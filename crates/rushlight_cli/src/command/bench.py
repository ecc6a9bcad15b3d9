"""Times one function with PyTorch, for `rushlight bench --against`.

python -c THIS FILE METHOD SEED FUNCTION THREADS: the standard input begins with the length of the arguments as a line, and
the arguments as a tuple in a torch.save file. Each line after that is a number of runs; the answer is a line of JSON with
how many seconds each took. The first line of the output says which PyTorch this is.
"""

import copy
import io
import json
import os
import sys
import time

target, method, seed, function, threads = sys.argv[1:]
# What the program prints is not the answer.
answer = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
try:
    import torch
except ImportError as error:
    sys.exit(f"no torch: {error}")

torch.set_num_threads(int(threads))
length = int(sys.stdin.buffer.readline())
arguments = torch.load(io.BytesIO(sys.stdin.buffer.read(length)), weights_only=True)
if target.endswith(".py"):
    import importlib.util

    spec = importlib.util.spec_from_file_location("target", target)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    names = [n for n, v in vars(module).items() if callable(v) and getattr(v, "__module__", "") == "target"]
    call = torch.jit.script(getattr(module, function or names[0]))
else:
    call = getattr(torch.jit.load(target, map_location="cpu"), method)


def tell(value):
    answer.write(json.dumps(value) + "\n")
    answer.flush()


tell(torch.__version__)
for line in sys.stdin:
    times = []
    for _ in range(int(line)):
        copies = copy.deepcopy(arguments)
        if seed:
            torch.manual_seed(int(seed))
        start = time.perf_counter()
        with torch.no_grad():
            call(*copies)
        times.append(time.perf_counter() - start)
    tell(times)

# tolist() in a script takes its type from the place it stands in
from typing import List

import torch

def err(f, *args):
    try:
        r = f(*args)
        print("compiled" if isinstance(r, torch.jit.ScriptFunction) else r)
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

def flat(x) -> List[int]:
    return x.tolist()

def nested(x):
    y: List[List[float]] = x.tolist()
    return y

def number(x):
    return torch.jit.annotate(bool, x.tolist())

print(torch.jit.script(flat)(torch.tensor([1, 2])))
print(torch.jit.script(nested)(torch.ones(1, 2)))
print(torch.jit.script(number)(torch.tensor(True)))
print(torch.jit.script(nested).graph)

def untyped(x):
    return x.tolist()

def text(x) -> str:
    return x.tolist()

err(torch.jit.script, untyped)
err(torch.jit.script, text)
err(torch.jit.script(flat), torch.ones(2))
err(torch.jit.script(flat), torch.tensor(1))

# exceptions of several classes leave the script with their class and text
import torch

def err(f, *args):
    try:
        print(f(*args))
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

@torch.jit.script
def fail(kind: int) -> int:
    if kind == 0:
        raise ValueError("a value")
    elif kind == 1:
        raise RuntimeError(f"code {kind}")
    elif kind == 2:
        raise NotImplementedError
    elif kind == 3:
        raise IndexError("index " + str(kind))
    return kind


for kind in range(5):
    err(fail, kind)

# int() and float() of strings, and what they refuse
import torch

def err(f, *args):
    try:
        print(f(*args))
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

@torch.jit.script
def to_int(s: str) -> int:
    return int(s)


@torch.jit.script
def to_float(s: str) -> float:
    return float(s)


for text in ["42", "-17", "007"]:
    print(to_int(text))
for text in ["2.5", "-1e3", "inf", "nan"]:
    print(to_float(text))
err(to_int, "4x")
err(to_int, "")
err(to_float, "half")

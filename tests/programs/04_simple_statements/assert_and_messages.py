# assertions with and without messages; messages are only evaluated when they are needed
import torch

def err(f, *args):
    try:
        print(f(*args))
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

@torch.jit.script
def describe(x: int) -> str:
    print("message made")
    return f"bad value {x}"


@torch.jit.script
def check(x: int) -> int:
    assert x > 0
    assert x != 5, "five is not allowed"
    assert x < 10, describe(x)
    return x


err(check, 3)
err(check, 0)
err(check, 5)
err(check, 12)

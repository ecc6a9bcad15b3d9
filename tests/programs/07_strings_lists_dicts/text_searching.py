# find, rfind, index, count, partition and startswith with bounds
import torch

def err(f, *args):
    try:
        print(f(*args))
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

@torch.jit.script
def search(s: str, part: str):
    return s.find(part), s.rfind(part), s.find(part, 3), s.find(part, 0, 2), s.count(part), part in s


@torch.jit.script
def parts(s: str, at: str):
    return s.partition(at), s.rpartition(at), s.split(at), s.rsplit(at, 1), s.split(at, 1)


@torch.jit.script
def must(s: str, part: str) -> int:
    return s.index(part)


print(search("banana", "an"))
print(search("", "x"))
print(parts("a=b=c", "="))
print(parts("abc", "="))
err(must, "abc", "c")
err(must, "abc", "d")

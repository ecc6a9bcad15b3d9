# center, ljust, rjust, zfill and expandtabs
import torch


@torch.jit.script
def aligned(s: str, n: int):
    return s.center(n), s.ljust(n), s.rjust(n), s.center(n, "*"), s.ljust(n, "."), s.rjust(n, "-"), s.zfill(n)


@torch.jit.script
def tabs(s: str):
    return s.expandtabs(), s.expandtabs(4)


for text in aligned("ab", 5) + aligned("-42", 6) + aligned("longer", 3):
    print("[" + text + "]")
print(tabs("a\tbb\tc"))

# int is a 64-bit number that wraps around
import torch


@torch.jit.script
def limits(shift: int):
    top = (1 << 62) - 1 + (1 << 62)
    return top, top + 1, -top - 1, top * 2, (top + 1) // shift, 1 << shift


@torch.jit.script
def hash_bytes(data: str) -> int:
    h = 0xcbf2
    for c in data:
        h = ((h ^ ord(c)) * 1099511628211) & 0x7FFFFFFFFFFFFFFF
    return h


print(limits(3))
print(hash_bytes("rushlight"), hash_bytes(""))
print(limits(40))

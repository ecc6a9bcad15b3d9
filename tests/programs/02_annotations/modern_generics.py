# list[int], dict[...], X | None and tuple[...] without typing
import torch


@torch.jit.script
def index(names: list[str]) -> dict[str, int]:
    out: dict[str, int] = {}
    for i, name in enumerate(names):
        out[name] = i
    return out


@torch.jit.script
def lookup(table: dict[str, int], key: str) -> int | None:
    if key in table:
        return table[key]
    return None


@torch.jit.script
def pair(x: tuple[int, float]) -> tuple[float, int]:
    return x[1], x[0]


table = index(["x", "y"])
print(table, lookup(table, "y"), lookup(table, "z"))
print(pair((1, 2.5)))
print(index.schema, lookup.schema, pair.schema)

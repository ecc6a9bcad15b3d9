# type comments for a signature and for arguments
from typing import Dict, List, Tuple

import torch


@torch.jit.script
def join(xs, sep):
    # type: (List[str], str) -> str
    return sep.join(xs)


def split(
    text,  # type: str
    at,  # type: int
):
    # type: (...) -> Tuple[str, str]
    return text[:at], text[at:]


@torch.jit.script
def tally(xs):
    # type: (List[int]) -> Dict[int, int]
    out: Dict[int, int] = {}
    for x in xs:
        out[x] = out.get(x, 0) + 1
    return out


print(join(["a", "b"], "-"), join.schema)
s = torch.jit.script(split)
print(s("typescript", 4), s.schema)
print(tally([3, 1, 3]), tally.schema)

# what the functions of torch.jit announce when warnings are recorded
import io
import warnings
from typing import Dict, List, Optional

import torch
import torch.nn as nn


def record(label, f):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        f()
    print(label)
    for w in seen:
        print("   ", w.category.__name__, "|", w.message)


def double(x):
    return x * 2


class M(nn.Module):
    known: List[int]

    def __init__(self):
        super().__init__()
        self.known: List[int] = []
        self.names: Dict[str, int] = {}
        self.maybe: Optional[int] = None
        self.some: List[int] = [1]

    def forward(self, x):
        return x


s = torch.jit.script(M().eval())
record("function", lambda: torch.jit.script(double))
record("module", lambda: torch.jit.script(M()))
record("trace", lambda: torch.jit.trace(double, torch.ones(1), optimize=True))
record("trace module", lambda: torch.jit.trace(M(), torch.ones(1)))
record("trace module, three checks", lambda: torch.jit.trace(M(), torch.ones(1), check_inputs=[torch.ones(2)] * 3))
record("save", lambda: torch.jit.save(s, io.BytesIO()))
record("freeze", lambda: torch.jit.freeze(s))
record("optimize", lambda: torch.jit.optimize_for_inference(s))
record("fork", lambda: torch.jit.wait(torch.jit.fork(double, torch.ones(1))))
record("ignore", lambda: torch.jit.ignore(drop=True))
record("isinstance", lambda: print(torch.jit.isinstance([], List[int])))
record("fusion", lambda: torch.jit.set_fusion_strategy([("STATIC", 1)]))

"""Loops over a list that nobody writes, while another list is written: freezing unrolls them. Loops under the propagation of shapes."""
from typing import List

import torch
import torch.nn as nn


class Counted(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls: List[int] = [0]
        self.scales = [1.0, 2.0]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls[0] += 1
        for scale in self.scales:
            x = x / scale
        return x


print(torch.jit.freeze(torch.jit.script(Counted().eval())).graph)


@torch.jit.script
def repeated(x, y, n: int):
    for i in range(n):
        x = x.relu() + y
    if n > 2:
        z = x * 2
    else:
        z = y * x
    return z.relu(), y


graph = repeated.graph.copy()
torch._C._jit_pass_complete_shape_analysis(graph, (torch.ones(2, 3), torch.ones(3), 3), False)
print(graph)
for text in "aten::f(int[2] a=[1, 1]) -> int", "aten::f(int[2] a=[1, 2]) -> int", "aten::f(int[] a=[1]) -> int":
    print(torch._C.parse_schema(text))
print(torch._C._get_schema("aten::add", "Tensor"))

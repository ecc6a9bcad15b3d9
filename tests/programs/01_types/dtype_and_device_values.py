# dtype, layout and device as arguments, results and keys of conditions
from typing import List

import torch


@torch.jit.script
def cast_all(xs: List[torch.Tensor], dtype: torch.dtype) -> List[torch.Tensor]:
    return [x.to(dtype) for x in xs]


@torch.jit.script
def about(x: torch.Tensor, device: torch.device):
    same = x.device == device
    return same, x.dtype == torch.float32, x.layout == torch.strided, device.type, x.is_floating_point()


for t in cast_all([torch.ones(2), torch.tensor([True, False]), torch.tensor([2.7, -2.7])], torch.int64):
    print(t, t.dtype)
print(about(torch.zeros(1), torch.device("cpu")))
print(about(torch.zeros(1, dtype=torch.int8), torch.device("cpu")))

"""Constants may be named among what freezing keeps, scripted hooks can be listed."""

from typing import Final, Tuple

import torch


class Rated(torch.nn.Module):
    rate: Final[int]
    __constants__ = ["gain"]

    def __init__(self):
        super().__init__()
        self.rate = 5
        self.gain = 2.5
        self.kept = 3

    def forward(self, x):
        return x * self.rate + self.gain


scripted = torch.jit.script(Rated()).eval()
for names in (["rate"], ["gain", "kept"], ["nothing"]):
    try:
        frozen = torch.jit.freeze(scripted, preserved_attrs=names)
        print(names, frozen.rate, frozen.gain, hasattr(frozen, "kept"))
    except RuntimeError as error:
        print(names, str(error).strip())


def before(self, inputs: Tuple[torch.Tensor]) -> None:
    print("before")


def after(self, inputs: Tuple[torch.Tensor], output: torch.Tensor):
    return output


class Hooked(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x + 1


module = Hooked()
module.register_forward_pre_hook(before)
module.register_forward_hook(after)
scripted = torch.jit.script(module)
print([hook.name for hook in scripted._c._get_forward_pre_hooks()], [hook.name for hook in scripted._c._get_forward_hooks()])

class Named(torch.nn.Module):
    def forward(self, x):
        return self.missing(x)


module = Named()
module.missing = open
try:
    torch.jit.script(module)
except RuntimeError as error:
    print(str(error).strip().splitlines()[0])

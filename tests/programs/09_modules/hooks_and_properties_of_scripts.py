"""The tables of hooks of a scripted module hold its compiled hooks; `_c` lists properties; other hooks are refused."""

import io
from typing import Tuple

import torch
from torch import Tensor, nn


def double(self, input: Tuple[Tensor]) -> Tuple[Tensor]:
    return (input[0] * 2,)


def shift(self, input: Tuple[Tensor], output: Tensor):
    return output + 1


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = nn.Identity()
        self.part.register_forward_pre_hook(double)
        self.part.register_forward_hook(shift)
        self._level = 2.0

    @property
    def level(self) -> float:
        return self._level

    @level.setter
    def level(self, value: float):
        self._level = value

    @property
    def steps(self) -> int:
        return 3

    def forward(self, x):
        return self.part(x) * self.level + self.steps


scripted = torch.jit.script(Outer())
loaded = torch.jit.load(io.BytesIO(scripted.save_to_buffer()))
x = torch.ones(2)
for module in (scripted, loaded):
    part = module.part
    print([h.name for h in part._forward_pre_hooks.values()], [h.name for h in part._forward_hooks.values()])
    print(part(x).tolist(), module(x).tolist(), [type(h).__name__ for h in part._forward_hooks.values()])
    print([(p.name, p.setter is None) for p in module._c._properties()])
hook = next(iter(scripted.part._forward_hooks.values()))
print(hook(scripted.part, (x,), x).tolist())
# Without its table, the hook is gone from calls out of Python.
scripted.part._forward_hooks.clear()
print(scripted.part(x).tolist(), scripted(x).tolist())

level = scripted._c._properties()[0]
print(type(level).__name__, level.getter.name, level.getter(), level.setter.schema.arguments[1].name)
level.setter(5.0)
print(scripted.level, level.getter.code)
for name in ("_register_state_dict_hook", "_register_load_state_dict_pre_hook", "_get_backward_hooks"):
    try:
        getattr(scripted, name)(lambda *args: None)
    except RuntimeError as error:
        print(error)

"""Methods print without the type of their module, whatever its name is; archives have it."""

import torch


class Named(torch.nn.Module):
    def forward(me, x):
        return me.twice(x)

    def twice(this, x: int):
        return this.once(x) * 2

    def once(_, x: int):
        return x


scripted = torch.jit.script(Named())
for name in ("forward", "twice", "once"):
    print(getattr(scripted, name).code)

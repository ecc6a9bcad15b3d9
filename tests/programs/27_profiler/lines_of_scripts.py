# Which lines of scripts called operators while a profile was on; how often and how long is left out.
import warnings

warnings.simplefilter("ignore")

import torch


@torch.jit.script
def doubled(x):
    y = x + 1
    for i in range(3):
        y = y * 2
    return y


@torch.jit.script
def shifted(x):
    z = doubled(x)
    if bool(z.sum() > 0):
        z = z - 1
    return z


class Layer(torch.nn.Module):
    def forward(self, x):
        a = x.relu()
        return a.neg()


def show(text):
    for line in text.split("\n"):
        number, hits, content = line[:8], line[8:16].strip(), line[29:]
        print(number, content if number.strip() == "Line #" or not hits or "for i" in content else f"* {content}")


given = torch.ones(3)
profile = torch.jit._ScriptProfile()
profile.enable()
profile.disable()
print(repr(profile.dump_string()))
profile.enable()
shifted(given)
profile.disable()
shifted(given)
show(profile.dump_string())

layer = torch.jit.script(Layer())
first, second = torch.jit._ScriptProfile(), torch.jit._ScriptProfile()
first.enable()
layer(given)
second.enable()
layer(given)
second.disable()
first.disable()
show(first.dump_string())
show(second.dump_string())

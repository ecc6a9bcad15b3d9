# Schedules of torch.ao.pruning: levels of sparsity by functions of the step, and training with them.
import warnings

import torch
from torch import nn
from torch.ao.pruning import BaseScheduler, CubicSL, LambdaSL, WeightNormSparsifier


def prepared(level=0.5):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 4))
    sparsifier = WeightNormSparsifier(sparsity_level=level)
    sparsifier.prepare(model, None)
    return model, sparsifier


def levels(sparsifier):
    return [round(float(group["sparsity_level"]), 6) for group in sparsifier.groups]


for functions in (lambda step: step * 0.1, [lambda step: 1 - 0.5**step, lambda step: 1]):
    _, sparsifier = prepared()
    schedule = LambdaSL(sparsifier, functions)
    print(levels(sparsifier), schedule.last_epoch, schedule.base_sl, schedule.get_last_sl())
    for _ in range(3):
        sparsifier.step()
        schedule.step()
        print(levels(sparsifier), schedule.last_epoch)
    print(schedule)
    print(list(schedule.state_dict()))
for options in ({}, {"init_sl": 0.1, "init_t": 2, "delta_t": 2, "total_t": 8, "initially_zero": True}, {"init_sl": [0.0, 0.25], "total_t": 1}):
    _, sparsifier = prepared()
    schedule = CubicSL(sparsifier, **options)
    found = [levels(sparsifier)]
    for _ in range(12):
        sparsifier.step()
        schedule.step()
        found.append(levels(sparsifier))
    print(found)
model, sparsifier = prepared()
schedule = CubicSL(sparsifier, delta_t=2, total_t=3, verbose=True)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(4, 8)
for _ in range(7):
    optimizer.zero_grad()
    model(x).square().mean().backward()
    optimizer.step()
    sparsifier.step()
    schedule.step()
print([int((layer.weight == 0).sum()) for layer in (model[0], model[2])])
sparsifier.squash_mask()
print(model, [int((layer.weight == 0).sum()) for layer in (model[0], model[2])])


class Fixed(BaseScheduler):
    def get_sl(self):
        return [0.25] * len(self.sparsifier.groups)


_, sparsifier = prepared()
schedule = Fixed(sparsifier)
print(schedule.get_last_sl(), levels(sparsifier))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    schedule.step()
    LambdaSL(sparsifier, lambda step: step).get_sl()
print([str(each.message) for each in caught])
for function in (lambda: LambdaSL(prepared()[1], [lambda step: 1]), lambda: CubicSL(prepared()[1], init_t=[1, 2, 3])):
    try:
        function()
    except Exception as error:
        print(f"<<{type(error).__name__}>>\n{error}\n<<end>>")

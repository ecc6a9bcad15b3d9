# what a trace loses, in the words of its warnings
import warnings

import torch


def losses(x):
    if x.sum() > 0:
        x = x * int(x[0]) + float(x[1])
    for row in x:
        x = x + row
    return [x * len(x) + x[0].item()]


with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    traced = torch.jit.trace(losses, torch.ones(2), check_trace=False)
    torch.jit.trace(lambda x: x + (1 if torch.jit.is_tracing() else 2), torch.zeros(2))
for warning in caught:
    if issubclass(warning.category, torch.jit.TracerWarning):
        print(warning.message)
print(traced.code)

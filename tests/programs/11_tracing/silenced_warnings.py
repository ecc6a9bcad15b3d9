# What a trace loses is told, unless _jit_set_tracer_state_warn silences it: then len and iteration alone are told.
import warnings

import torch


def loses(x):
    if x.sum() > 0:
        pass
    int(x[0])
    x.tolist()
    len(x)
    for _ in x:
        pass
    x.numpy()
    torch.as_tensor([1, 2])
    return x + 1


def changes_the_switch(x):
    torch._C._jit_set_tracer_state_warn(True)
    bool(x.sum() > 0)
    torch._C._jit_set_tracer_state_warn(False)
    return x + 1


def told(function, check=False):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch.jit.trace(function, torch.ones(3), check_trace=check)
    for warning in caught:
        if warning.category is not FutureWarning:
            print("  ", warning.category.__name__, str(warning.message)[:50])


for on in (True, False):
    torch._C._jit_set_tracer_state_warn(on)
    print(torch._C._jit_get_tracer_state_warn())
    told(loses)
    told(lambda x: [x, x + 1])
    torch._C._jit_set_tracer_state_warn(on)
    told(changes_the_switch)

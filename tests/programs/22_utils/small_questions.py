"""Print options as attributes, texts in place of elements, limits, old warnings, devices of futures, namespaces that are taken."""
import warnings

import torch
import torch.nn as nn
from torch.autograd import gradcheck
from torch.futures import Future
from torch.utils import _pytree, backcompat


def shown(make):
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        try:
            print(make())
        except Exception as error:
            print(type(error).__name__, str(error).split("  ")[0])
    for warning in given:
        print("   ", warning.category.__name__, warning.message)


options = torch._tensor_str.PRINT_OPTS
print(options)
options.precision = 2
print(torch.tensor([1.23456]), options.precision)
options.sci_mode = True
print(torch.ones(1), options)
torch.set_printoptions(profile="default")
for x in (
    torch.ones(2), torch.ones(2, dtype=torch.double), torch.ones(3, requires_grad=True) * 2, torch.ones(2, 3, device="meta"),
    torch.empty(0, 2, dtype=torch.int8), torch.tensor(3), torch.zeros(2, 0, 3, dtype=torch.half),
):
    print(x.__repr__(tensor_contents="[ ... ]"))
    print(torch._tensor_str._str(x, tensor_contents="." * 60))

shown(lambda: torch.iinfo(torch.bool))
shown(lambda: torch.iinfo(torch.float32))

print(backcompat.broadcast_warning.enabled, backcompat.keepdim_warning.get_enabled())
backcompat.broadcast_warning.enabled = True
print(backcompat.broadcast_warning.get_enabled())
shown(lambda: backcompat.keepdim_warning.set_enabled(1))

shown(lambda: Future(devices=["cpu"]))
shown(lambda: Future(devices=["cpu", "cuda:0"]))
shown(lambda: Future(devices=["cpu:0"]).done())

shown(lambda: gradcheck(lambda a, b: a * b, (torch.ones(1, requires_grad=True), torch.ones(1).double()), raise_exception=False))
shown(lambda: gradcheck(lambda a: a * 2, (torch.ones(1, dtype=torch.cfloat, requires_grad=True),), raise_exception=False))
shown(lambda: gradcheck(lambda a: a * a, (torch.ones(1, dtype=torch.double, requires_grad=True),)))

leaves, spec = _pytree.tree_flatten(torch.Size([3]))
print(_pytree.tree_unflatten([10], spec), _pytree.tree_map(lambda n: n + 1, [torch.Size([1, 2])]))
print(nn.Module.T_destination, "T_destination" in dir(torch.jit.script(nn.ReLU())))
for namespace in ("aten", "prims", "quantized", "prim"):
    shown(lambda: torch.library.Library(namespace, "DEF"))
print(torch.ops.aten, torch.ops.nothing_yet)
shown(lambda: torch.eye(2).to_sparse().storage())

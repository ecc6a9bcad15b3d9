# Hooks that every module of a process has: for what they register, and for gradients.
import warnings

warnings.simplefilter("ignore")

import torch
import torch.nn.modules.module as modules

log = []


def flush():
    print(log)
    log.clear()


def noting(mark):
    return lambda module, name, value: log.append((mark, type(module).__name__, name, type(value).__name__))


handles = [
    modules.register_module_parameter_registration_hook(noting("parameter")),
    modules.register_module_buffer_registration_hook(noting("buffer")),
    modules.register_module_module_registration_hook(noting("module")),
]
layer = torch.nn.Linear(2, 3, bias=False)
flush()
net = torch.nn.Sequential(layer, torch.nn.BatchNorm1d(3))
flush()
layer.weight = torch.nn.Parameter(torch.ones(1))
layer.weight = None
layer.inner = torch.nn.Identity()
layer.inner = None
flush()
net[1].running_mean = torch.ones(2)
net[1].running_mean = None
flush()
layer.add_module("none", None)
layer.register_parameter("nothing", None)
layer.register_buffer("empty", None)
flush()

# What they return takes the place of what was given.
handles.append(modules.register_module_parameter_registration_hook(lambda m, n, p: torch.nn.Parameter(torch.zeros(7))))
handles.append(modules.register_module_buffer_registration_hook(lambda m, n, p: torch.zeros(9)))
handles.append(modules.register_module_module_registration_hook(lambda m, n, p: torch.nn.Identity()))
layer.weight = torch.nn.Parameter(torch.ones(1))
layer.other = torch.nn.ReLU()
layer.register_buffer("full", torch.ones(1))
print(layer.weight.shape, layer.other, layer.full.shape)
for handle in handles:
    handle.remove()
log.clear()
torch.nn.Linear(1, 1)
flush()


def shapes(gradients):
    return [None if g is None else tuple(g.shape) for g in gradients]


def seeing(mark):
    return lambda module, inputs, outputs: log.append((mark, type(module).__name__, shapes(inputs), shapes(outputs)))


net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU())
full = modules.register_module_full_backward_hook(seeing("full"))
before = modules.register_module_full_backward_pre_hook(lambda module, outputs: log.append(("before", type(module).__name__)))
net(torch.ones(1, 2, requires_grad=True)).sum().backward()
flush()
try:
    modules.register_module_backward_hook(seeing("old"))
except RuntimeError as error:
    print(f"<<{type(error).__name__}>>\n{error}\n<<end>>")
full.remove()
before.remove()

doubling = modules.register_module_full_backward_hook(lambda m, inputs, outputs: tuple(None if g is None else g * 2 for g in inputs))
x = torch.ones(1, 2, requires_grad=True)
torch.nn.Sequential(torch.nn.Identity(), torch.nn.Identity())(x).sum().backward()
print(x.grad)
doubling.remove()

net.register_full_backward_hook(seeing("own"))
everywhere = modules.register_module_full_backward_hook(seeing("everywhere"))
net(torch.ones(1, 2)).sum().backward()
flush()
everywhere.remove()

# what types say of devices and dtypes is carried through graphs; devices that nobody has are still named
import torch

cpu, cuda, vulkan = torch.device("cpu"), torch.device("cuda"), torch.device("vulkan")
for name in ("vulkan", "mkldnn:1", "hpu", "privateuseone", "lazy", "opengl", "ve:2", "maia", "mtia", "fpga", "ideep"):
    device = torch.device(name)
    print(repr(device), device.index)


def devices(function, given, sizes=()):
    graph = torch.jit.script(function).graph.copy()
    for value, device in zip(graph.inputs(), given):
        if device is not None:
            value.setType(value.type().with_device(device))
    for value, size in zip(graph.inputs(), sizes):
        value.setType(value.type().with_sizes(size))
    changed = torch._C._jit_pass_propagate_device(graph)
    print(function.__name__, changed, [v.type().device() for v in graph.outputs()])


def add(x, y):
    return x + y


for given in ((cpu, cpu), (cpu, None), (None, cpu), (cuda, cpu), (cpu, vulkan)):
    devices(add, given)
    for sizes in (([2], [2]), ([2], []), ([], [2]), ([], [])):
        devices(add, given, sizes)


def random():
    return torch.rand([2])


def random_there():
    return torch.rand([2], device="cuda")


def like(x):
    return torch.rand_like(x)


def like_there(x):
    return torch.zeros_like(x, device="cpu")


def moved(x, where: torch.device):
    return x.to(device=where)


def moved_there(x):
    return x.to("cuda", torch.float32)


def as_other(x, y):
    return x.type_as(y)


def shaped(x, y):
    return x.view_as(y)


def joined(x):
    return torch.cat([x, x])


def chosen(x, y, c: bool):
    if c:
        z = x + 1
    else:
        z = y * 2
    return z


def repeated(x, n: int):
    for i in range(n):
        x = x.cuda()
    return x


def nested(x, n: int):
    for i in range(n):
        x = x.cpu()
        for j in range(i):
            x = x + 1
    return x


devices(random, ())
devices(random_there, ())
for function in (like, like_there, moved, moved_there, joined, repeated, nested):
    devices(function, (vulkan,))
    devices(function, (cpu,))
for function in (as_other, shaped, chosen):
    devices(function, (cuda, vulkan))
    devices(function, (cuda, None))
    devices(function, (cuda, cuda))


def dtypes(function, given):
    graph = torch.jit.script(function).graph.copy()
    for value, (dtype, size) in zip(graph.inputs(), given):
        value.setType(value.type().with_dtype(dtype).with_sizes(size))
    torch._C._jit_pass_propagate_dtype(graph)
    print(function.__name__, [v.type().dtype() for v in graph.outputs()])


def log(x):
    return torch.log(x)


dtypes(add, ((torch.int32, [2]), (torch.int64, [2])))
dtypes(add, ((torch.int32, [2]), (torch.int64, [])))
dtypes(add, ((torch.float32, [2, 2]), (torch.float64, [1, 2])))
dtypes(log, ((torch.int64, [2]),))

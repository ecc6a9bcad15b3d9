"""Profiles count operators that programs call, with their sizes, ranges, steps and runs backwards."""
import torch
from torch.profiler import ProfilerAction, ProfilerActivity, profile, record_function, schedule


def top(events):
    """The names of calls that are not made by others of the library."""
    found = []
    for event in events:
        outer = event.cpu_parent
        while outer is not None and not outer.name.startswith("aten::"):
            outer = outer.cpu_parent
        if outer is None:
            found.append(event.name)
    return found


x = torch.arange(12.0).reshape(3, 4)
w = torch.ones(4, 4)
with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as p:
    y = torch.mm(x, w)
    y = y + x
    y.add_(1)
    z = torch.cat([x, y])
    x.t().sin()
    x[0], x[1:, 0], x[None]
    x.sum().item()
    bool(x.sum() > 0)
    x.double()
    list(x.unbind(0))
    x.view(-1).reshape(3, 4)
    x.size(), x.dim(), len(x), x.shape, x.numel(), x.is_contiguous(), x.contiguous()
    torch.nn.functional.relu(x)
    torch.softmax(x, -1)
    torch.zeros(3), torch.arange(3)
    x.max(), x.max(1), x.mean(), x.argmax()
    -x, 1 - x, x * 2, x ** 2, x > 0
print(top(p.events()))
for event in p.key_averages():
    if event.key in ("aten::mm", "aten::sin", "aten::softmax", "aten::cat"):
        print(event.key, event.count, event.cpu_time_total > 0, event.self_cpu_time_total <= event.cpu_time_total)
for event in p.events():
    if event.name in ("aten::mm", "aten::cat", "aten::sin", "aten::unsqueeze"):
        print(event.name, event.input_shapes, event.thread, event.scope, event.is_async, event.count, event.key)

with profile() as p:
    with record_function("outer"):
        x.sin()
        with record_function("inner"):
            x.cos()
            x.cos()

    @record_function("decorated")
    def decorated():
        return x.tan()

    decorated()
for event in p.events():
    if event.name in ("outer", "inner", "decorated", "aten::sin", "aten::cos", "aten::tan"):
        print(event.name, event.cpu_parent and event.cpu_parent.name, event.scope, event.is_user_annotation)

steps = []


def ready(p):
    steps.append((p.step_num, [(e.key, e.count) for e in p.key_averages() if e.key in ("aten::sin", "aten::cos", "ProfilerStep*")]))


with profile(schedule=schedule(wait=1, warmup=1, active=2, repeat=2), on_trace_ready=ready) as p:
    for step in range(10):
        x.sin()
        if step % 2:
            x.cos()
        print(step, p.step_num, p.current_action, p.current_action is ProfilerAction.RECORD, end=" ")
        p.step()
print(steps)

leaf = x.clone().requires_grad_()
with profile() as p:
    (leaf * leaf).sum().backward()
names = [event.name for event in p.events()]
for name in ("aten::mul", "MulBackward0", "SumBackward0"):
    print(name, name in names)
for event in p.events():
    if "Backward0" in event.name:
        print(event.name, event.cpu_parent and event.cpu_parent.name, event.scope)
print(sum("AccumulateGrad" in name for name in names))


@torch.jit.script
def scripted(x, n: int):
    for i in range(n):
        if x.size(0) > 2 and x.dim() == 2:
            x = x + i
    with torch.autograd.profiler.record_function("range in a script"):
        y = x.sin()
    return y


scripted(x, 3)
scripted(x, 3)
with profile() as p:
    scripted(x, 3)
print([(e.key, e.count) for e in p.key_averages() if e.key in ("scripted", "range in a script", "aten::add", "aten::sin")])
for event in p.events():
    if event.name in ("aten::sin", "scripted"):
        print(event.name, event.cpu_parent and event.cpu_parent.name)

with profile(profile_memory=True) as p:
    a = x.neg()
    b = x.exp()
    b.mul_(a)
for event in p.events():
    if event.cpu_parent is None:
        print(event.name, event.cpu_memory_usage, event.self_cpu_memory_usage)

with torch.autograd.profiler.profile(record_shapes=True, with_flops=True) as p:
    torch.mm(x, w)
    torch.bmm(x[None], w[None])
print([(e.key, e.flops, str(e.input_shapes)) for e in p.key_averages(group_by_input_shape=True) if e.flops])
layer = torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
layer(torch.ones(1, 2)).sum().backward()
with profile() as p:
    optimizer.step()
print([(e.key, e.count) for e in p.key_averages()])

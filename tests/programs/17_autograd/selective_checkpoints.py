"""Checkpoints that keep the results of some operators: by a list, by a policy; what is computed again, and what is refused."""
import functools
import torch
import torch.nn as nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import CheckpointPolicy as P
from torch.utils.checkpoint import GraphExecGroup, SelectiveCheckpointContext, checkpoint, create_selective_checkpoint_contexts


class Counted(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen.append(str(func))
        return func(*args, **(kwargs or {}))


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4), nn.Sigmoid())
x = torch.randn(3, 4, requires_grad=True)
(expected,) = torch.autograd.grad(net(x).sum(), x)


def run(policy, function=net, again=False, **options):
    x.grad = None
    contexts = functools.partial(create_selective_checkpoint_contexts, policy, **options)
    with Counted() as counted:
        y = checkpoint(function, x, use_reentrant=False, context_fn=contexts).sum()
        before = len(counted.seen)
        y.backward(retain_graph=again)
        if again:
            y.backward()
    names = ("aten.addmm.default", "aten.tanh.default", "aten.sigmoid.default", "aten.exp.default")
    return [(counted.seen[:before].count(n), counted.seen[before:].count(n)) for n in names], torch.allclose(x.grad, expected)


def show(name, function):
    try:
        print(name, function())
    except Exception as error:
        print(name, f"<<{type(error).__name__}>>\n{error}\n<<end>>")


aten = torch.ops.aten
show("list", lambda: run([aten.addmm.default]))
show("two", lambda: run([aten.addmm.default, aten.tanh.default]))
show("none", lambda: run([]))
asked = []


def policy(context, operator, *args, **kwargs):
    asked.append((str(operator), context.is_recompute, len(args), sorted(kwargs)))
    return P.PREFER_SAVE if operator == aten.tanh.default else P.MUST_RECOMPUTE


show("function", lambda: run(policy))
print(asked)
for answer in (True, False, P.MUST_SAVE, P.PREFER_RECOMPUTE, P.MUST_CPU_OFFLOAD):
    show(answer, lambda: run(lambda *args, **kwargs: answer))
show("written", lambda: run(lambda *args, **kwargs: P.MUST_SAVE, lambda v: v.exp().mul_(2).sin()))
show("twice", lambda: run([aten.tanh.default], again=True))
calls = []


def changing(v):
    calls.append(v)
    return v.sin().cos() if len(calls) == 1 else v.exp().cos()


show("changing", lambda: run(lambda *args, **kwargs: P.MUST_SAVE, changing))
show("packet", lambda: create_selective_checkpoint_contexts([aten.mm]))
show("number", lambda: create_selective_checkpoint_contexts([aten.mm.default, 3]))
show("tuple", lambda: create_selective_checkpoint_contexts((aten.mm.default,)))
print(list(P), vars(SelectiveCheckpointContext(is_recompute=True)), P.__module__)
with GraphExecGroup() as group:
    print(group is GraphExecGroup._get_current_group())
    try:
        with GraphExecGroup():
            pass
    except RuntimeError as error:
        print(str(error)[:50])

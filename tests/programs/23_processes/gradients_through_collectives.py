# torch.distributed.nn: collectives that gradients go through
import datetime
import os
import shutil
import tempfile

import torch
import torch.distributed as dist

folder = tempfile.mkdtemp()
said = []


def say(*values):
    said.append(" ".join(str(v) for v in values))


def attempt(f):
    try:
        say(f())
    except Exception as e:
        say(f"<<{type(e).__name__}>>", str(e).strip().split("\n")[0])


def member(f, rank, size, seconds):
    path = os.path.join(folder, f.__name__)
    try:
        dist.init_process_group(
            "gloo", init_method=f"file://{path}", rank=rank, world_size=size, timeout=datetime.timedelta(seconds=seconds)
        )
        f(rank)
        dist.destroy_process_group()
    except BaseException as e:
        say("ended by", type(e).__name__, e)
    with open(f"{path}.{rank}", "w") as file:
        file.write("\n".join(said))


def together(f, size, seconds=30):
    """Runs f(rank) in several processes, and prints what each has said."""
    print(f"== {f.__name__}")
    for rank in range(size):
        if os.fork() == 0:
            member(f, rank, size, seconds)
            os._exit(0)
    for _ in range(size):
        os.wait()
    for rank in range(size):
        with open(os.path.join(folder, f"{f.__name__}.{rank}")) as file:
            print(f"-- {rank}\n{file.read()}")


import torch.distributed.nn.functional as F  # noqa: E402


def both_ways(rank):
    world = dist.group.WORLD
    weights = torch.tensor([1.0, 10.0]) * (rank + 1)

    def see(name, f):
        t = torch.tensor([1.0 + rank, 2.0], requires_grad=True)
        found = f(t)
        found = found if isinstance(found, tuple) else (found,)
        say(name, list(found))
        sum((v * weights[: v.numel()] * (i + 1)).sum() for i, v in enumerate(found)).backward()
        say(t.grad)

    see("all_reduce", lambda t: F.all_reduce(t, group=world))
    see("all_reduce max", lambda t: F.all_reduce(t, op=dist.ReduceOp.MAX, group=world))
    see("all_gather", lambda t: F.all_gather(t, group=world))
    see("broadcast", lambda t: F.broadcast(t, 1, group=world))
    see("gather", lambda t: F.gather(t, 0, group=world))
    see("scatter", lambda t: F.scatter([t, t * 2], 0, group=world))
    see("all_to_all", lambda t: F.all_to_all([torch.empty(1), torch.empty(1)], list(t.split(1)), group=world))
    see("all_to_all_single", lambda t: F.all_to_all_single(torch.empty(2), t, group=world))
    see("reduce_scatter", lambda t: F.reduce_scatter(torch.empty(2), [t, t * 3], group=world))
    # Twice backwards.
    t = torch.tensor([1.0 + rank, 2.0], requires_grad=True)
    (g,) = torch.autograd.grad((F.all_reduce(t, group=world) ** 3).sum(), t, create_graph=True)
    say(g.detach(), torch.autograd.grad(g.sum(), t))


together(both_ways, 2)


shutil.rmtree(folder)

# ZeroRedundancyOptimizer, and processes in a grid
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


import torch.nn as nn  # noqa: E402
from torch.distributed.optim import ZeroRedundancyOptimizer  # noqa: E402


def divided(rank):
    model = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    with torch.no_grad():
        for p in model.parameters():
            p.fill_(0.3)

    def step(optimizer):
        optimizer.zero_grad()
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        say([round(p.sum().item(), 3) for p in model.parameters()], len(optimizer.optim.state))

    first = ZeroRedundancyOptimizer(model.parameters(), torch.optim.SGD, lr=0.1, momentum=0.9)
    step(first)
    step(first)
    first.consolidate_state_dict(1)
    if rank == 1:
        state = first.state_dict()
        say({k: round(v["momentum_buffer"].sum().item(), 3) for k, v in state["state"].items()}, state["param_groups"])
    else:
        attempt(lambda: first.state_dict())
    known = [first.state_dict() if rank == 1 else None]
    dist.broadcast_object_list(known, 1)
    second = ZeroRedundancyOptimizer(model.parameters(), torch.optim.SGD, lr=0.5, momentum=0.1)
    second.load_state_dict(known[0])
    say(second.param_groups[0]["lr"], second.param_groups[0]["momentum"])
    step(second)
    second.param_groups[0]["lr"] = 0.0
    step(second)
    second.add_param_group({"params": [nn.Parameter(torch.ones(2))], "lr": 1.0})
    say(len(second.param_groups), len(second.optim.param_groups))
    attempt(lambda: ZeroRedundancyOptimizer([], torch.optim.SGD, lr=0.1))
    attempt(lambda: ZeroRedundancyOptimizer([1], torch.optim.SGD, lr=0.1))


def grid(rank):
    mesh = dist.init_device_mesh("cpu", (2, 2), mesh_dim_names=("rows", "columns"))
    say(mesh, mesh.get_coordinate(), mesh["columns"].get_local_rank(), mesh.size(0), mesh.size(), mesh.get_local_rank("rows"))
    for name in ("rows", "columns"):
        t = torch.tensor([rank])
        dist.all_reduce(t, group=mesh.get_group(name))
        say(name, t, mesh[name].mesh)
    attempt(lambda: mesh.get_group())
    attempt(lambda: mesh["x"])
    attempt(lambda: dist.init_device_mesh("cpu", (8,)))


together(divided, 2)
together(grid, 4)

shutil.rmtree(folder)

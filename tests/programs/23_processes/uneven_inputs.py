# DistributedDataParallel.join: members with fewer batches than others
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
from torch.nn.parallel import DistributedDataParallel as DDP  # noqa: E402


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(1, 1, bias=False)
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x):
        self.calls += 1
        return self.linear(x)


def uneven(rank):
    for options in ({}, {"divide_by_initial_world_size": False}):
        ddp = DDP(nn.Linear(1, 1, bias=False))
        with torch.no_grad():
            ddp.module.weight.fill_(1.0)
        with ddp.join(**options):
            for i in range(2 + rank):
                ddp(torch.ones(1, 1) * (i + 1)).sum().backward()
                say(ddp.module.weight.grad)
                ddp.module.weight.data -= 0.1 * ddp.module.weight.grad
                ddp.zero_grad()
        say(ddp.module.weight)
    ddp = DDP(Counting(), find_unused_parameters=True)
    with ddp.join():
        for _ in range(1 + rank):
            ddp(torch.ones(1, 1)).sum().backward()
    say(ddp.module.calls, ddp.module.linear.weight.grad)
    with ddp.join(enable=False):
        ddp(torch.ones(1, 1)).sum().backward()


def early(rank):
    ddp = DDP(nn.Linear(1, 1, bias=False))
    done = []

    def train():
        with ddp.join(throw_on_early_termination=True):
            for i in range(1 + rank):
                ddp(torch.ones(1, 1)).sum().backward()
                done.append(i)

    attempt(train)
    say(done)


for f in (uneven, early):
    together(f, 2)

shutil.rmtree(folder)

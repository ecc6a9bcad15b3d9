# DistributedDataParallel: means of gradients, buffers, no_sync, unused parameters, static graphs, hooks
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


class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(2, 2), nn.Linear(2, 2)
        self.register_buffer("seen", torch.zeros(1))

    def forward(self, x, second=True):
        self.seen += x.sum().detach()
        y = self.a(x)
        return {"y": self.b(y) if second else y}


def data(rank):
    return torch.arange(8.0).view(4, 2) + rank


def equal(module):
    with torch.no_grad():
        for p in module.parameters():
            p.fill_(0.5)
    return module


def training(rank):
    torch.manual_seed(rank)
    module = Two()
    ddp = DDP(module)
    mine = torch.stack([p.sum() for p in module.parameters()])
    others = mine.clone()
    dist.broadcast(others, 0)
    say(torch.equal(mine, others), list(ddp.state_dict()), ddp.training, type(ddp.module).__name__)
    equal(module)
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.01)
    for _ in range(3):
        optimizer.zero_grad()
        ddp(data(rank))["y"].pow(2).mean().backward()
        optimizer.step()
        say([round(p.grad.sum().item(), 3) for p in module.parameters()], module.seen)
    say([round(p.sum().item(), 3) for p in module.parameters()])
    with torch.no_grad():
        say(ddp(data(rank))["y"].shape, module.seen)


def no_sync(rank):
    ddp = DDP(nn.Linear(2, 2, bias=False))
    x = data(rank)
    with ddp.no_sync():
        ddp(x).sum().backward()
        say(ddp.module.weight.grad)
    ddp(x).sum().backward()
    say(ddp.module.weight.grad)
    loss = DDP(equal(nn.Linear(2, 2, bias=False)))(x).sum()
    loss.backward()
    say(torch.autograd.grad(ddp(x).sum(), ddp.module.weight))
    ddp.zero_grad()
    ddp(x).sum().backward()
    say(ddp.module.weight.grad)


def unused(rank):
    ddp = DDP(Two())
    ddp(data(rank), False)["y"].sum().backward()
    attempt(lambda: ddp(data(rank), False))
    ddp = DDP(Two(), find_unused_parameters=True)
    ddp(data(rank), rank == 0)["y"].sum().backward()
    say([n for n, p in ddp.named_parameters() if p.grad is None])
    ddp.zero_grad()
    ddp(data(rank), False)["y"].sum().backward()
    say([n for n, p in ddp.named_parameters() if p.grad is None])
    ddp = DDP(equal(Two()), static_graph=True)
    for _ in range(2):
        ddp.zero_grad()
        ddp(data(rank), False)["y"].sum().backward()
        say([n for n, p in ddp.named_parameters() if p.grad is None], ddp.module.a.weight.grad)
    module = equal(Two())
    for p in module.b.parameters():
        p.requires_grad_(False)
    ddp = DDP(module, gradient_as_bucket_view=True, bucket_cap_mb=0.00001, broadcast_buffers=False)
    ddp(data(rank))["y"].sum().backward()
    say(module.a.weight.grad, module.b.weight.grad, module.seen)


def hooks(rank):
    def hook(state, bucket):
        say(state, bucket.index(), bucket.is_last(), [tuple(p.shape) for p in bucket.parameters()], bucket.buffer().shape)
        future = torch.futures.Future()
        future.set_result(bucket.buffer() * 0 + 1)
        return future

    ddp = DDP(nn.Linear(2, 2))
    ddp.register_comm_hook("state", hook)
    ddp(data(rank)).sum().backward()
    say([p.grad for p in ddp.parameters()])
    attempt(lambda: ddp.register_comm_hook(None, hook))
    attempt(lambda: DDP(nn.Linear(2, 2)).register_comm_hook(None, 3))
    from torch.distributed.algorithms.ddp_comm_hooks import default_hooks

    for hook in (default_hooks.allreduce_hook, default_hooks.fp16_compress_hook, default_hooks.bf16_compress_hook):
        ddp = DDP(nn.Linear(2, 1))
        ddp.register_comm_hook(None, hook)
        ddp(data(rank)).sum().backward()
        say([p.grad for p in ddp.parameters()])
    attempt(lambda: DDP(nn.ReLU()))
    attempt(lambda: DDP(nn.Linear(2, 2), device_ids=[0, 1]))
    attempt(lambda: DDP(nn.Linear(2, 2), device_ids=[0]))
    attempt(lambda: DDP(nn.LazyLinear(2)))
    attempt(lambda: DDP(nn.Linear(2, 2))(torch.ones(1, 3)))
    say(DDP(nn.Linear(2, 2)))


for f in (training, no_sync, unused, hooks):
    together(f, 2)


shutil.rmtree(folder)

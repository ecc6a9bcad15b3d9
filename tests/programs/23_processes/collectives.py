# Collectives of several processes: every kind, every way to reduce, several types, handles
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


def reductions(rank):
    ways = dist.ReduceOp
    for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.uint8, torch.bool, torch.complex64):
        for op in (ways.SUM, ways.AVG, ways.PRODUCT, ways.MIN, ways.MAX, ways.BAND, ways.BOR, ways.BXOR):
            t = torch.tensor([rank + 1, 3 - rank, 5]).to(dtype)
            attempt(lambda: (dtype, op, dist.all_reduce(t, op), t))


def moves(rank):
    t = torch.tensor([float(rank)])
    dist.broadcast(t, 2)
    say(t)
    t = torch.full((2,), float(rank))
    dist.reduce(t, 1)
    say(t if rank == 1 else "")
    parts = [torch.zeros(2) for _ in range(3)]
    dist.all_gather(parts, torch.full((2,), rank + 1.0))
    say(parts)
    parts = [torch.zeros(2, 2) for _ in range(3)] if rank == 1 else None
    dist.gather(torch.full((2, 2), rank + 1.0).t(), parts, 1)
    say(parts)
    part = torch.zeros(2)
    dist.scatter(part, [torch.full((2,), i * 2.0) for i in range(3)] if rank == 1 else None, 1)
    say(part)
    dist.reduce_scatter(part, [torch.full((2,), i + rank * 1.0) for i in range(3)])
    say(part)
    whole = torch.zeros(6, 2)
    dist.all_gather_into_tensor(whole, torch.full((2, 2), float(rank)))
    say(whole.tolist())
    part = torch.zeros(2)
    dist.reduce_scatter_tensor(part, torch.arange(6.0))
    say(part)
    whole = torch.zeros(3)
    dist.all_to_all_single(whole, torch.arange(3.0) + rank * 10)
    say(whole)
    parts = [torch.zeros(2) for _ in range(3)]
    dist.all_to_all(parts, [torch.full((2,), rank * 10.0 + i) for i in range(3)])
    say(parts)
    whole = torch.zeros(3 * (rank + 1))
    dist.all_to_all_single(whole, torch.arange(6.0) + rank * 10, [rank + 1] * 3, [1, 2, 3])
    say(whole)
    several = [torch.ones(2) * rank, torch.ones(1)]
    dist.all_reduce_coalesced(several)
    say(several)


def handles(rank):
    t = torch.tensor([rank + 1.0])
    work = dist.all_reduce(t, async_op=True)
    say(type(work).__name__, work.wait(), work.is_completed(), work.is_success(), work.result(), t)
    work = dist.all_reduce(t, async_op=True)
    future = work.get_future()
    say(future.wait(), future.value(), future.done())
    work = dist.all_gather([torch.zeros(1) for _ in range(3)], t, async_op=True)
    say(work.get_future().wait())
    say(dist.all_reduce(t, async_op=True).get_future().then(lambda f: f.value()[0] * 2).wait())
    work = dist.barrier(async_op=True)
    say(work.wait(datetime.timedelta(seconds=20)), work.get_future().value())
    many = [torch.full((2,), float(i + rank)) for i in range(20)]
    works = [dist.all_reduce(m, async_op=True) for m in many]
    say([w.wait() for w in works] == [True] * 20, [m[0].item() for m in many])
    attempt(lambda: dist.barrier(async_op=True).source_rank())


def shapes(rank):
    leaf = torch.ones(2, requires_grad=True)
    dist.all_reduce(leaf)
    say(leaf)
    made = leaf * 2
    dist.all_reduce(made)
    say(made)
    t = torch.arange(6.0).view(2, 3).t()
    dist.all_reduce(t)
    say(t, t.is_contiguous())
    t = torch.zeros(4, 4)
    dist.all_reduce(t[1:3].fill_(rank + 1))
    say(t)
    t = torch.tensor(2.5)
    dist.all_reduce(t)
    say(t)
    t = torch.ones(0, 3)
    dist.all_reduce(t)
    say(t.shape)
    # Longer ones go in parts.
    t = torch.arange(100_003, dtype=torch.float64) * (rank + 1)
    dist.all_reduce(t)
    say(t[-1].item(), bool((t == torch.arange(100_003, dtype=torch.float64) * 6).all()))
    t = torch.arange(50_000) if rank == 1 else torch.zeros(50_000, dtype=torch.int64)
    dist.broadcast(t, 1)
    say(t.sum().item())


for f in (reductions, moves, handles, shapes):
    together(f, 3)


shutil.rmtree(folder)

# Messages between two processes, groups of some of them, and objects
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


def pairs(rank):
    if rank == 0:
        say(dist.send(torch.arange(3.0), 1, tag=7))
        work = dist.isend(torch.ones(1), 2)
        say(work.wait(), work.is_completed())
        t = torch.zeros(1)
        say(dist.recv(t), t)
    elif rank == 1:
        r = torch.zeros(3)
        say(dist.recv(r, 0, tag=7), r)
        dist.send(torch.tensor([9.0]), 0)
    else:
        r = torch.zeros(1)
        work = dist.irecv(r, 0)
        say(work.wait(), r, work.source_rank())
    dist.barrier()
    # The order of tags is free, within a tag it stays.
    kept = []
    if rank == 0:
        for i in range(3):
            kept.append((t := torch.tensor([i]), dist.isend(t, 1, tag=i % 2)))
    elif rank == 1:
        got = [torch.zeros(1, dtype=torch.int64) for _ in range(3)]
        for t, tag in zip(got, (1, 0, 0)):
            dist.recv(t, 0, tag=tag)
        say(got)
    for _, work in kept:
        work.wait()
    there, here = torch.full((2,), float(rank)), torch.zeros(2)
    ops = [dist.P2POp(dist.isend, there, (rank + 1) % 3), dist.P2POp(dist.irecv, here, (rank - 1) % 3)]
    for work in dist.batch_isend_irecv(ops):
        work.wait()
    say(here, ops[0] if rank == 0 else "")
    attempt(lambda: dist.send(there, rank))
    attempt(lambda: dist.P2POp(dist.send, there, 1))
    attempt(lambda: dist.batch_isend_irecv([1]))
    attempt(lambda: dist.send(there))
    attempt(lambda: dist.send(there, 1, group_dst=1))
    big = torch.arange(300_000.0) + rank
    if rank == 0:
        dist.send(big, 2)
    if rank == 2:
        dist.recv(big, 0)
        say(big[-1].item())


def groups(rank):
    g = dist.new_group([0, 2])
    say(dist.get_rank(g), dist.get_world_size(g), g == dist.GroupMember.NON_GROUP_MEMBER)
    t = torch.tensor([rank + 1.0])
    say(dist.all_reduce(t, group=g), t)
    if rank != 1:
        say(dist.get_group_rank(g, 2), dist.get_global_rank(g, 1), dist.get_process_group_ranks(g), dist.get_backend(g))
        dist.broadcast(t, 2, group=g)
        dist.barrier(g)
        parts = [None, None]
        dist.all_gather_object(parts, rank, group=g)
        say(t, parts)
    turned = dist.new_group([2, 0], sort_ranks=False)
    say(dist.get_rank(turned))
    own, all_of_them = dist.new_subgroups_by_enumeration([[0, 2], [1]])
    say(dist.get_world_size(own), len(all_of_them), dist.get_process_group_ranks(own))
    own, _ = dist.new_subgroups(1)
    dist.all_reduce(t, group=own)
    say(t)
    whole = dist.new_group()
    dist.all_reduce(t, group=whole, op=dist.ReduceOp.MAX)
    say(t, whole.size(), whole.rank() == rank)
    attempt(lambda: dist.new_group([0, 0]))
    attempt(lambda: dist.new_group([5]))
    attempt(lambda: dist.new_group([0], backend="nccl"))


def objects(rank):
    parts = [None] * 3
    dist.all_gather_object(parts, {"rank": rank, "t": torch.tensor([rank])})
    say(parts)
    values = [rank, "a" * rank, torch.ones(rank)]
    dist.broadcast_object_list(values, 2)
    say(values)
    parts = [None] * 3 if rank == 1 else None
    dist.gather_object((rank,), parts, 1)
    say(parts)
    one = [None]
    dist.scatter_object_list(one, ["a", 2, [3]] if rank == 2 else None, 2)
    say(one)
    if rank == 0:
        dist.send_object_list([1, "b"], 1)
    elif rank == 1:
        got = [None, None]
        say(dist.recv_object_list(got, 0), got)
    dist.monitored_barrier()


for f in (pairs, groups, objects):
    together(f, 3)


shutil.rmtree(folder)

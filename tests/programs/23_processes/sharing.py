# torch.multiprocessing: processes, what they raise, and tensors that they share.
import os
import signal
import sys
import time

import torch
import torch.multiprocessing as mp
from torch.multiprocessing.spawn import ProcessExitedException, ProcessRaisedException


def add(i, t, out):
    t[i] += i + 1
    out.put((i, mp.current_process().name.split("-")[0]))


def fail(i):
    if i == 1:
        raise ValueError("bad")
    time.sleep(60)


def leave(i):
    sys.exit(3) if i == 0 else time.sleep(60)


def killed(i):
    os.kill(os.getpid(), signal.SIGKILL) if i == 0 else time.sleep(60)


def send(q, done):
    t = torch.arange(4.0).share_memory_()
    q.put(t)
    done.wait()
    q.put(t.tolist())


def attempt(f, n=2, **options):
    try:
        print(mp.spawn(f, nprocs=n, **options))
    except Exception as e:
        print(type(e).__name__, str(e).strip().splitlines()[0], "|", str(e).strip().splitlines()[-1])
        print(getattr(e, "error_index", None), getattr(e, "exit_code", None), getattr(e, "signal_name", None), e.error_pid > 0)


if __name__ == "__main__":
    ctx = mp.get_context("spawn")
    t = torch.zeros(3).share_memory_()
    print(t.is_shared(), torch.zeros(2).is_shared(), t)
    q = ctx.SimpleQueue()
    mp.spawn(add, args=(t, q), nprocs=3)
    print(t, sorted(q.get() for _ in range(3)))
    c = mp.spawn(add, args=(t, q), nprocs=2, join=False)
    print(len(c.pids()), c.processes[0].exitcode)
    while not c.join():
        pass
    print(t, sorted(q.get() for _ in range(2)), [p.exitcode for p in c.processes])
    attempt(fail)
    attempt(leave)
    attempt(killed)
    for method in ("fork", "spawn"):
        ctx = mp.get_context(method)
        q, done = ctx.Queue(), ctx.Event()
        p = ctx.Process(target=send, args=(q, done))
        p.start()
        got = q.get()
        print(got, got.is_shared())
        got[1] = 7
        done.set()
        print(q.get(), q.empty())
        p.join()
        print(p.exitcode)
    p = torch.nn.Linear(2, 2)
    p.share_memory()
    print(all(x.is_shared() for x in p.parameters()), p.weight.requires_grad, p.weight.is_leaf)
    child = ctx.Process(target=torch.nn.init.ones_, args=(p.weight.detach(),))
    child.start()
    child.join()
    print(p.weight, child.exitcode)
    r, w = mp.Pipe()
    w.send({"a": torch.ones(2, 2).t()[1:], "b": torch.tensor(True), "c": torch.nn.Parameter(torch.ones(2))})
    print(r.recv())
    a = torch.arange(6.0).share_memory_()
    w.send((a, a[2:]))
    b, c = r.recv()
    c[0] = 9
    print(a, b, c, a.is_shared())
    with mp.get_context("fork").Pool(2) as pool:
        print(pool.map(torch.neg, [torch.ones(1), torch.ones(2)]))
    print(mp.get_all_sharing_strategies() == {"file_descriptor", "file_system"}, mp.get_sharing_strategy())
    mp.set_sharing_strategy("file_system")
    print(mp.get_sharing_strategy())
    g = torch.ones(2, requires_grad=True)
    try:
        w.send(g * 2)
    except RuntimeError as e:
        print(str(e).splitlines()[0])
    w.send(g)
    print(r.recv())
    print(mp.get_start_method(), mp.cpu_count() > 0, mp.Process.__name__)

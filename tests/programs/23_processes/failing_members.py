# Members that fail, come late or not at all: everybody else gets an error in time
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


import re  # noqa: E402
import time  # noqa: E402


def failure(f):
    begun = time.monotonic()
    try:
        say(f())
    except Exception as e:
        text = re.sub(r"^\[[^ ]*\] ?|\[127.0.0.1\]:\d+|\d+ms", "", str(e).strip().split("\n")[0])
        say(f"<<{type(e).__name__}>>", text[:30], time.monotonic() - begun < 8)


def late(rank):
    if rank == 2:
        time.sleep(1.0)
        return
    try:
        dist.monitored_barrier(timeout=datetime.timedelta(seconds=0.4))
    except RuntimeError as e:
        say(str(e).split("\n")[0])
    if rank == 0:
        time.sleep(0.4)


def silent(rank):
    if rank == 0:
        failure(lambda: dist.recv(torch.zeros(1), 1))
    else:
        time.sleep(1.6)


def dead(rank):
    if rank == 2:
        os._exit(3)
    time.sleep(0.3)
    for f in (lambda: dist.recv(torch.ones(1), 2), lambda: dist.recv(torch.ones(1), 2)):
        failure(f)


together(late, 3)
together(silent, 2, 1)
print("== dead")
for rank in range(3):
    if os.fork() == 0:
        member(dead, rank, 3, 30)
        os._exit(0)
for _ in range(3):
    os.wait()
for rank in range(2):
    with open(os.path.join(folder, f"dead.{rank}")) as file:
        print(f"-- {rank}\n{file.read()}")
print(os.path.exists(os.path.join(folder, "dead.2")))


def alone():
    say(dist.init_process_group("gloo", init_method=f"file://{folder}/alone", rank=0, world_size=2, timeout=datetime.timedelta(seconds=1)))


try:
    alone()
except RuntimeError as e:
    print(isinstance(e, RuntimeError), dist.is_initialized())

shutil.rmtree(folder)

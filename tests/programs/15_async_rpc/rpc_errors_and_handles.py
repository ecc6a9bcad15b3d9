# Remote calls: what raises where the result is asked for, references and their classes, workers by rank, options that are refused
import copy
import os
import pickle
import torch
import torch.distributed.rpc as rpc
def err(f):
    try: print(f())
    except Exception as e: print("<<%s>>" % type(e).__name__); print(e); print("<<end>>")
def last(f):
    """The class of an exception and the last line of its text."""
    try: print(f())
    except Exception as e: print(type(e).__name__, "|", str(e).split("\n")[0], "|", "Traceback (most recent call last)" in str(e))
class Own(Exception): pass
class OwnValue(ValueError): pass
class Two(Exception):
    def __init__(self, a, b): super().__init__(a, b)
KINDS = [TypeError, ValueError, UnicodeError, OwnValue, KeyError, IndexError, AttributeError, RuntimeError, ZeroDivisionError, Own, OSError]
def fails(i): raise KINDS[i]("x")
def divides(): return 1 / 0
def two(): raise Two(1, 2)
def none_needed(): return 3
def hold(r): return [r, r.to_here()]
class Box:
    def __init__(self, v): self.v = v
    def get(self, add=0): return self.v + add
    def fail(self): raise KeyError("k")
def main():
    for i in range(len(KINDS)):
        if i not in (4,):
            last(lambda: rpc.rpc_sync("worker1", fails, (i,)))
            last(lambda: rpc.remote("worker1", fails, (i,)).to_here())
    err(lambda: rpc.rpc_sync("worker1", divides))
    err(lambda: rpc.remote("worker1", divides).to_here())
    err(lambda: rpc.remote("worker0", divides).local_value())
    err(lambda: rpc.rpc_async("worker1", divides).wait())
    last(lambda: rpc.rpc_sync("worker1", two))
    last(lambda: rpc.remote("worker1", two).to_here())
    for call in (rpc.rpc_sync, lambda *a: rpc.rpc_async(*a).wait(), lambda *a: rpc.remote(*a).to_here()):
        err(lambda: call("worker1", torch.add, (torch.ones(2), torch.ones(3))))
        err(lambda: call("worker1", torch.select, (torch.ones(2), 0, 9)))
        last(lambda: call("worker1", torch.Tensor.add, (torch.ones(2), torch.ones(3))))
    err(lambda: rpc.rpc_sync("worker1", none_needed, (1,)))
    err(lambda: rpc.rpc_sync("worker1", none_needed, kwargs={"z": 1}))
    r = rpc.remote("worker1", Box, (4,))
    print(r.rpc_sync().get(), r.rpc_sync().get(add=2), r.remote().get(3).to_here(), r.rpc_async().get().wait())
    err(lambda: r.rpc_sync().nope())
    err(lambda: r.rpc_sync().v())
    print(type(r.rpc_sync().nope).__name__)
    try: r.remote().fail().to_here()
    except KeyError as e: print("KeyError", str(e)[:40])
    for f in (rpc.rpc_sync, rpc.rpc_async, rpc.remote):
        err(lambda: f("worker1", (lambda: 3)))
    print(type(r).__name__, type(r).__module__, type(rpc.RRef(3)).__name__, isinstance(r, rpc.RRef), isinstance(rpc.RRef(3), rpc.PyRRef))
    back, value = rpc.rpc_sync("worker1", hold, (rpc.RRef(7),))
    print(type(back).__name__, back.to_here(), value, back.is_owner())
    back, value = rpc.remote("worker1", hold, (rpc.RRef(8),)).to_here()
    print(back.to_here(), value)
    back, value = rpc.rpc_sync("worker0", hold, (rpc.RRef(9),))
    print(back.to_here(), value)
    for f in (pickle.dumps, copy.copy, copy.deepcopy):
        err(lambda: f(rpc.RRef(3)))
    err(lambda: rpc.RRef(3, int))
    print(rpc.RRef(3, None).local_value())
    print(rpc.get_worker_info(1), rpc.get_worker_info(1) == rpc.get_worker_info("worker1"))
    for to in (7, 1.5): err(lambda: rpc.get_worker_info(to))
    for to in (7, 1.5, None): err(lambda: rpc.rpc_sync(to, none_needed))
    print(rpc.get_rpc_timeout())
print(repr(rpc.BackendType.TENSORPIPE), list(rpc.BackendType))
for options in (dict(num_worker_threads=0), dict(num_worker_threads=1.5), dict(rpc_timeout=-1), dict(rpc_timeout="a"), dict(init_method=3)):
    err(lambda: rpc.TensorPipeRpcBackendOptions(**options))
options = rpc.TensorPipeRpcBackendOptions(rpc_timeout=7)
print(options.rpc_timeout, type(options).__module__)
options.rpc_timeout = 40
print(options.rpc_timeout)
err(lambda: rpc.RRef(3))
err(lambda: rpc.get_rpc_timeout())
err(lambda: rpc.rpc_sync("worker1", max, (1, 2)))
os.environ["MASTER_ADDR"] = "localhost"; os.environ["MASTER_PORT"] = str(29500 + os.getpid() % 1000)
pid = os.fork()
rank = 1 if pid == 0 else 0
rpc.init_rpc("worker%d" % rank, rank=rank, world_size=2, rpc_backend_options=options)
if rank == 0:
    main()
rpc.shutdown()
if pid == 0:
    os._exit(0)
os.waitpid(pid, 0)

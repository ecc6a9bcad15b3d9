# Remote calls of Python functions: proxies of references, workers by rank, futures, time limits, errors after the end
import os
import torch
import torch.distributed.rpc as rpc
def err(f,*a):
    try: print(f(*a))
    except Exception as e: print("<<%s>>"%type(e).__name__); print(e); print("<<end>>")
def slow():
    import time; time.sleep(3)
class Box:
    def __init__(self, v): self.v = v
    def get(self): return self.v
def fut(f): return f.then(lambda r: r.wait() + 1).wait()
def main():
    err(lambda: rpc.rpc_sync("worker1", slow, timeout=0.2))
    err(lambda: rpc.rpc_sync("worker9", slow))
    r = rpc.remote("worker1", Box, (5,))
    print(r.rpc_sync().get(), r.rpc_async().get().wait(), r.remote().get().to_here())
    print(rpc.rpc_sync(1, int, ("7",)), rpc.rpc_sync(rpc.get_worker_info("worker1"), max, (3, 9)), rpc.rpc_sync("worker0", min, (3, 9)))
    print(fut(rpc.rpc_async("worker1", torch.add, (torch.ones(2), 2))))
    print(repr(rpc.RRef(3)).startswith("OwnerRRef"))
    print(rpc.rpc_sync("worker1", torch.add, args=(torch.ones(2), torch.ones(2)), kwargs={"alpha": 3}))
    err(lambda: rpc.rpc_sync("worker1", 5))
    print(torch.futures.wait_all([rpc.rpc_async("worker1", torch.add, (torch.ones(1), i)) for i in range(3)]))
os.environ["MASTER_ADDR"]="localhost"; os.environ["MASTER_PORT"]=str(29500+os.getpid()%1000)
pid = os.fork()
rank = 1 if pid == 0 else 0
rpc.init_rpc("worker%d" % rank, rank=rank, world_size=2)
if rank == 0:
    main()
rpc.shutdown()
if pid == 0:
    os._exit(0)
os.waitpid(pid, 0)
err(lambda: rpc.rpc_sync("worker1", max, (1, 2)))
err(lambda: rpc.get_worker_info())

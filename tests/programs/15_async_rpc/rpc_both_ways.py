# Remote calls from scripts and from Python: results, defaults, keywords, errors, references, code
import os
import torch
import torch.distributed.rpc as rpc
@torch.jit.script
def add(x, y: int):
    return x + y
@torch.jit.script
def bad(x):
    raise ValueError("no good")
    return x
@torch.jit.script
def two(x, k: float = 2.0):
    return x * k, [1, 2], {"a": "b"}
def err(f,*a):
    try: print(f(*a))
    except Exception as e: print("<<%s>>"%type(e).__name__); print(e); print("<<end>>")
def plain(x):
    return x + 5
def main():
    @torch.jit.script
    def c1(dst: str, x):
        return rpc.rpc_sync(dst, two, (x,))
    err(c1, "worker1", torch.ones(2)); print(c1.graph); print(c1.code)
    @torch.jit.script
    def c2(dst: str, x):
        return rpc.rpc_sync(dst, bad, (x,))
    err(c2, "worker1", torch.ones(2))
    @torch.jit.script
    def c3(dst: str, x):
        f = rpc.rpc_async(dst, add, (x, 1), {}, 5.0)
        return f.wait()
    err(c3, "worker1", torch.ones(2)); print(c3.graph); print(c3.code)
    @torch.jit.script
    def c4(dst: str, x):
        r = rpc.remote(dst, add, (x, 1))
        return r.to_here(), r.is_owner(), r.confirmed_by_owner()
    err(c4, "worker1", torch.ones(2)); print(c4.graph); print(c4.code)
    err(c1, "nobody", torch.ones(2))
    print(rpc.rpc_sync("worker1", plain, (torch.ones(2),)))
    print(rpc.rpc_async("worker1", add, args=(torch.ones(2), 3)).wait())
    r = rpc.remote("worker1", plain, (torch.ones(1),)); print(r.to_here(), r.is_owner(), r.owner_name(), r.owner(), r.confirmed_by_owner())
    l = rpc.RRef(torch.ones(2)); print(l.local_value(), l.is_owner(), l.owner_name(), l.to_here())
    print(rpc.get_worker_info(), rpc.get_worker_info("worker1"))
    err(lambda: r.local_value())
    def s0(dst: str, x):
        return rpc.rpc_sync(dst, add, (x, "a"))
    err(lambda: torch.jit.script(s0))
    def s1(dst: str, x):
        return rpc.rpc_sync(dst, add)
    err(lambda: torch.jit.script(s1))
    def s2(x):
        return rpc.rpc_sync(x, add, (x, 1))
    err(lambda: torch.jit.script(s2))
    def s3(dst: str, x):
        return rpc.rpc_sync(dst, plain, (x,))
    err(lambda: print(torch.jit.script(s3).graph))
path = os.path.abspath("rpc_init_%d" % os.getpid())
pid = os.fork()
rank = 1 if pid == 0 else 0
opts = rpc.TensorPipeRpcBackendOptions(init_method="file://" + path, num_worker_threads=4)
rpc.init_rpc("worker%d" % rank, rank=rank, world_size=2, rpc_backend_options=opts)
if rank == 0:
    main()
rpc.shutdown()
if pid == 0:
    os._exit(0)
os.waitpid(pid, 0)
if os.path.exists(path):
    os.unlink(path)

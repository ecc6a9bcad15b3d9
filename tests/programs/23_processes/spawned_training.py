# torch.multiprocessing.spawn: processes that train one model, and one that fails
import os, sys, tempfile
import torch, torch.distributed as dist, torch.multiprocessing as mp, torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
def worker(rank, n, path, q):
    dist.init_process_group("gloo", init_method="file://"+path, rank=rank, world_size=n)
    torch.manual_seed(0)
    m = DDP(nn.Linear(2,1))
    opt = torch.optim.SGD(m.parameters(), lr=.1)
    data = torch.arange(16.).view(8,2)/10
    s = torch.utils.data.DistributedSampler(data, n, rank, shuffle=False)
    for epoch in range(3):
        for i in s:
            opt.zero_grad(); loss=(m(data[i:i+1]).sum()-1)**2; loss.backward(); opt.step()
    q.put((rank, [round(v,4) for p in m.parameters() for v in p.flatten().tolist()]))
    dist.barrier(); dist.destroy_process_group()
def bad(rank, path):
    dist.init_process_group("gloo", init_method="file://"+path, rank=rank, world_size=2)
    if rank==1: raise ValueError("rank one fails")
    dist.barrier()
if __name__=='__main__':
    q=mp.get_context('spawn').SimpleQueue()
    mp.spawn(worker,args=(2,tempfile.mktemp(),q),nprocs=2)
    print(sorted(q.get() for _ in range(2)))
    try: mp.spawn(bad,args=(tempfile.mktemp(),),nprocs=2)
    except Exception as e: print(type(e).__name__, str(e).strip().splitlines()[0], str(e).strip().splitlines()[-1])

# DistributedDataParallel of shared, nested, mixed and large modules; many collectives at once
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


import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
def gloo(rank):
    s=dist.FileStore(folder+'/own',2); g=dist.ProcessGroupGloo(s,rank,2,datetime.timedelta(seconds=20))
    t=torch.ones(2)*rank; g.allreduce([t]).wait(); say(t, g.rank(), g.size()); 
    o=[[torch.zeros(2) for _ in range(2)]]; g.allgather(o,[t+rank]).wait(); say(o); g.broadcast(t,0).wait(); g.barrier().wait()
    (g.send([t],1,0) if rank==0 else g.recv([t],0,0)).wait()
def amp(rank):
    m=DDP(nn.Linear(4,2)); torch.manual_seed(0)
    with torch.no_grad(): [p.fill_(.1) for p in m.parameters()]
    with torch.autocast('cpu',dtype=torch.bfloat16): l=m(torch.ones(2,4)*(rank+1)).float().sum()
    l.backward(); say(m.module.weight.grad.dtype, m.module.weight.grad.sum())
    s=torch.amp.GradScaler('cpu',enabled=False); s.scale(m(torch.ones(1,4)).sum()).backward(); 
    d=DDP(nn.Linear(2,2).to(torch.bfloat16)); d(torch.ones(1,2,dtype=torch.bfloat16)).sum().backward(); say(d.module.weight.grad)
    mixed=DDP(nn.ModuleList([nn.Linear(2,2),nn.Linear(2,2).double()])) if 0 else None
def shared(rank):
    class S(nn.Module):
        def __init__(s): super().__init__(); s.a=nn.Linear(2,2,bias=False); s.b=nn.Linear(2,2,bias=False); s.b.weight=s.a.weight
        def forward(s,x): return s.b(s.a(x))
    m=DDP(S()); 
    with torch.no_grad(): m.module.a.weight.fill_(.5)
    m(torch.ones(1,2)*(rank+1)).sum().backward(); say(m.module.a.weight.grad, len(list(m.parameters())))
    class O(nn.Module):
        def __init__(s): super().__init__(); s.l=nn.Linear(2,2,bias=False); s.u=nn.Linear(2,2,bias=False)
        def forward(s,x): return s.l(x), s.u(x).detach()
    m=DDP(O(),find_unused_parameters=True); 
    with torch.no_grad(): [p.fill_(.5) for p in m.parameters()]
    a,b=m(torch.ones(1,2)*(rank+1)); a.sum().backward(); say([p.grad for p in m.parameters()])
    from collections import namedtuple; import dataclasses
    @dataclasses.dataclass
    class R: x: object; y: object=None
    class D(nn.Module):
        def __init__(s): super().__init__(); s.l=nn.Linear(2,2,bias=False); s.k=nn.Linear(2,1)
        def forward(s,x): return R(s.l(x),{'q':[s.k(x)]})
    m=DDP(D(),find_unused_parameters=True); r=m(torch.ones(1,2)); (r.x.sum()+r.y['q'][0].sum()).backward(); say(m.module.l.weight.grad, m.module.k.weight.grad)
    rnn=DDP(nn.LSTM(2,3)); o,(h,c)=rnn(torch.ones(2,1,2)); o.sum().backward(); say(all(p.grad is not None for p in rnn.parameters()))
    emb=DDP(nn.Embedding(4,2)); 
    emb(torch.tensor([rank])).sum().backward(); say(emb.module.weight.grad)
    big=DDP(nn.Sequential(nn.Linear(300,400),nn.Linear(400,300)),bucket_cap_mb=.3); 
    big(torch.ones(2,300)).sum().backward(); g=big.module[1].bias.grad; say(g[:2])
    lst=[p.grad.sum().item() for p in big.parameters()]; o=[None]*2; dist.all_gather_object(o,lst); say(o[0]==o[1])
def eval_in_between(rank):
    m=DDP(nn.Sequential(nn.Linear(2,2),nn.BatchNorm1d(2)))
    for e in range(2):
        m.train(); l=m(torch.randn(4,2)).sum(); l.backward(); m.eval()
        with torch.no_grad(): m(torch.randn(4,2)); m.module(torch.ones(4,2))
        torch.jit.trace(m.module,torch.ones(4,2))
    sd=[b.clone() for b in m.module[1].buffers()]; m(torch.ones(1,2)); x=[None]*2; dist.all_gather_object(x,[b.tolist() for b in m.module[1].buffers()]); say(x[0]==x[1])
    m.requires_grad_(False); say(m(torch.ones(1,2)).requires_grad)
def asyncs(rank):
    ts=[torch.ones(1000)*(i+rank) for i in range(30)]
    ws=[dist.all_reduce(t,async_op=True) if i%3==0 else dist.broadcast(t,i%2,async_op=True) if i%3==1 else dist.reduce(t,0,async_op=True) for i,t in enumerate(ts)]
    f=torch.futures.collect_all([w.get_future() for w in ws]); f.wait(); say([t[0].item() for i,t in enumerate(ts) if i%3!=2 or rank==0])
    w=dist.barrier(async_op=True); w.wait(); say(w.is_completed())
    import threading
    g=[dist.new_group([0,1]) for _ in range(3)]; out=[0]*3
    def go(i): t=torch.ones(10)*(i+1); dist.all_reduce(t,group=g[i]); out[i]=t[0].item()
    th=[threading.Thread(target=go,args=(i,)) for i in range(3)]; [t.start() for t in th]; [t.join() for t in th]; say(out)
    t=torch.ones(3); w=dist.isend(t,1-rank); r=torch.zeros(3); dist.recv(r,1-rank); w.wait(); say(r)
    ws=[dist.irecv(torch.zeros(1),1-rank,tag=i) for i in range(5)]; [dist.send(torch.ones(1)*i,1-rank,tag=i) for i in reversed(range(5))]; [w.wait() for w in ws]; say([w.result()[0].item() for w in ws] if 0 else 'ok')
    dist.barrier(group=g[0]); say(dist.get_world_size(g[1]), g[2].size())
    e=torch.zeros(2,2); dist.all_gather_into_tensor(e,torch.ones(1,2)*rank); say(e); c=torch.zeros(2,dtype=torch.complex64); dist.all_reduce(c+1j); 
    l=[torch.zeros(2,dtype=torch.complex64) for _ in range(2)]; dist.all_gather(l,torch.tensor([1+1j*rank,2])); say(l)
for f in (gloo,amp,shared,eval_in_between,asyncs): together(f,2)

shutil.rmtree(folder)

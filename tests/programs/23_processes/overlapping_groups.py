# Groups that overlap, and collectives of other layouts, types and values
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


def subgroups(rank):
    # overlapping groups, p2p within groups by group rank
    g1=dist.new_group([0,1,2]); g2=dist.new_group([1,2,3]); 
    if rank in (0,1,2): t=torch.tensor([rank]); dist.all_reduce(t,group=g1); say('g1',t)
    if rank in (1,2,3): t=torch.tensor([rank]); dist.all_reduce(t,group=g2,op=dist.ReduceOp.PRODUCT); say('g2',t)
    if rank==3: dist.send(torch.tensor([33]),group=g2,group_dst=0)
    if rank==1: t=torch.tensor([0]); say(dist.recv(t,group=g2,group_src=2),t)
    if rank in (1,2,3):
        t=torch.zeros(1); 
        if rank==2:
            for _ in range(2): say(dist.recv(t,group=g2) in (1,3))
        else: dist.send(torch.ones(1),2,group=g2)
        t=torch.tensor([rank*1.]); dist.broadcast(t,group=g2,group_src=1); say(t); dist.reduce(t,3,group=g2); say(t if rank==3 else '')
        L=[torch.zeros(1) for _ in range(3)]; dist.gather(torch.tensor([rank*1.]),L if rank==2 else None,2,group=g2); say(L if rank==2 else ''); o=torch.zeros(1); dist.scatter(o,[torch.tensor([i*5.]) for i in range(3)] if rank==3 else None,3,group=g2); say(o)
        x=[None]; dist.scatter_object_list(x,list('abc') if rank==2 else None,2,group=g2); say(x); x=[rank]; dist.broadcast_object_list(x,3,group=g2); say(x); x=[None]*3 if rank==1 else None; dist.gather_object(rank,x,1,group=g2); say(x)
    odd=dist.new_group([3,1],sort_ranks=False) 
    if rank in (1,3): say(dist.get_rank(odd), dist.get_process_group_ranks(odd), dist.get_group_rank(odd,1))
    cur,_=dist.new_subgroups(2); t=torch.tensor([rank]); dist.all_reduce(t,group=cur); say(t); 
    dist.destroy_process_group(cur); t=torch.ones(1); dist.all_reduce(t); say(t)
    dist.barrier()
def perm(rank):
    # all_to_all with empty parts, zero-size, odd dtypes
    ins=[rank%2*2,1,0,3]; outs=[[0,2,0,2],[1]*4,[0]*4,[3]*4][rank]
    o=torch.zeros(sum(outs),2); dist.all_to_all_single(o,torch.arange(sum(ins)*2.).view(-1,2)+100*rank,outs,ins); say(o.tolist())

    t=torch.zeros(0); dist.broadcast(t,0); L=[torch.zeros(0) for _ in range(4)]; dist.all_gather(L,t); say(L)
    for dt in (torch.float64,torch.bfloat16,torch.int32,torch.int8,torch.bool,torch.complex128): t=torch.ones(3).to(dt)*(1 if dt==torch.bool else rank); dist.broadcast(t,3); say(t)
    t=torch.ones(2,3,4).permute(2,0,1)*rank; dist.all_reduce(t); say(t.stride(), t.sum()); c=torch.ones(2,4,3,3).to(memory_format=torch.channels_last)*rank; dist.all_reduce(c); say(c.is_contiguous(memory_format=torch.channels_last), c.sum())
    L=[torch.zeros(2,2) for _ in range(4)]; dist.all_gather(L,torch.arange(4.).view(2,2).t()+rank); say(L[3].tolist())
    r=torch.zeros(2); dist.reduce_scatter_tensor(r,torch.arange(8.)*rank,op=dist.ReduceOp.MAX); say(r); dist.reduce_scatter_tensor(r,torch.arange(8.)+rank,op=dist.ReduceOp.AVG); say(r)
    i=torch.tensor([2**40+rank,-rank]); dist.all_reduce(i); say(i); u=torch.tensor([200],dtype=torch.uint8); dist.all_reduce(u); say(u)
    n=torch.tensor([float('nan') if rank==1 else 1.,float('inf')]); dist.all_reduce(n); say(n); h=torch.tensor([60000.],dtype=torch.float16); dist.all_reduce(h); say(h)
    w=dist.reduce_scatter(r,[torch.ones(2)*i for i in range(4)],async_op=True); w.wait(); say(r); w=dist.gather(r,[torch.zeros(2) for _ in range(4)] if rank==0 else None,0,async_op=True); w.wait(); say(len(w.result())); w=dist.scatter(r,[torch.ones(2)*i for i in range(4)] if rank==1 else None,1,async_op=True); w.wait(); say(r, w.result()); w=dist.all_to_all_single(torch.zeros(4),torch.ones(4),async_op=True); say(w.wait(), w.result()); w=dist.all_gather_into_tensor(torch.zeros(8),r,async_op=True); w.wait(); say(w.result())
    p=torch.nn.Parameter(torch.ones(2)*rank); dist.broadcast(p,2); say(p); dist.all_reduce(p.data); say(p); v=p._version; dist.all_reduce(p.data); say(p.data._version>=0)
for f in (subgroups,perm): together(f,4)

shutil.rmtree(folder)

# DistributedSampler: the shares of several processes
import torch
from torch.utils.data import DistributedSampler
from torch.utils.data.distributed import DistributedSampler as D2
def err(f,*a,**k):
    try: print(f(*a,**k))
    except BaseException as e: print("<<%s>>"%type(e).__name__); print(e); print('<<end>>')
d=list(range(11))
for n in (1,2,3,4,13):
    for drop in (False,True):
        for sh in (False,True):
            ss=[DistributedSampler(d,n,r,shuffle=sh,seed=3,drop_last=drop) for r in range(n)]
            for s in ss: s.set_epoch(2)
            print(n,drop,sh,[list(s) for s in ss],[len(s) for s in ss], ss[0].total_size)
err(lambda: DistributedSampler(d)); err(lambda: DistributedSampler(d,2)); err(lambda: DistributedSampler(d,2,2)); err(lambda: DistributedSampler(d,2,-1)); err(lambda: list(DistributedSampler([],2,0)))
s=DistributedSampler(torch.utils.data.TensorDataset(torch.arange(6.)),2,1,shuffle=False); print([b for b in torch.utils.data.DataLoader(s.dataset,batch_size=2,sampler=s)])

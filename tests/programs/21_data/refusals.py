# What datasets, samplers and loaders refuse, and what they say.
import collections
import warnings

import numpy as np
import torch
from torch.utils.data import *
from torch.utils.data._utils import collate as uc


def t(f):
    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter("always")
        try:
            print("->", f())
        except Exception as e:
            print(type(e).__name__, "|", e)
        for x in w:
            print("   warn", x.category.__name__, x.message)


class R(Dataset):
    def __init__(self, n=10):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return i


class I(IterableDataset):
    def __iter__(self):
        return iter(range(5))


class IL(I):
    def __len__(self):
        return 3


t(lambda: DataLoader(R(),num_workers=-1))
t(lambda: DataLoader(R(),timeout=-1))
t(lambda: DataLoader(R(),prefetch_factor=2))
t(lambda: DataLoader(R(),prefetch_factor=-2,num_workers=1))
t(lambda: DataLoader(R(),persistent_workers=True))
t(lambda: DataLoader(I(),shuffle=True))
t(lambda: DataLoader(I(),sampler=range(3)))
t(lambda: DataLoader(I(),batch_sampler=range(3)))
t(lambda: DataLoader(R(),sampler=range(3),shuffle=True))
t(lambda: DataLoader(R(),batch_sampler=range(3),shuffle=True))
t(lambda: DataLoader(R(),batch_sampler=range(3),batch_size=3))
t(lambda: DataLoader(R(),batch_size=None,drop_last=True))
t(lambda: DataLoader(R(),batch_size=0))
t(lambda: DataLoader(R(),batch_size=2.5))
t(lambda: DataLoader(R(),multiprocessing_context="fork"))
t(lambda: DataLoader(R(),num_workers=1,multiprocessing_context=3))
t(lambda: DataLoader(R(0),shuffle=True))
t(lambda: list(DataLoader(R(0))))
t(lambda: len(DataLoader(I())))
t(lambda: len(DataLoader(I(),batch_size=2)))
t(lambda: (len(DataLoader(IL(),batch_size=2)),list(DataLoader(IL(),batch_size=2))))
def setit(name,v):
    d=DataLoader(R()); setattr(d,name,v)
for n in ("batch_size","sampler","dataset","batch_sampler","drop_last","persistent_workers","num_workers"): t(lambda: setit(n,3))
t(lambda: RandomSampler(R(),replacement=3))
t(lambda: RandomSampler(R(),num_samples=0))
t(lambda: RandomSampler(R(),num_samples=2.))
t(lambda: list(RandomSampler(R(0))))
t(lambda: WeightedRandomSampler([1,2],0))
t(lambda: WeightedRandomSampler([1,2],2,3))
t(lambda: WeightedRandomSampler([[1,2]],2))
t(lambda: BatchSampler(range(3),0,False))
t(lambda: BatchSampler(range(3),True,False))
t(lambda: BatchSampler(range(3),2,3))
t(lambda: random_split(R(),[3,3]))
t(lambda: random_split(R(),[.3,.3]))
t(lambda: random_split(R(),[.3,1.3]))
t(lambda: [len(x) for x in random_split(R(),[.33,.33,.34])])
t(lambda: [len(x) for x in random_split(R(2),[.1,.1,.8])])
t(lambda: TensorDataset(torch.ones(2),torch.ones(3)))
t(lambda: ConcatDataset([]))
t(lambda: ConcatDataset([I()]))
t(lambda: ConcatDataset([R(3),R(4)])[-8])
t(lambda: ConcatDataset([R(3),R(4)])[7])
t(lambda: ConcatDataset([R(3),R(4)]).cummulative_sizes)
t(lambda: StackDataset())
t(lambda: StackDataset(R(1),R(2)))
t(lambda: StackDataset(R(1),a=R(1)))
t(lambda: StackDataset(R(2),R(2))[1])
t(lambda: StackDataset(a=R(2),b=R(2))[1])
t(lambda: list(I()+I()))
t(lambda: len(ChainDataset([IL(),IL()])))
t(lambda: len(ChainDataset([R(),IL()])))
t(lambda: list(ChainDataset([R(),IL()])))
t(lambda: list(DataLoader(ChainDataset([I(),IL()]),batch_size=3)))
t(lambda: Subset(R(),[1,2]).__getitems__([0,1]))
t(lambda: next(iter(DataLoader(R(),pin_memory=True))))
t(lambda: DistributedSampler(R()))
t(lambda: DistributedSampler(R(),2,2))
t(lambda: get_worker_info())

# Loaders with worker processes: seeds, order, iterated datasets, errors.
import os
import random
import time
import warnings

import numpy as np
import torch
from torch.utils.data import *


class R(Dataset):
    def __init__(self, n=10):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return i


class Draws(R):
    def __getitem__(self, i):
        w = get_worker_info()
        return i, torch.randint(1000, ()).item(), random.randrange(1000), int(np.random.randint(1000)), w.id, w.seed


class I(IterableDataset):
    def __iter__(self):
        return iter(range(5))

    def __len__(self):
        return 3


class Uneven(IterableDataset):
    def __iter__(self):
        return iter(range(7 if get_worker_info().id == 0 else 2))


class Bad(R):
    def __getitem__(self, i):
        if i == 3:
            raise KeyError("three")
        return i


class Slow(R):
    def __getitem__(self, i):
        time.sleep(60)


class Dead(R):
    def __getitem__(self, i):
        os._exit(3)


class Info(R):
    def __getitem__(self, i):
        w = get_worker_info()
        return w.id, w.num_workers, type(w.dataset).__name__, torch.get_num_threads()


def same(batch):
    return batch


def failing(worker):
    raise ValueError(f"no worker {worker}")


def attempt(loader):
    try:
        print(list(loader))
    except Exception as e:
        lines = str(e).strip().split("\n")
        print(type(e).__name__, "|", lines[0].split("(pid")[0], "|", lines[-1].split("(pid")[0])


if __name__ == "__main__":
    torch.manual_seed(1)
    g = torch.Generator()
    g.manual_seed(2)
    loader = DataLoader(Draws(), batch_size=3, num_workers=2, shuffle=True, collate_fn=same)
    for epoch in range(2):
        for batch in loader:
            print(batch)
    print(torch.rand(1))
    loader = DataLoader(Draws(4), batch_size=2, num_workers=2, collate_fn=same, persistent_workers=True, generator=g)
    for epoch in range(3):
        for batch in loader:
            print(batch)
        print(torch.rand(1, generator=g))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        print(list(DataLoader(I(), num_workers=2, batch_size=2)))
        for options in ({"num_workers": 2}, {}, {"batch_size": None}):
            loader = DataLoader(I(), **{"batch_size": 2, **options})
            print(len(loader), list(loader))
        for warning in caught:
            print(warning.category.__name__, str(warning.message).split(" was ")[1])
    print(list(DataLoader(Uneven(), num_workers=2, batch_size=2)))
    print(list(DataLoader(Uneven(), num_workers=2, batch_size=2, drop_last=True, persistent_workers=True)))
    attempt(DataLoader(Bad(), num_workers=2))
    attempt(DataLoader(R(), num_workers=2, worker_init_fn=failing))
    attempt(DataLoader(Slow(), num_workers=1, timeout=1))
    attempt(DataLoader(Dead(), num_workers=1))
    attempt(DataLoader(Info(3), num_workers=2, collate_fn=same))
    attempt(DataLoader(Info(3), num_workers=2, collate_fn=same, multiprocessing_context="spawn"))
    print(sorted(b.item() for b in DataLoader(R(), num_workers=2, in_order=False)))
    iterator = iter(DataLoader(R(), num_workers=2))
    print(len(iterator), next(iterator), next(iterator))

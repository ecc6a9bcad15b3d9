# The order of samples for a seed, and which numbers of the generators loaders and samplers use up.
import torch
from torch.utils.data import *


class R(Dataset):
    def __init__(self, n=10):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return i


def batches(loader):
    return [b.tolist() for b in loader], torch.rand(1)


torch.manual_seed(7)
print(batches(DataLoader(R(), batch_size=4, shuffle=True)))
print(batches(DataLoader(R(), batch_size=4, shuffle=True, drop_last=True)))
print(batches(DataLoader(R(), batch_size=4)))
g = torch.Generator()
g.manual_seed(5)
loader = DataLoader(R(), batch_size=4, shuffle=True, generator=g)
print(batches(loader), torch.rand(1, generator=g))
print(batches(loader), torch.rand(1, generator=g))
print(list(DataLoader(R(3), batch_size=None)), list(DataLoader(R(3), batch_size=None, collate_fn=lambda x: -x)))
it = iter(DataLoader(R(), shuffle=True))
print(torch.rand(1), next(it), torch.rand(1))

print(list(RandomSampler(R())), list(RandomSampler(R(), num_samples=23)))
print(list(RandomSampler(R(), replacement=True, num_samples=40)), torch.rand(1))
for n in (3, 6, 7):
    g.manual_seed(3)
    print(list(RandomSampler(range(3), num_samples=n, generator=g)), torch.rand(1, generator=g))
for n in (31, 32, 33, 64):
    g.manual_seed(3)
    print(list(RandomSampler(range(3), True, num_samples=n, generator=g))[-3:], torch.rand(1, generator=g))
print(list(SubsetRandomSampler([3, 5, 7, 9])), list(SubsetRandomSampler([3, 5, 7, 9], generator=g)))
print(list(WeightedRandomSampler([0.1, 0.9, 0.5], 10)), list(WeightedRandomSampler([0.1, 0.9, 0.5], 3, False, generator=g)))
print([s.indices for s in random_split(R(), [3, 7])], [s.indices for s in random_split(R(), [0.5, 0.25, 0.25], generator=g)])
print(list(BatchSampler(SequentialSampler(R(5)), 2, True)), list(BatchSampler(range(5), 2, False)))

for count, n in ((10, 2), (10, 3), (2, 3), (10, 4), (11, 4)):
    for shuffle in (False, True):
        for drop in (False, True):
            samplers = [DistributedSampler(R(count), n, r, shuffle, seed=4, drop_last=drop) for r in range(n)]
            print([list(s) for s in samplers], len(samplers[0]), samplers[0].total_size)
s = DistributedSampler(R(), 2, 0)
s.set_epoch(3)
print(list(s))


class Many(R):
    def __getitems__(self, indices):
        return [("many", i) for i in indices]


print(list(DataLoader(Many(4), batch_size=2)), list(DataLoader(Subset(Many(4), [1, 3]), batch_size=2)))
print(list(DataLoader(TensorDataset(torch.arange(4), torch.arange(4) * 0.5), batch_size=2)))
print(StackDataset(a=range(3), b=range(3)).__getitems__([1, 2]), StackDataset(range(3), range(3)).__getitems__([1, 2]))

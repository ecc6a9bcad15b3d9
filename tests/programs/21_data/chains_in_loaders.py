# Loaders of chains of data: they say whether steps shuffle and seed them; workers share the work where a step says so.
import warnings

import torch
from torch.utils.data import DataLoader, graph_settings
from torch.utils.data.datapipes.iter import IterableWrapper
from torch.utils.data.datapipes.map import SequenceWrapper

warnings.simplefilter("ignore")


def seeded(seed):
    return torch.Generator().manual_seed(seed)


def taken(loader):
    return [batch.tolist() if isinstance(batch, torch.Tensor) else batch for batch in loader]


def chain():
    return IterableWrapper(range(6)).shuffle()


for shuffle in (True, False, None):
    print(shuffle, taken(DataLoader(chain(), shuffle=shuffle, generator=seeded(3))))
print(taken(DataLoader(chain(), shuffle=True, batch_size=4, generator=seeded(3))))
print(taken(DataLoader(IterableWrapper(range(6)), shuffle=True, generator=seeded(3))))
print(taken(DataLoader(IterableWrapper(range(6)).shuffle().map(int).shuffle(), shuffle=True, generator=seeded(3))))
for loader in (DataLoader(chain(), shuffle=True), DataLoader(chain()), DataLoader(chain().set_seed(4), shuffle=True)):
    torch.manual_seed(0)
    print(taken(loader), taken(loader))
print(taken(DataLoader(SequenceWrapper(range(5)), shuffle=True, generator=seeded(3))))
print(taken(DataLoader(SequenceWrapper(range(5)).shuffle(), shuffle=True, generator=seeded(3))))
print(taken(DataLoader(chain().sharding_filter(), shuffle=True, num_workers=2, generator=seeded(3))))
loader = DataLoader(chain().sharding_filter(), shuffle=True, num_workers=2, generator=seeded(3), persistent_workers=True)
print([taken(loader) for _ in range(3)])
print(taken(DataLoader(IterableWrapper(range(8)).shuffle(buffer_size=3).map(str).batch(2), batch_size=None, generator=seeded(1))))
try:
    DataLoader(chain(), sampler=[1])
except ValueError as error:
    print("<<ValueError>>")
    print(error)
    print("<<end>>")
for buffer_size in (10000, 3, 1):
    print([list(IterableWrapper(range(10)).shuffle(buffer_size=buffer_size).set_seed(seed)) for seed in (0, 7)])
mixed = graph_settings.apply_random_seed(chain(), seeded(5))
print(list(mixed), list(graph_settings.apply_shuffle_settings(chain(), False)))

"""Chains of steps that data goes through."""
import torch
from torch.utils.data import DataLoader, IterDataPipe, MapDataPipe, functional_datapipe
from torch.utils.data.datapipes.iter import Concater, IterableWrapper, Mapper, Zipper
from torch.utils.data.datapipes.map import SequenceWrapper



def more():
    return IterableWrapper(range(7))


numbers = more()
print(list(numbers), len(numbers))
print(list(numbers.map(lambda x: x * 2).filter(lambda x: x % 3 != 0)), list(numbers.batch(3)), len(numbers.batch(3)))
print(list(numbers.batch(3, drop_last=True).unbatch()), list(numbers.zip(more().map(str))), list(numbers.concat(more())))
print(list(numbers.mux(more().map(lambda x: -x)))[:6], sorted(numbers.shuffle(buffer_size=3)), list(numbers.shuffle().set_shuffle(False)))
print(list(numbers.batch(2).collate()), list(Mapper(numbers, str)), list(Zipper(numbers, more()))[:2], len(Concater(numbers, numbers)))
half = numbers.sharding_filter()
half.apply_sharding(2, 1)
print(list(half), len(half))


@functional_datapipe("twice")
class Twice(IterDataPipe):
    def __init__(self, source, times=2):
        self.source, self.times = source, times

    def __iter__(self):
        for x in self.source:
            yield from [x] * self.times


print(list(numbers.twice()), list(numbers.twice(times=1)), isinstance(numbers, torch.utils.data.IterableDataset))
print([batch.tolist() for batch in DataLoader(numbers.map(float), batch_size=4)])
letters = SequenceWrapper(["a", "b", "c"])
print(letters[1], len(letters), letters.map(str.upper)[2], list(letters.batch(2)[0]), letters.concat(letters)[4], letters.zip(letters)[0])
print(isinstance(letters, MapDataPipe), {1: 2}[1])
try:
    numbers.nothing
except AttributeError as error:
    print(error)
try:
    functional_datapipe("twice")(Twice)
except Exception as error:
    print(error)

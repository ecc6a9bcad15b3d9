"""Steps of chains of samples that are asked for by key."""

import copy
import random

from .datapipe import IterDataPipe, MapDataPipe, functional_datapipe, name_classes, warn_of_local


def _same(data):
    return data


class SequenceWrapper(MapDataPipe):
    """A chain that begins with the samples of a sequence or a dict; a copy of it where ``deepcopy`` says so."""

    def __init__(self, sequence, deepcopy=True):
        self.sequence = copy.deepcopy(sequence) if deepcopy else sequence

    def __getitem__(self, index):
        return self.sequence[index]

    def __len__(self):
        return len(self.sequence)


@functional_datapipe("map")
class Mapper(MapDataPipe):
    """What a function makes of each sample."""

    def __init__(self, datapipe, fn=_same):
        warn_of_local(fn)
        self.datapipe, self.fn = datapipe, fn

    def __getitem__(self, index):
        return self.fn(self.datapipe[index])

    def __len__(self):
        return len(self.datapipe)


@functional_datapipe("batch")
class Batcher(MapDataPipe):
    """Lists of so many samples."""

    def __init__(self, datapipe, batch_size, drop_last=False, wrapper_class=list):
        if batch_size <= 0:
            raise AssertionError("Batch size is required to be larger than 0!")
        self.datapipe, self.batch_size, self.drop_last, self.wrapper_class = datapipe, batch_size, drop_last, wrapper_class

    def __getitem__(self, index):
        if not 0 <= index < len(self):
            raise IndexError(f"Index {index} is out of bound.")
        begin = index * self.batch_size
        end = min(begin + self.batch_size, len(self.datapipe))
        return self.wrapper_class([self.datapipe[place] for place in range(begin, end)])

    def __len__(self):
        count = len(self.datapipe)
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)


@functional_datapipe("concat")
class Concater(MapDataPipe):
    """The samples of several chains, one chain after another."""

    def __init__(self, *datapipes):
        if not datapipes:
            raise ValueError("Expected at least one DataPipe, but got nothing")
        self.datapipes = datapipes

    def __getitem__(self, index):
        place = index
        for datapipe in self.datapipes:
            if place < len(datapipe):
                return datapipe[place]
            place -= len(datapipe)
        raise IndexError(f"Index {index} is out of range.")

    def __len__(self):
        return sum(map(len, self.datapipes))


@functional_datapipe("zip")
class Zipper(Concater):
    """Tuples of a sample of each chain."""

    def __getitem__(self, index):
        return tuple(datapipe[index] for datapipe in self.datapipes)

    def __len__(self):
        return min(map(len, self.datapipes))


class Shuffler(IterDataPipe):
    """The samples one after another, in an order by chance of their keys."""

    def __init__(self, datapipe, *, indices=None):
        self.datapipe, self.indices = datapipe, list(range(len(datapipe))) if indices is None else indices
        self._enabled, self._seed = True, None

    def set_shuffle(self, shuffle=True):
        """Whether the order is by chance."""
        self._enabled = shuffle
        return self

    def set_seed(self, seed):
        """Where the next order begins."""
        self._seed = seed
        return self

    def __iter__(self):
        order = list(self.indices)
        if self._enabled:
            from rushlight import empty, int64

            seed, self._seed = self._seed, None
            random.Random(int(empty((), dtype=int64).random_().item()) if seed is None else seed).shuffle(order)
        for index in order:
            yield self.datapipe[index]

    def __len__(self):
        return len(self.datapipe)


MapDataPipe.register_datapipe_as_function("shuffle", Shuffler)
name_classes(globals(), (Shuffler,), "IterDataPipe")
name_classes(globals(), (SequenceWrapper, *(step for step in MapDataPipe.functions.values() if step is not Shuffler)), "MapDataPipe")

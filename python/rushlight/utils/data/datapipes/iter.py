"""Steps of chains of samples that come one after another."""

import copy
import random

from .._utils.collate import default_collate
from ._splitting import Demultiplexer, Forker, Grouper  # noqa: F401
from .datapipe import IterDataPipe, functional_datapipe, name_classes, warn_of_local


class IterableWrapper(IterDataPipe):
    """A chain that begins with the samples of an iterable; a copy of it where ``deepcopy`` says so."""

    def __init__(self, iterable, deepcopy=True):
        self.iterable, self.deepcopy = iterable, deepcopy

    def __iter__(self):
        yield from copy.deepcopy(self.iterable) if self.deepcopy else self.iterable

    def __len__(self):
        return len(self.iterable)


class _Step(IterDataPipe):
    """A step behind another one."""

    def __init__(self, datapipe):
        self.datapipe = datapipe

    def __len__(self):
        return len(self.datapipe)


@functional_datapipe("map")
class Mapper(_Step):
    """What a function makes of each sample, or of a part of it."""

    def __init__(self, datapipe, fn, input_col=None, output_col=None):
        super().__init__(datapipe)
        warn_of_local(fn)
        if input_col is None and output_col is not None:
            raise ValueError("`output_col` must be None when `input_col` is None.")
        self.fn, self.input_col, self.output_col = fn, input_col, output_col

    def _apply(self, data):
        if self.input_col is None:
            return self.fn(data)
        columns = self.input_col if isinstance(self.input_col, (list, tuple)) else [self.input_col]
        result = self.fn(*(data[column] for column in columns))
        changed = dict(data) if isinstance(data, dict) else list(data)
        target = columns[0] if self.output_col is None else self.output_col
        if target == -1 and isinstance(changed, list):
            changed.append(result)
        else:
            changed[target] = result
        return tuple(changed) if isinstance(data, tuple) else changed

    def __iter__(self):
        for data in self.datapipe:
            yield self._apply(data)


@functional_datapipe("filter")
class Filter(_Step):
    """The samples that a function says yes to."""

    def __init__(self, datapipe, filter_fn, input_col=None):
        super().__init__(datapipe)
        warn_of_local(filter_fn)
        self.filter_fn, self.input_col = filter_fn, input_col

    def __iter__(self):
        for data in self.datapipe:
            if self._passes(data):
                yield data

    def _passes(self, data):
        if self.input_col is None:
            found = self.filter_fn(data)
        elif isinstance(self.input_col, (list, tuple)):
            found = self.filter_fn(*(data[column] for column in self.input_col))
        else:
            found = self.filter_fn(data[self.input_col])
        if not isinstance(found, bool):
            raise ValueError("Boolean output is required for `filter_fn` of FilterIterDataPipe, got", type(found))
        return found

    def __len__(self):
        raise TypeError(f"{type(self).__name__} instance doesn't have valid length")


@functional_datapipe("batch")
class Batcher(_Step):
    """Lists of so many samples."""

    def __init__(self, datapipe, batch_size, drop_last=False, wrapper_class=list):
        if batch_size <= 0:
            raise AssertionError("Batch size is required to be larger than 0!")
        super().__init__(datapipe)
        self.batch_size, self.drop_last, self.wrapper_class = batch_size, drop_last, wrapper_class

    def __iter__(self):
        batch = []
        for data in self.datapipe:
            batch.append(data)
            if len(batch) == self.batch_size:
                yield self.wrapper_class(batch)
                batch = []
        if batch and not self.drop_last:
            yield self.wrapper_class(batch)

    def __len__(self):
        count = len(self.datapipe)
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)


@functional_datapipe("unbatch")
class UnBatcher(_Step):
    """The samples of lists; of lists in lists where ``unbatch_level`` says so, -1 for all."""

    def __init__(self, datapipe, unbatch_level=1):
        super().__init__(datapipe)
        self.unbatch_level = unbatch_level

    def __iter__(self):
        for data in self.datapipe:
            yield from self._parts(data, self.unbatch_level)

    def _parts(self, data, level):
        if level == 0 or level == -1 and not isinstance(data, list):
            yield data
            return
        if not isinstance(data, list):
            raise IndexError(f"unbatch_level {self.unbatch_level} exceeds the depth of the DataPipe")
        for part in data:
            yield from self._parts(part, level if level == -1 else level - 1)

    def __len__(self):
        raise TypeError(f"{type(self).__name__} instance doesn't have valid length")


@functional_datapipe("collate")
class Collator(Mapper):
    """Batches as tensors."""

    def __init__(self, datapipe, conversion=None, collate_fn=None):
        super().__init__(datapipe, collate_fn or conversion or default_collate)


@functional_datapipe("shuffle")
class Shuffler(_Step):
    """Samples in an order by chance, within a window of ``buffer_size``."""

    def __init__(self, datapipe, *, buffer_size=10000, unbatch_level=0):
        if buffer_size <= 0:
            raise ValueError("buffer_size should be larger than 0")
        super().__init__(datapipe if unbatch_level == 0 else datapipe.unbatch(unbatch_level))
        self.buffer_size, self._enabled, self._seed = buffer_size, True, None

    def set_shuffle(self, shuffle=True):
        """Whether the order is by chance."""
        self._enabled = shuffle
        return self

    def set_seed(self, seed):
        """Where the next order begins."""
        self._seed = seed
        return self

    def __iter__(self):
        if not self._enabled:
            yield from self.datapipe
            return
        from rushlight import empty, int64

        seed, self._seed = self._seed, None
        chance = random.Random(int(empty((), dtype=int64).random_().item()) if seed is None else seed)
        window = []
        for data in self.datapipe:
            if len(window) == self.buffer_size:
                place = chance.randint(0, len(window) - 1)
                window[place], data = data, window[place]
                yield data
            else:
                window.append(data)
        while window:
            yield window.pop(chance.randint(0, len(window) - 1))


@functional_datapipe("concat")
class Concater(IterDataPipe):
    """The samples of several chains, one chain after another."""

    def __init__(self, *datapipes):
        if not datapipes:
            raise ValueError("Expected at least one DataPipe, but got nothing")
        self.datapipes = datapipes

    def __iter__(self):
        for datapipe in self.datapipes:
            yield from datapipe

    def __len__(self):
        return sum(map(len, self.datapipes))


@functional_datapipe("zip")
class Zipper(Concater):
    """Tuples of a sample of each chain."""

    def __iter__(self):
        yield from zip(*self.datapipes)

    def __len__(self):
        return min(map(len, self.datapipes))


@functional_datapipe("mux")
class Multiplexer(Concater):
    """A sample of each chain in turn, until one has ended."""

    def __iter__(self):
        for row in zip(*self.datapipes):
            yield from row

    def __len__(self):
        return min(map(len, self.datapipes)) * len(self.datapipes)


@functional_datapipe("sharding_filter")
class ShardingFilter(_Step):
    """The samples of one of several that share the work; all of them where nobody shares."""

    def __init__(self, datapipe, sharding_group_filter=None):
        super().__init__(datapipe)
        self.num_of_instances, self.instance_id = 1, 0

    def is_shardable(self):
        """Yes."""
        return True

    def apply_sharding(self, num_of_instances, instance_id, sharding_group=None):
        """Says how many share the work, and which of them this is."""
        if instance_id >= num_of_instances:
            raise ValueError(f"instance_id({instance_id}) should be smaller than num_of_instances({num_of_instances})")
        self.num_of_instances, self.instance_id = num_of_instances, instance_id

    def __iter__(self):
        for number, data in enumerate(self.datapipe):
            if number % self.num_of_instances == self.instance_id:
                yield data

    def __len__(self):
        whole, rest = divmod(len(self.datapipe), self.num_of_instances)
        return whole + (self.instance_id < rest)


name_classes(globals(), (IterableWrapper, *IterDataPipe.functions.values()), "IterDataPipe")

"""Steps that make several chains of one, and groups of samples that belong together."""

import copy
import warnings
from collections import deque

from ...._once import outside
from .datapipe import IterDataPipe, functional_datapipe, warn_of_local

_COPIES = {None: lambda data: data, "shallow": copy.copy, "deep": copy.deepcopy}


def _refuse_none(num_instances):
    if num_instances < 1:
        raise ValueError(f"Expected `num_instances` larger than 0, but {num_instances} is found")


def _warn_of_memory(name, buffer_size):
    if buffer_size < 0:
        warnings.warn(
            f"Unlimited buffer size is set for `{name}`, please be aware of OOM at random places", UserWarning, stacklevel=outside()
        )


class _Source:
    """What several chains read from: samples that some have had and others have not wait here."""

    def __init__(self, datapipe, num_instances, buffer_size):
        self.datapipe, self.num_instances, self.buffer_size = datapipe, num_instances, buffer_size
        self.children = [_ChildDataPipe(self, number) for number in range(num_instances)]
        # Which of the readings from the start this is; iterators of earlier ones are invalid.
        self.reading = 0
        self.begin()

    def __repr__(self):
        return f"{type(self).__name__}(buffer_size={self.buffer_size}, num_instances={self.num_instances})"

    def begin(self):
        """Reads from the start again."""
        self.samples = None
        self.waiting = [deque() for _ in range(self.num_instances)]
        self.ended = [False] * self.num_instances

    def begin_for(self, child):
        """What a new iterator of a chain belongs to: the reading that there is, or the next one where the chain had its part of it."""
        if child.reading == self.reading:
            if not all(self.ended):
                warnings.warn(
                    "Some child DataPipes are not exhausted when __iter__ is called. We are resetting the buffer and each child "
                    "DataPipe will read from the start again.",
                    UserWarning,
                    stacklevel=outside(),
                )
            self.reading += 1
            self.begin()
        child.reading = self.reading
        return self.reading

    def samples_of(self, number, reading):
        """The samples of a chain, for as long as its reading lasts."""
        while True:
            if reading != self.reading:
                raise RuntimeError(
                    "This iterator has been invalidated, because a new iterator has been created from one of the ChildDataPipes of "
                    f"{self!r}.\nFor feedback regarding this single iterator per IterDataPipe constraint, feel free to comment on this "
                    "issue: https://github.com/pytorch/data/issues/45."
                )
            if not self.waiting[number] and not self.read_for(number):
                self.ended[number] = True
                return
            yield self.waiting[number].popleft()

    def next_sample(self):
        """The next sample of the chain behind, with whether there was one."""
        if self.samples is None:
            self.samples = iter(self.datapipe)
        for data in self.samples:
            return True, data
        return False, None


class _ForkerIterDataPipe(_Source):
    """Each sample waits for each chain."""

    def __init__(self, datapipe, num_instances, buffer_size, copied):
        super().__init__(datapipe, num_instances, buffer_size)
        self.copied = copied

    def read_for(self, number):
        """Takes a sample; whether there was one."""
        if self.buffer_size >= 0 and any(len(queue) > self.buffer_size - 1 for queue in self.waiting):
            raise BufferError(f"ForkerIterDataPipe buffer overflow,buffer size {self.buffer_size} is insufficient.")
        found, data = self.next_sample()
        if found:
            for queue in self.waiting:
                queue.append(self.copied(data))
        return found


class _DemultiplexerIterDataPipe(_Source):
    """Each sample waits for the chain that a function names."""

    def __init__(self, datapipe, num_instances, buffer_size, classifier_fn, drop_none):
        super().__init__(datapipe, num_instances, buffer_size)
        self.classifier_fn, self.drop_none = classifier_fn, drop_none

    def read_for(self, number):
        """Takes samples until one is for a chain; whether there was one."""
        while True:
            found, data = self.next_sample()
            if not found:
                return False
            place = self.classifier_fn(data)
            if place is None and self.drop_none:
                continue
            if place is None or place < 0 or place >= self.num_instances:
                raise ValueError(
                    f"Output of the classification fn should be between 0 and {self.num_instances - 1}. {place} is returned."
                )
            self.waiting[place].append(data)
            if place == number:
                return True
            if self.buffer_size >= 0 and sum(map(len, self.waiting)) > self.buffer_size - 1:
                raise BufferError(f"DemultiplexerIterDataPipe buffer overflow, buffer size {self.buffer_size} is insufficient.")


class _ChildDataPipe(IterDataPipe):
    """One of the chains that read from the same source."""

    _sees_to_readers = True

    def __init__(self, main_datapipe, instance_id):
        self.main_datapipe, self.instance_id = main_datapipe, instance_id
        self.reading = -1

    def __iter__(self):
        reading = self.main_datapipe.begin_for(self)
        return self.main_datapipe.samples_of(self.instance_id, reading)

    def __len__(self):
        if isinstance(self.main_datapipe, _DemultiplexerIterDataPipe):
            raise TypeError
        return len(self.main_datapipe.datapipe)


@functional_datapipe("fork")
class Forker(IterDataPipe):
    """Several chains of the same samples."""

    def __new__(cls, datapipe, num_instances, buffer_size=1000, copy=None):
        _refuse_none(num_instances)
        if num_instances == 1:
            return datapipe
        if copy not in _COPIES:
            raise ValueError(f"Unknown copy method `{copy}` requested, choose one of None, `shallow` or `deep`.")
        _warn_of_memory("fork", buffer_size)
        return _ForkerIterDataPipe(datapipe, num_instances, buffer_size, _COPIES[copy]).children


@functional_datapipe("demux")
class Demultiplexer(IterDataPipe):
    """Several chains, each of the samples for which a function gives its number."""

    def __new__(cls, datapipe, num_instances, classifier_fn, drop_none=False, buffer_size=1000):
        _refuse_none(num_instances)
        warn_of_local(classifier_fn)
        _warn_of_memory("demux", buffer_size)
        return _DemultiplexerIterDataPipe(datapipe, num_instances, buffer_size, classifier_fn, drop_none).children


@functional_datapipe("groupby")
class Grouper(IterDataPipe):
    """Lists of samples for which a function gives the same key."""

    def __init__(
        self, datapipe, group_key_fn, *, keep_key=False, buffer_size=10000, group_size=None, guaranteed_group_size=None,
        drop_remaining=False,
    ):  # fmt: skip
        warn_of_local(group_key_fn)
        self.datapipe, self.group_key_fn, self.keep_key = datapipe, group_key_fn, keep_key
        self.max_buffer_size, self.group_size, self.drop_remaining = buffer_size, group_size, drop_remaining
        self.guaranteed_group_size = None
        if group_size is not None and buffer_size is not None:
            if not 0 < group_size <= buffer_size:
                raise AssertionError("group_size must be > 0 and <= buffer_size")
            self.guaranteed_group_size = group_size
        if guaranteed_group_size is not None:
            if group_size is None or not 0 < guaranteed_group_size <= group_size:
                raise AssertionError("guaranteed_group_size must be > 0 and <= group_size and group_size must be set")
            self.guaranteed_group_size = guaranteed_group_size

    def _result(self, key, group):
        return (key, group) if self.keep_key else group

    def _largest(self, groups):
        """The largest group, which makes room; None where it is too small and is dropped."""
        key = max(groups, key=lambda each: len(groups[each]))
        size = len(groups[key])
        if self.guaranteed_group_size is not None and size < self.guaranteed_group_size and not self.drop_remaining:
            raise RuntimeError("Failed to group items", str(groups[key]))
        group = groups.pop(key)
        enough = self.guaranteed_group_size is None or size >= self.guaranteed_group_size
        return size, self._result(key, group) if enough else None

    def __iter__(self):
        groups, held = {}, 0
        for data in self.datapipe:
            key = self.group_key_fn(data)
            groups.setdefault(key, []).append(data)
            held += 1
            if self.group_size is not None and self.group_size == len(groups[key]):
                group = groups.pop(key)
                held -= len(group)
                yield self._result(key, group)
            if held == self.max_buffer_size:
                size, found = self._largest(groups)
                held -= size
                if found is not None:
                    yield found
        for key in tuple(groups):
            yield self._result(key, groups.pop(key))

"""``torch.utils.data.sampler``: in which order the samples of a dataset are taken."""

import itertools
import typing

from ... import Generator, as_tensor, empty, float64, int64, multinomial, randint, randperm

__all__ = [
    "BatchSampler", "RandomSampler", "Sampler", "SequentialSampler", "SubsetRandomSampler", "WeightedRandomSampler",
]

T_co = typing.TypeVar("T_co", covariant=True)


class Sampler(typing.Generic[T_co]):
    """Numbers of samples; subclasses define ``__iter__``, and ``__len__`` where it is known."""

    def __iter__(self):
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """All samples in order."""

    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


def _is_count(number):
    return isinstance(number, int) and not isinstance(number, bool) and number > 0


class RandomSampler(Sampler[int]):
    """Samples in random order: each as often as the others, or, with replacement, as it comes."""

    # How many numbers are drawn at once where samples may repeat.
    _AT_ONCE = 32

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        self.data_source, self.replacement, self._num_samples, self.generator = data_source, replacement, num_samples, generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={self.num_samples}")

    @property
    def num_samples(self):
        """How many numbers there are: one for every sample unless another number was given."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def _generator(self):
        if self.generator is not None:
            return self.generator
        seed = int(empty((), dtype=int64).random_().item())
        generator = Generator()
        generator.manual_seed(seed)
        return generator

    def __iter__(self):
        count = len(self.data_source)
        generator = self._generator()
        left = self.num_samples
        while left > 0:
            if self.replacement:
                drawn = randint(high=count, size=(min(left, self._AT_ONCE),), dtype=int64, generator=generator)
            else:
                drawn = randperm(count, generator=generator)
            yield from drawn.tolist()[:left]
            left -= drawn.numel()
        # The reference draws a last, empty time.
        if not self.replacement and left == 0:
            randperm(count, generator=generator)

    def __len__(self):
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """Given numbers in random order."""

    def __init__(self, indices, generator=None):
        self.indices, self.generator = indices, generator

    def __iter__(self):
        for i in randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self):
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Samples as likely as their weights."""

    def __init__(self, weights, num_samples, replacement=True, generator=None):
        if not _is_count(num_samples):
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={num_samples}")
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        weights = as_tensor(weights, dtype=float64)
        if weights.dim() != 1:
            raise ValueError(f"weights should be a 1d sequence but given weights have shape {tuple(weights.shape)}")
        self.weights, self.num_samples, self.replacement, self.generator = weights, num_samples, replacement, generator

    def __iter__(self):
        yield from multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator).tolist()

    def __len__(self):
        return self.num_samples


class BatchSampler(Sampler[list]):
    """The numbers of another sampler in lists of the same length; the last may be shorter, or is dropped."""

    def __init__(self, sampler, batch_size, drop_last):
        if not _is_count(batch_size):
            raise ValueError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self):
        numbers = iter(self.sampler)
        while batch := list(itertools.islice(numbers, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self):
        whole, rest = divmod(len(self.sampler), self.batch_size)
        return whole + (rest > 0 and not self.drop_last)

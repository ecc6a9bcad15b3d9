"""How the samples of a batch are taken out of a dataset."""

import itertools

from ..dataset import _samples


class _MapDatasetFetcher:
    """From a dataset of samples by number."""

    def __init__(self, dataset, auto_collation, collate_fn, drop_last):
        self.dataset, self.auto_collation, self.collate_fn = dataset, auto_collation, collate_fn

    def fetch(self, index):
        """The batch of these numbers, or the sample of this one."""
        return self.collate_fn(_samples(self.dataset, index) if self.auto_collation else self.dataset[index])


class _IterableDatasetFetcher:
    """From a dataset that is iterated."""

    def __init__(self, dataset, auto_collation, collate_fn, drop_last):
        self.auto_collation, self.collate_fn, self.drop_last = auto_collation, collate_fn, drop_last
        self.dataset_iter = iter(dataset)
        self.ended = False

    def fetch(self, index):
        """The next samples: as many as there are numbers."""
        if self.ended:
            raise StopIteration
        if not self.auto_collation:
            return self.collate_fn(next(self.dataset_iter))
        data = list(itertools.islice(self.dataset_iter, len(index)))
        self.ended = len(data) < len(index)
        if not data or self.ended and self.drop_last:
            raise StopIteration
        return self.collate_fn(data)

"""``torch.utils.data``: collections of samples, the order in which they are taken, and batches made of them."""

from .dataloader import DataLoader, _DatasetKind, default_collate, default_convert, get_worker_info
from .dataset import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from .distributed import DistributedSampler
from .sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

# Modules and classes of chains of data, loaded when they are first asked for.
_PIPES = ("IterDataPipe", "MapDataPipe", "functional_datapipe")


def __getattr__(name):
    if name == "datapipes" or name in _PIPES:
        from importlib import import_module

        pipes = import_module(".datapipes", __package__)
        return pipes if name == "datapipes" else getattr(pipes.datapipe, name)
    raise AttributeError(f"module 'torch.utils.data' has no attribute '{name}'")


__all__ = [
    "BatchSampler", "ChainDataset", "ConcatDataset", "DataLoader", "Dataset", "DistributedSampler", "IterableDataset",
    "RandomSampler", "Sampler", "SequentialSampler", "StackDataset", "Subset", "SubsetRandomSampler", "TensorDataset",
    "WeightedRandomSampler", "_DatasetKind", "default_collate", "default_convert", "get_worker_info", "random_split",
]

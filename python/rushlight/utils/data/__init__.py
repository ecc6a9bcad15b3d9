"""``torch.utils.data``: collections of samples."""

from . import dataset
from .dataset import ConcatDataset, Dataset, IterableDataset, Subset, TensorDataset, random_split

__all__ = ["ConcatDataset", "Dataset", "IterableDataset", "Subset", "TensorDataset", "dataset", "random_split"]

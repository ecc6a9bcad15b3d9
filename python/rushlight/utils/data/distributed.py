"""``torch.utils.data.distributed``: the share of a dataset that one of several processes works on."""

import math
import typing

from ... import Generator, distributed as dist, randperm
from .sampler import Sampler

__all__ = ["DistributedSampler"]

T_co = typing.TypeVar("T_co", covariant=True)


def _group_fact(name):
    """A number of the process group."""
    if not dist.is_initialized():
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")
    return getattr(dist, name)()


class DistributedSampler(Sampler[T_co]):
    """Every `num_replicas`-th sample, from the `rank`-th on: the same number for every process."""

    def __init__(self, dataset, num_replicas=None, rank=None, shuffle=True, seed=0, drop_last=False):
        if num_replicas is None:
            num_replicas = _group_fact("get_world_size")
        if rank is None:
            rank = _group_fact("get_rank")
        if not 0 <= rank < num_replicas:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset, self.num_replicas, self.rank, self.epoch = dataset, num_replicas, rank, 0
        self.shuffle, self.seed, self.drop_last = shuffle, seed, drop_last
        count = len(dataset)
        self.num_samples = count // num_replicas if drop_last else math.ceil(count / num_replicas)
        self.total_size = self.num_samples * num_replicas

    def __iter__(self):
        if self.shuffle:
            generator = Generator()
            generator.manual_seed(self.seed + self.epoch)
            order = randperm(len(self.dataset), generator=generator).tolist()
        else:
            order = list(range(len(self.dataset)))
        if not self.drop_last and order:
            # The first ones come again until all have equally many.
            order *= math.ceil(self.total_size / len(order))
        return iter(order[: self.total_size][self.rank :: self.num_replicas])

    def __len__(self):
        return self.num_samples

    def set_epoch(self, epoch):
        """Makes the order that of an epoch."""
        self.epoch = epoch

"""Partitions on processes of Python alone: `concurrent.futures`."""

import functools
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

from digits import predict


def run(frames, model, workers):
    """The answers for all frames, in their order."""
    # New processes, not forks: a fork would copy threads' locks in whatever state they are.
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        return list(pool.map(functools.partial(predict, model=model), frames))

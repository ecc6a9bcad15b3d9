"""``torch.utils.data.dataloader``: batches of the samples of a dataset, fetched here or by other processes."""

import itertools
import os
import time
import typing
import warnings
from collections import deque
from dataclasses import dataclass

from ... import Generator, default_generator, empty, int64
from . import _utils, graph_settings
from ._utils.collate import default_collate, default_convert
from ._utils.worker import get_worker_info
from .dataset import Dataset, IterableDataset
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler

_collate_fn_t = typing.Callable[[typing.List[typing.Any]], typing.Any]

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]

T_co = typing.TypeVar("T_co", covariant=True)


class _DatasetKind:
    """Whether samples have numbers."""

    Map = 0
    Iterable = 1

    @staticmethod
    def create_fetcher(kind, dataset, auto_collation, collate_fn, drop_last):
        """What takes samples out of a dataset."""
        fetch = _utils.fetch
        fetcher = fetch._MapDatasetFetcher if kind == _DatasetKind.Map else fetch._IterableDatasetFetcher
        return fetcher(dataset, auto_collation, collate_fn, drop_last)


class _InfiniteConstantSampler(Sampler):
    """No numbers, for ever: the samples have none."""

    def __iter__(self):
        return itertools.repeat(None)


# What cannot be changed after a loader was made.
_FIXED = frozenset(("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers"))


class DataLoader(typing.Generic[T_co]):
    """Batches of the samples of a dataset."""

    _iterator = None
    __initialized = False

    def __init__(
        self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0, collate_fn=None,
        pin_memory=False, drop_last=False, timeout=0, worker_init_fn=None, multiprocessing_context=None, generator=None, *,
        prefetch_factor=None, persistent_workers=False, pin_memory_device="", in_order=True,
    ):
        if num_workers < 0:
            raise ValueError(
                "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing."
            )
        if timeout < 0:
            raise ValueError("timeout option should be non-negative")
        if num_workers == 0 and prefetch_factor is not None:
            raise ValueError(
                "prefetch_factor option could only be specified in multiprocessing."
                "let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None."
            )
        if prefetch_factor is not None and prefetch_factor < 0:
            raise ValueError("prefetch_factor option should be non-negative")
        if persistent_workers and num_workers == 0:
            raise ValueError("persistent_workers option needs num_workers > 0")
        self.dataset, self.num_workers, self.timeout = dataset, num_workers, timeout
        self.prefetch_factor = 2 if num_workers > 0 and prefetch_factor is None else prefetch_factor
        self.pin_memory, self.pin_memory_device, self.worker_init_fn = pin_memory, pin_memory_device, worker_init_fn
        self.in_order, self.multiprocessing_context = in_order, multiprocessing_context
        if isinstance(dataset, IterableDataset):
            self._dataset_kind = _DatasetKind.Iterable
            if graph_settings.is_chain(dataset):
                # The steps of a chain bring the order themselves.
                graph_settings.apply_shuffle_settings(dataset, shuffle)
                shuffle = None
            self._refuse_order(shuffle, sampler, batch_sampler)
        else:
            self._dataset_kind = _DatasetKind.Map
        shuffle = bool(shuffle)
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError("batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last")
            batch_size, drop_last = None, False
        elif batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
        if sampler is None:
            if self._dataset_kind == _DatasetKind.Iterable:
                sampler = _InfiniteConstantSampler()
            elif shuffle:
                sampler = RandomSampler(dataset, generator=generator)
            else:
                sampler = SequentialSampler(dataset)
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size, self.drop_last, self.sampler, self.batch_sampler = batch_size, drop_last, sampler, batch_sampler
        self.generator = generator
        if collate_fn is None:
            collate_fn = default_collate if self._auto_collation else default_convert
        self.collate_fn, self.persistent_workers = collate_fn, persistent_workers
        self.__initialized = True
        self._told_length = None
        self.check_worker_number_rationality()

    @staticmethod
    def _refuse_order(shuffle, sampler, batch_sampler):
        """Samples without numbers come in the order of their dataset."""
        given = (("shuffle", shuffle, shuffle not in (False, None)), ("sampler", sampler, sampler is not None))
        for name, value, is_given in (*given, ("batch_sampler", batch_sampler, batch_sampler is not None)):
            if is_given:
                raise ValueError(f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}")

    @property
    def multiprocessing_context(self):
        """How workers are started."""
        return self._context

    @multiprocessing_context.setter
    def multiprocessing_context(self, context):
        if context is not None:
            import multiprocessing

            if self.num_workers <= 0:
                raise ValueError(
                    "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got "
                    f"num_workers={self.num_workers}"
                )
            if isinstance(context, str):
                methods = multiprocessing.get_all_start_methods()
                if context not in methods:
                    raise ValueError(
                        f"multiprocessing_context option should specify a valid start method in {methods!r}, but got "
                        f"multiprocessing_context={context!r}"
                    )
                context = multiprocessing.get_context(context)
            if not isinstance(context, multiprocessing.context.BaseContext):
                raise TypeError(
                    "multiprocessing_context option should be a valid context object or a string specifying the start "
                    f"method, but got multiprocessing_context={context}"
                )
        self._context = context

    def __setattr__(self, name, value):
        if self.__initialized and name in _FIXED:
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    def _get_iterator(self):
        if self.num_workers == 0:
            return _SingleProcessDataLoaderIter(self)
        self.check_worker_number_rationality()
        return _MultiProcessingDataLoaderIter(self)

    def __iter__(self):
        if not (self.persistent_workers and self.num_workers > 0):
            return self._get_iterator()
        if self._iterator is None:
            self._iterator = self._get_iterator()
        else:
            self._iterator._reset(self)
        return self._iterator

    @property
    def _auto_collation(self):
        return self.batch_sampler is not None

    @property
    def _index_sampler(self):
        """What gives the numbers of one answer: lists of them where there are batches."""
        return self.batch_sampler if self._auto_collation else self.sampler

    def __len__(self):
        if self._dataset_kind == _DatasetKind.Map:
            return len(self._index_sampler)
        length = self._told_length = len(self.dataset)
        if self.batch_size is None:
            return length
        whole, rest = divmod(length, self.batch_size)
        return whole + (rest > 0 and not self.drop_last)

    def check_worker_number_rationality(self):
        """Warns of more workers than there are processors."""
        if not self.num_workers:
            return
        most = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        if self.num_workers > most:
            warnings.warn(
                f"This DataLoader will create {self.num_workers} worker processes in total. Our suggested max number of worker "
                f"in current system is {most}, which is smaller than what this DataLoader is going to create. Please be aware "
                "that excessive worker creation might get DataLoader running slow or even freeze, lower the worker number to "
                "avoid potential slowness/freeze if necessary.",
                stacklevel=3,
            )


class _BaseDataLoaderIter:
    """One way through a loader."""

    def __init__(self, loader):
        self._dataset, self._dataset_kind = loader.dataset, loader._dataset_kind
        self._auto_collation, self._drop_last = loader._auto_collation, loader.drop_last
        self._index_sampler, self._num_workers = loader._index_sampler, loader.num_workers
        self._timeout, self._collate_fn, self._persistent_workers = loader.timeout, loader.collate_fn, loader.persistent_workers
        if loader.pin_memory:
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be used.",
                stacklevel=4,
            )
        self._sampler_iter = iter(self._index_sampler)
        self._shared_seed = self._seed_chain(loader)
        self._base_seed = empty((), dtype=int64).random_(generator=loader.generator or default_generator).item()
        self._num_yielded, self._told_length = 0, loader._told_length

    def __iter__(self):
        return self

    def _seed_chain(self, loader):
        """What the steps of a chain draw from, in all workers alike; None for other datasets."""
        if not graph_settings.is_chain(self._dataset):
            return None
        seed = empty((), dtype=int64).random_(generator=loader.generator or default_generator).item()
        graph_settings.apply_random_seed(self._dataset, Generator().manual_seed(seed))
        return seed

    def _reset(self, loader):
        self._sampler_iter = iter(self._index_sampler)
        self._shared_seed = self._seed_chain(loader)
        self._num_yielded, self._told_length = 0, loader._told_length

    def _next_index(self):
        return next(self._sampler_iter)

    def __next__(self):
        data = self._next_data()
        self._num_yielded += 1
        told = self._told_length
        if self._dataset_kind == _DatasetKind.Iterable and told is not None and self._num_yielded > told:
            text = (
                f"Length of IterableDataset {self._dataset} was reported to be {told}(when accessing len(dataloader)), but "
                f"{self._num_yielded} samples have been fetched. "
            )
            if self._num_workers > 0:
                text += (
                    "For multiprocessing data-loading, this could be caused by not properly configuring the IterableDataset "
                    "replica at each worker. Please see "
                    "https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset for examples."
                )
            warnings.warn(text, stacklevel=2)
        return data

    def __len__(self):
        return len(self._index_sampler)


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """Batches are fetched where they are used."""

    def __init__(self, loader):
        super().__init__(loader)
        self._dataset_fetcher = _DatasetKind.create_fetcher(
            self._dataset_kind, self._dataset, self._auto_collation, self._collate_fn, self._drop_last
        )

    def _next_data(self):
        return self._dataset_fetcher.fetch(self._next_index())


@dataclass
class _Job:
    """What a worker has to know."""

    worker_id: int
    num_workers: int
    base_seed: int
    dataset: Dataset
    kind: int
    auto_collation: bool
    collate_fn: typing.Callable
    drop_last: bool
    init: typing.Callable

    @property
    def is_iterable(self):
        return self.kind == _DatasetKind.Iterable

    def fetcher(self):
        return _DatasetKind.create_fetcher(self.kind, self.dataset, self.auto_collation, self.collate_fn, self.drop_last)


class _Worker:
    """A worker process, as its loader sees it: a queue of tasks to it and one of answers from it."""

    # Those that run. A loader that is collected as a part of a cycle finds their queues whole only if they are not.
    running = set()

    def __init__(self, context, job):
        self.tasks, self.answers = context.Queue(), context.Queue()
        # Tasks that nobody will take do not keep the program from ending.
        self.tasks.cancel_join_thread()
        self.process = context.Process(target=_utils.worker.run, args=(job, self.tasks, self.answers), daemon=True)
        self.process.start()
        self.is_active = True
        self.running.add(self)

    def ask_to_stop(self):
        """Ends the process when it has done what it was given."""
        self.tasks.put(None)

    def stop(self):
        """Waits for the process, which was asked to end, and ends it otherwise if it does not."""
        self.running.discard(self)
        self.process.join(_utils.worker.MP_STATUS_CHECK_INTERVAL)
        if self.process.is_alive():
            self.process.terminate()
        self.tasks.close()
        self.answers.close()


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """Batches are fetched by workers, ahead of their use.

    Tasks are numbered and go to the workers in turn; answers are given in the order of the tasks, unless the loader was
    told that any order will do.
    """

    def __init__(self, loader):
        super().__init__(loader)
        import multiprocessing

        from ..._alias import teach_children

        teach_children()
        self._in_order, self._prefetch = loader.in_order, loader.prefetch_factor
        self._workers, self._owner, self._epoch = [], os.getpid(), 0
        context = loader.multiprocessing_context or multiprocessing
        for worker_id in range(self._num_workers):
            job = _Job(
                worker_id, self._num_workers, self._base_seed, self._dataset, self._dataset_kind, self._auto_collation,
                self._collate_fn, self._drop_last, loader.worker_init_fn,
            )
            self._workers.append(_Worker(context, job))
        # One number goes unused, as in the reference.
        self._shared_seed = self._seed_chain(loader)
        self._begin()

    def _begin(self):
        """Sends the first tasks."""
        self._numbers, self._turns = itertools.count(), itertools.cycle(self._workers)
        # The tasks that were sent and not yet given back, with their workers; the answers to some of them.
        self._pending, self._ready = deque(), {}
        for _ in range(self._prefetch * len(self._workers)):
            self._send()

    def _reset(self, loader):
        super()._reset(loader)
        self._epoch += 1
        resume = _utils.worker.Resume(self._epoch, self._shared_seed)
        for worker in self._workers:
            worker.is_active = True
            worker.tasks.put((None, resume))
        waiting = len(self._workers)
        while waiting:
            _, answer = self._receive()
            # What was sent before and nobody waits for any more is left out.
            waiting -= isinstance(answer, _utils.worker.Resume) and answer == resume
        self._begin()

    def _send(self):
        """Sends the next task to the worker whose turn it is."""
        try:
            index = self._next_index()
        except StopIteration:
            return
        worker = next((w for w in itertools.islice(self._turns, len(self._workers)) if w.is_active), None)
        if worker is not None:
            number = next(self._numbers)
            self._pending.append((number, worker))
            worker.tasks.put((number, index))

    def _receive(self):
        """The next answer of any worker."""
        import pickle
        from multiprocessing.connection import wait

        readers = {worker.answers._reader: worker for worker in self._workers}
        # Those that have come to their end may go.
        sentinels = {worker.process.sentinel: worker for worker in self._workers if worker.is_active}
        until = time.monotonic() + self._timeout if self._timeout > 0 else None
        while True:
            left = None if until is None else max(until - time.monotonic(), 0)
            found = wait([*readers, *sentinels], left)
            for reader in found:
                if reader in readers:
                    return pickle.loads(readers[reader].answers.get())
            if not found:
                raise RuntimeError(f"DataLoader timed out after {self._timeout} seconds")
            gone = ", ".join(str(sentinels[sentinel].process.pid) for sentinel in found)
            self._shutdown_workers()
            raise RuntimeError(f"DataLoader worker (pid(s) {gone}) exited unexpectedly")

    def _is_over(self, number, worker):
        """Whether no answer to a task will come."""
        return not worker.is_active and number not in self._ready

    def _next_ready(self):
        """The number of the task whose answer is to be given now, if it is there."""
        while self._pending and self._is_over(*self._pending[0]):
            self._pending.popleft()
        tasks = itertools.islice(self._pending, 1) if self._in_order else self._pending
        return next((number for number, _ in tasks if number in self._ready), None)

    def _next_data(self):
        while True:
            number = self._next_ready()
            if number is not None:
                break
            if not self._pending:
                if not self._persistent_workers:
                    self._shutdown_workers()
                raise StopIteration
            answered, answer = self._receive()
            if isinstance(answer, _utils.worker.Ended):
                self._workers[answer.worker_id].is_active = False
                if not self._persistent_workers:
                    self._workers[answer.worker_id].tasks.put(None)
                self._send()
            else:
                self._ready[answered] = answer
        self._pending = deque(task for task in self._pending if task[0] != number)
        data = self._ready.pop(number)
        self._send()
        if isinstance(data, _utils.worker.ExceptionWrapper):
            data.reraise()
        return data

    def _shutdown_workers(self):
        # A worker that was forked has a copy of this object and must not end its siblings.
        if os.getpid() != self._owner:
            return
        workers, self._workers = self._workers, []
        self._pending, self._ready = deque(), {}
        for worker in workers:
            worker.ask_to_stop()
        for worker in workers:
            worker.stop()

    def __del__(self):
        if getattr(self, "_workers", None):
            self._shutdown_workers()

"""What a process does that fetches batches for a loader."""

import os
import queue
import random
import sys
import traceback
from dataclasses import dataclass

from .... import Generator, manual_seed, set_num_threads
from .. import graph_settings

# How many seconds pass before a worker looks whether its loader is still there.
MP_STATUS_CHECK_INTERVAL = 5.0

_worker_info = None


@dataclass(frozen=True)
class WorkerInfo:
    """What a worker is told of itself."""

    id: int
    num_workers: int
    seed: int
    dataset: object
    rng: object = None
    worker_method: str = "multiprocessing"


def get_worker_info():
    """What this worker is told of itself; None in the process of the loader."""
    return _worker_info


@dataclass(frozen=True)
class Resume:
    """Tells a worker to begin anew, and its loader that it has."""

    epoch: int
    # What the steps of a chain of data draw from.
    shared_seed: int = None


@dataclass(frozen=True)
class Ended:
    """The dataset of a worker has come to its end."""

    worker_id: int


@dataclass(frozen=True)
class _IterableDatasetStopIteration:
    """What other loaders send for the end of a dataset."""

    worker_id: int


@dataclass(frozen=True)
class _ResumeIteration:
    """What other loaders send for a new beginning."""

    seed: int = None


class ManagerWatchdog:
    """Whether the process that has started this one is still there."""

    def __init__(self):
        self.manager_pid = os.getppid()
        self.manager_dead = False

    def is_alive(self):
        """Asks; once it is gone, it stays so."""
        self.manager_dead = self.manager_dead or os.getppid() != self.manager_pid
        return not self.manager_dead


class ExceptionWrapper:
    """An exception that a worker caught, as it travels to the loader."""

    def __init__(self, where):
        self.exc_type, error, trace = sys.exc_info()
        self.where = where
        self.exc_msg = "".join(traceback.format_exception(self.exc_type, error, trace))

    def reraise(self):
        """Raises an exception of the same type, with the worker's traceback in its message."""
        message = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if self.exc_type is KeyError:
            # Otherwise the message would be shown as the key, in one line.
            message = _KeyErrorMessage(message)
        elif getattr(self.exc_type, "message", None):
            raise self.exc_type(message=message)
        try:
            exception = self.exc_type(message)
        except Exception:
            raise RuntimeError(message) from None
        raise exception


class _KeyErrorMessage(str):
    def __repr__(self):
        return str(self)


def _generate_state(base_seed, worker_id):
    """Numbers for the seed of NumPy, different from those of the other generators."""
    import numpy

    return numpy.random.SeedSequence([worker_id, base_seed & 0xFFFFFFFF, base_seed >> 32, 0]).generate_state(4).tolist()


def _seed_all(base_seed, worker_id):
    seed = base_seed + worker_id
    random.seed(seed)
    manual_seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(_generate_state(base_seed, worker_id))
    return seed


def run(job, tasks, answers):
    """Answers the tasks of a loader, numbered lists of sample numbers, until there is a None among them."""
    from multiprocessing.reduction import ForkingPickler

    global _worker_info
    set_num_threads(1)
    where = f"in DataLoader worker process {job.worker_id}"
    parent = os.getppid()
    fetcher, failure, ended = None, None, False
    try:
        seed = _seed_all(job.base_seed, job.worker_id)
        _worker_info = WorkerInfo(job.worker_id, job.num_workers, seed, job.dataset)
        if graph_settings.is_chain(job.dataset):
            graph_settings.apply_sharding(job.dataset, job.num_workers, job.worker_id)
        if job.init is not None:
            job.init(job.worker_id)
        fetcher = job.fetcher()
    except Exception:
        failure = ExceptionWrapper(where)
    while True:
        try:
            task = tasks.get(timeout=MP_STATUS_CHECK_INTERVAL)
        except queue.Empty:
            if os.getppid() != parent:
                break
            continue
        if task is None:
            break
        number, what = task
        if isinstance(what, Resume):
            ended = False
            if failure is None:
                try:
                    if what.shared_seed is not None:
                        graph_settings.apply_random_seed(job.dataset, Generator().manual_seed(what.shared_seed))
                    fetcher = job.fetcher()
                except Exception:
                    failure = ExceptionWrapper(where)
            answer = what
        elif failure is not None:
            # It is told once: the loader gives up, or goes on and finds the worker at its end.
            answer, failure, ended = failure, None, True
        elif ended:
            answer = Ended(job.worker_id)
        else:
            try:
                answer = fetcher.fetch(what)
            except Exception as error:
                if isinstance(error, StopIteration) and job.is_iterable:
                    answer, ended = Ended(job.worker_id), True
                else:
                    answer = ExceptionWrapper(where)
        try:
            # What cannot travel is an error of this task, and not of the thread that sends it.
            data = bytes(ForkingPickler.dumps((number, answer)))
        except Exception:
            data = bytes(ForkingPickler.dumps((number, ExceptionWrapper(where))))
        del answer
        answers.put(data)
    answers.cancel_join_thread()
    answers.close()

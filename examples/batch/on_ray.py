"""Partitions on Ray: an actor for each worker keeps the model, and partitions go to whichever is free."""

import pathlib

import ray
from ray.util import ActorPool

from digits import predict


@ray.remote(num_cpus=1)
class Worker:
    """A process with the model in it."""

    def __init__(self, model):
        self.model = model

    def predict(self, frame):
        """The answers for one frame."""
        return predict(frame, self.model)


def run(frames, model, workers):
    """The answers for all frames, in their order."""
    own = not ray.is_initialized()
    if own:
        # Ray's processes, on other machines too, get this folder, where they find `digits`.
        here = {"working_dir": str(pathlib.Path(__file__).resolve().parent)}
        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, runtime_env=here)
    try:
        shared = ray.put(model)
        pool = ActorPool([Worker.remote(shared) for _ in range(workers)])
        return list(pool.map(lambda worker, frame: worker.predict.remote(frame), frames))
    finally:
        if own:
            ray.shutdown()

"""``torch.utils.data.graph_settings``: what is said to all steps of a chain of data at once."""

import sys
import warnings

from ... import empty, int64

__all__ = ["apply_random_seed", "apply_sharding", "apply_shuffle_settings"]


def is_chain(dataset, name="IterDataPipe"):
    """Whether a dataset is a chain; where the module of chains was never loaded there are none."""
    module = sys.modules.get(__package__ + ".datapipes.datapipe")
    return module is not None and isinstance(dataset, getattr(module, name))


def _steps(datapipe):
    """The steps of a chain, the last first, each once."""
    found, waiting = {}, [datapipe]
    while waiting:
        value = waiting.pop(0)
        if isinstance(value, (list, tuple)):
            waiting.extend(value)
        elif isinstance(value, dict):
            waiting.extend(value.values())
        elif id(value) not in found and (is_chain(value) or is_chain(value, "MapDataPipe")):
            found[id(value)] = value
            waiting.extend(vars(value).values())
    return list(found.values())


def _own_method(step, name):
    """A method of a step's class: names of other steps are no methods here."""
    return getattr(type(step), name, None) is not None


def apply_shuffle_settings(datapipe, shuffle=None):
    """Has the shuffling steps of a chain shuffle or not; without such a step one is added at the end."""
    if shuffle is None:
        return datapipe
    shuffling = [step for step in _steps(datapipe) if _own_method(step, "set_shuffle") and _own_method(step, "set_seed")]
    if shuffle and not shuffling:
        warnings.warn(
            "`shuffle=True` was set, but the datapipe does not contain a `Shuffler`. Adding one at the end. "
            "Be aware that the default buffer size might not be sufficient for your task.",
            stacklevel=3,
        )
        datapipe = datapipe.shuffle()
        shuffling = [datapipe]
    for step in shuffling:
        step.set_shuffle(shuffle)
    return datapipe


def apply_random_seed(datapipe, rng):
    """Gives every step that draws a seed of its own."""
    for step in _steps(datapipe):
        if _own_method(step, "set_seed"):
            step.set_seed(int(empty((), dtype=int64).random_(generator=rng).item()))
    return datapipe


def apply_sharding(datapipe, num_of_instances, instance_id, sharding_group=None):
    """Says to the steps that share the work how many do, and which of them this is."""
    for step in _steps(datapipe):
        if _own_method(step, "apply_sharding"):
            step.apply_sharding(num_of_instances, instance_id)
    return datapipe

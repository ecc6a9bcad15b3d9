"""The bases of chains of data, and the steps that are their methods."""

import functools
import warnings

from ...._once import outside
from ..dataset import Dataset, IterableDataset
from ._reading import one_at_a_time


class _Steps:
    """A chain whose methods are steps that are registered by name."""

    functions = {}

    def __getattr__(self, name):
        step = type(self).functions.get(name) if not name.startswith("__") else None
        if step is None:
            # The quote is not closed in the reference's message.
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}")
        return functools.partial(step, self)

    @classmethod
    def register_function(cls, function_name, function):
        """Makes a function of a chain a method of all."""
        cls.functions[function_name] = function

    @classmethod
    def register_datapipe_as_function(cls, function_name, cls_to_register):
        """Makes a step a method of all chains."""
        if function_name in cls.functions:
            raise Exception(f"Unable to add DataPipe function name {function_name} as it is already taken")  # noqa: TRY002
        cls.functions[function_name] = cls_to_register


class IterDataPipe(_Steps, IterableDataset):
    """Samples one after another, from a chain of steps: ``pipe.map(f).filter(g).batch(8)``."""

    functions = {}
    # Steps that see to it themselves that one iterator reads at a time.
    _sees_to_readers = False

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        own = cls.__dict__.get("__iter__")
        if own is not None and not cls._sees_to_readers:
            cls.__iter__ = one_at_a_time(own)

    @one_at_a_time
    def __iter__(self):
        return self

    def reset(self):
        """Is called when a new iterator begins."""

    def __getstate__(self):
        """What copies and pickles get: no reading has begun there."""
        return {name: value for name, value in vars(self).items() if name != "_reading"}

    def __repr__(self):
        return type(self).__qualname__


class MapDataPipe(_Steps, Dataset):
    """Samples by key, from a chain of steps."""

    functions = {}

    def __repr__(self):
        return type(self).__qualname__


class functional_datapipe:
    """Makes a class of steps a method of chains, by name."""

    def __init__(self, name, enable_df_api_tracing=False):
        self.name = name

    def __call__(self, cls):
        base = next((kind for kind in (IterDataPipe, MapDataPipe) if isinstance(cls, type) and issubclass(cls, kind)), None)
        if base is None:
            raise TypeError("`functional_datapipe` can only decorate IterDataPipe or MapDataPipe")
        base.register_datapipe_as_function(self.name, cls)
        return cls


def warn_of_local(function):
    """Warns of functions that pickles do not find by name, so that no other process can have them."""
    if callable(function) and ("<locals>" in getattr(function, "__qualname__", "") or getattr(function, "__name__", "") == "<lambda>"):
        warnings.warn(
            "Local function is not supported by pickle, please use regular python function or functools.partial instead.",
            UserWarning,
            stacklevel=outside(),
        )


def name_classes(namespace, kinds, suffix):
    """Gives the library's classes the names that the reference's have."""
    for kind in kinds:
        kind.__name__ = kind.__qualname__ = kind.__name__ + suffix
        namespace[kind.__name__] = kind

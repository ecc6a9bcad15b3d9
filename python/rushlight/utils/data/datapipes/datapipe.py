"""The bases of chains of data, and the steps that are their methods."""

import functools

from ..dataset import Dataset, IterableDataset


class _Steps:
    """A chain whose methods are steps that are registered by name."""

    functions = {}

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)

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

    def reset(self):
        """Begins anew."""

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


def name_classes(namespace, kinds, suffix):
    """Gives the library's classes the names that the reference's have."""
    for kind in kinds:
        kind.__name__ = kind.__qualname__ = kind.__name__ + suffix
        namespace[kind.__name__] = kind

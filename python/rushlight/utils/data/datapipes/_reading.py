"""How chains are read: by one iterator at a time, and with a word about the step where an error came from."""

import functools
import inspect
import types


def described(pipe):
    """A step with the arguments that it keeps: ``MapperIterDataPipe(datapipe=..., fn=f)``."""
    kept = {name: getattr(pipe, name) for name in inspect.signature(type(pipe).__init__).parameters if name in vars(pipe)}
    shown = {name: kept[name].__name__ if isinstance(kept[name], types.FunctionType) else repr(kept[name]) for name in sorted(kept)}
    return f"{type(pipe).__qualname__}({', '.join(f'{name}={text}' for name, text in shown.items())})"


def _begin(pipe):
    """A new reading: iterators of earlier ones are invalid."""
    reading = pipe.__dict__.get("_reading", 0) + 1
    pipe.__dict__["_reading"] = reading
    pipe.reset()
    return reading


def _check(pipe, reading):
    if pipe.__dict__["_reading"] != reading:
        raise RuntimeError(
            "This iterator has been invalidated because another iterator has been created from the same IterDataPipe: "
            f"{described(pipe)}\nThis may be caused by multiple references to the same IterDataPipe. We recommend using `.fork()` if "
            "that is necessary.\nFor feedback regarding this single iterator per IterDataPipe constraint, feel free to comment on this "
            "issue: https://github.com/pytorch/data/issues/45."
        )


def _tell(error, pipe):
    """Says in an error which step it came from, where none has said so."""
    text = error.args[0] if error.args and isinstance(error.args[0], str) else ""
    if "thrown by __iter__ of" not in text and "single iterator per IterDataPipe constraint" not in text:
        error.args = (f"{text}\nThis exception is thrown by __iter__ of {described(pipe)}", *error.args[1:])


def _by_generator(function):
    @functools.wraps(function)
    def __iter__(self):
        reading = _begin(self)
        samples = function(self)
        try:
            for data in samples:
                yield data
                _check(self, reading)
        except Exception as error:
            _tell(error, self)
            raise

    return __iter__


class IteratorDecorator:
    """The iterator of a chain whose ``__iter__`` is not a generator."""

    def __init__(self, iterator, pipe, reading):
        self.iterator, self.source_dp, self._reading = iterator, pipe, reading

    def __iter__(self):
        return self

    def __next__(self):
        _check(self.source_dp, self._reading)
        return next(self.iterator)

    def __getattr__(self, name):
        return getattr(self.iterator, name)


def _by_iterator(function):
    @functools.wraps(function)
    def __iter__(self):
        iterator = function(self)
        return iterator if isinstance(iterator, IteratorDecorator) else IteratorDecorator(iterator, self, _begin(self))

    return __iter__


def one_at_a_time(function):
    """An ``__iter__`` whose iterators end where a new one begins."""
    return _by_generator(function) if inspect.isgeneratorfunction(function) else _by_iterator(function)

"""What callers are told of exceptions that functions have raised where they ran.

A value that stays where it was made is replaced by what went wrong, and raises it, as what it was, where it is asked
for. A call whose result is waited for raises the errors of Python's arguments as what they were, all others as
``RuntimeError``; the text tells the class in both.
"""

import pickle
import traceback

from ..._rushlight import register
from ._workers import get_worker_info

# The classes that a call raises as themselves.
_KEPT = (TypeError, ValueError)


def _text(error):
    trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    return f"On {get_worker_info()}:\n{error!r}\n{trace}"


def _again(kind, text):
    """An exception of a class with the text of the first."""
    try:
        return kind(text)
    except Exception as error:  # noqa: BLE001  a class with arguments of its own
        return RuntimeError(f"Failed to create original exception type. Error msg was {error} Original exception on remote side was {text}")


def _known_elsewhere(kind):
    """The class, where others can load it by its name."""
    try:
        pickle.dumps(kind)
    except Exception:  # noqa: BLE001  whatever a metaclass raises
        return RuntimeError
    return kind


class OfAnOperator(RuntimeError):
    """What an operator of ``torch`` has raised: told as it is, without where."""


class Raised:
    """An exception in place of a result: its class and its text."""

    def __init__(self, error):
        self._plain = isinstance(error, OfAnOperator)
        self._kind, self._text = (RuntimeError, str(error)) if self._plain else (_known_elsewhere(type(error)), _text(error))

    def error(self):
        """The exception as what it was."""
        return _again(self._kind, self._text)

    def of_a_call(self):
        """The exception as a call raises it."""
        error = self.error()
        if self._plain:
            return error
        kind = next((kind for kind in _KEPT if isinstance(error, kind)), RuntimeError)
        return kind(f"{type(error).__name__}: {error}")


def opened(result):
    """A result; raises what is in its place."""
    if isinstance(result, Raised):
        raise result.error()
    return result


def _told(error):
    """The text of an exception, for callers that wait for a future."""
    if isinstance(error, OfAnOperator):
        return str(error)
    told = _again(type(error), _text(error))
    return f"{type(told).__name__}: {told}"


register("remote_error", _told)

"""``torch._logging``: the loggers of the library, and what they say."""

import functools
import logging

from ._settings import DEFAULT_LOGGING, getArtifactLogger, set_logs  # noqa: F401

__all__ = ["DEFAULT_LOGGING", "LazyString", "getArtifactLogger", "set_logs", "warning_once"]


@functools.lru_cache(None)
def warning_once(logger_obj, *args, **kwargs):
    """Logs a warning unless the same one was logged before."""
    logger_obj.warning(*args, **kwargs)


class LazyString:
    """A text that a function makes when it is needed."""

    def __init__(self, func, *args, **kwargs):
        self.func, self.args, self.kwargs = func, args, kwargs

    def __str__(self):
        return self.func(*self.args, **self.kwargs)


class hide_warnings:
    """While it is entered, warnings that a filter knows are not shown."""

    def __init__(self, filter_fn=lambda message, category, filename, lineno, file=None, line=None: True):
        self._hides = filter_fn

    def __enter__(self):
        import warnings

        self._before = shown = warnings.showwarning

        def show(message, category, filename, lineno, file=None, line=None):
            if not self._hides(message, category, filename, lineno, file, line):
                shown(message, category, filename, lineno, file, line)

        warnings.showwarning = show

    def __exit__(self, kind, value, trace):
        import warnings

        warnings.showwarning = self._before


def trace_structured(name, metadata_fn=dict, *, payload_fn=lambda: None, **options):
    """Writes an entry of the log of a compiler: there is none."""


def dtrace_structured(name, metadata_fn=dict, *, payload_fn=lambda: None, **options):
    """Writes an entry of the log of a compiler: there is none."""


def get_structured_logging_overhead():
    """The time that such logs took: None, for there are none."""
    return None


logging.getLogger("torch").addHandler(logging.NullHandler())

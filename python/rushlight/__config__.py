"""How this was built, as programs print it."""

from .version import __version__


def show():
    """A text for people."""
    return f"PyTorch built with:\n  - Rushlight {__version__}, without PyTorch\n"


def parallel_info():
    """A text for people."""
    from . import get_num_threads

    return f"ATen/Parallel:\n\tat::get_num_threads() : {get_num_threads()}\n"

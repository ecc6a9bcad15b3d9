"""``torch.compiler``: questions about a compiler that is never at work here, and marks for it that change nothing."""

from ._library import publish


def is_compiling() -> bool:
    """Whether the program is being compiled: never."""
    return False


def is_dynamo_compiling() -> bool:
    """Whether the program is being compiled: never."""
    return False


def is_exporting() -> bool:
    """Whether the program is being exported: never."""
    return False


def disable(fn=None, recursive=True, *, reason=None):
    """Marks a function that is not to be compiled; alone or with arguments."""
    return fn if fn is not None else lambda fn: fn


def allow_in_graph(fn):
    """Marks a function that is taken into compiled programs as it is."""
    return fn


def assume_constant_result(fn):
    """Marks a function that always gives the same."""
    return fn


def reset() -> None:
    """Nothing: nothing was compiled."""


def list_backends(exclude_tags=("debug", "experimental")):
    """The names of compilers: none is here."""
    return []


class set_stance:
    """What is compiled from here on, within a block or within a function: nothing is, whatever the stance."""

    def __init__(self, stance="default", *, skip_guard_eval_unsafe=False, force_backend=None):
        if force_backend is not None and stance != "default":
            raise RuntimeError("non-default stance cannot have force_backend set")

    def __enter__(self):
        return None

    def __exit__(self, exc_type, exc_value, traceback):
        return None

    def __call__(self, fn):
        return fn


def cudagraph_mark_step_begin():
    """Nothing: nothing is recorded on a device."""


publish(globals())

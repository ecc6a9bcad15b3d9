"""Choices of a compiler that is never at work here: what programs ask about it is answered, what they set is checked."""

import threading

from ._library import publish


class _State(threading.local):
    # How many recordings for backends of ``torch.compile`` run.
    recording = 0


def list_backends(exclude_tags=("debug", "experimental")):
    """The names of backends of ``torch.compile``."""
    from ._dynamo._backends import list_backends as listed

    return listed(exclude_tags)


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


publish(globals(), "torch.compiler")

"""``torch.utils._mode_utils``: tensors have no dispatch of their own here, so that there is none to leave out."""

import contextlib


@contextlib.contextmanager
def no_dispatch():
    """Runs what is inside as ever."""
    yield


def all_same_mode(modes):
    """Whether all are one and the same."""
    return all(mode == modes[0] for mode in modes)

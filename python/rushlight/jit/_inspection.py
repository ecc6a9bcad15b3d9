"""What looks into scripts and modules, for programs and tests that want to see more than results."""

import contextlib

from .. import _rushlight


@contextlib.contextmanager
def _hide_source_ranges():
    """Within, graphs print without where their nodes come from."""
    before = _rushlight.hide_source_ranges(True)
    try:
        yield
    finally:
        _rushlight.hide_source_ranges(before)


def _unique_state_dict(module, keep_vars=False):
    """The state of a module, tensors that stand under several names only under the first."""
    found, seen = {}, set()
    for name, tensor in module.state_dict(keep_vars=True).items():
        if id(tensor) not in seen:
            seen.add(id(tensor))
            found[name] = tensor if keep_vars else tensor.detach()
    return found

"""``torch.distributed.rpc.functions``."""

import functools

from ...futures import _Plain as _Future


def async_execution(fn):
    """Marks a function whose result, a future, is waited for where it is called."""

    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        result = fn(*args, **kwargs)
        return result.wait() if isinstance(result, _Future) else result

    return wrapper

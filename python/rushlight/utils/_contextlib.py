"""``torch.utils._contextlib``: contexts that are decorators too."""

import functools


class _DecoratorContextManager:
    """A context that also decorates functions: each call runs within a new one."""

    def __call__(self, orig_func):
        @functools.wraps(orig_func)
        def within(*args, **kwargs):
            with self.clone():
                return orig_func(*args, **kwargs)

        return within

    def __enter__(self):
        raise NotImplementedError

    def __exit__(self, exc_type, exc_value, traceback):
        raise NotImplementedError

    def clone(self):
        """Another one of the same kind."""
        return type(self)()


class _NoParamDecoratorContextManager(_DecoratorContextManager):
    """One without arguments: its class itself decorates."""

    def __new__(cls, orig_func=None):
        made = super().__new__(cls)
        return made if orig_func is None else made(orig_func)

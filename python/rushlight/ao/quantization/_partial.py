"""Classes with some of their arguments set: what configurations hold."""

import functools

from ..._library import publish


class _PartialWrapper:
    """Makes instances with the arguments that were set; some of them are asked for at each call.

    Attributes:
        p: the class with its arguments, a ``functools.partial``.
        callable_args: functions without arguments, by the name of the argument that each gives.
    """

    # Scripts have no use for it: attributes that hold one are left out.
    _no_script_class = True

    def __init__(self, p):
        self.p = p
        self.callable_args = {}

    def __call__(self, *args, **keywords):
        for name, ask in self.callable_args.items():
            if name not in keywords:
                keywords[name] = ask()
        return self.p(*args, **keywords)

    def __repr__(self):
        return repr(self.p) + repr(self.callable_args)

    def with_args(self, **kwargs):
        """The same with more arguments set."""
        return _with_args(self, **kwargs)

    def with_callable_args(self, **kwargs):
        """The same with more arguments that functions give."""
        return _with_callable_args(self, **kwargs)


def _with_args(cls_or_self, **kwargs):
    """A constructor of this class with arguments set, as ``MinMaxObserver.with_args(dtype=torch.qint8)``."""
    made = _PartialWrapper(functools.partial(cls_or_self, **kwargs))
    return made


def _with_callable_args(cls_or_self, **kwargs):
    """A constructor of this class with arguments that functions give at each call."""
    made = _PartialWrapper(functools.partial(cls_or_self))
    made.callable_args = {**made.callable_args, **kwargs}
    return made


publish(globals(), "torch.ao.quantization.observer")

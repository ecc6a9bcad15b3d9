"""What the functions say that are no Python functions in the reference, but are here, where a call has too few arguments or too many."""

import functools


def parsed(function):
    """The function, whose refusals of calls count arguments as those of operators do."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except TypeError:
            text = _complaint(function, args, kwargs)
            if text is None:
                raise
            raise TypeError(text) from None

    return call


def _complaint(function, args, kwargs):
    """What is wrong with the arguments of a call; None when nothing is."""
    name, code = function.__name__, function.__code__
    own = code.co_varnames[: code.co_argcount]
    required = own[: len(own) - len(function.__defaults__ or ())]
    if len(args) > len(own):
        return f"{name}() takes {_counted(len(required), len(own))} but {len(args)} {_were(len(args), required == own)} given"
    absent = [i for i, one in enumerate(required) if i >= len(args) and one not in kwargs]
    if absent:
        names = [f'"{one}"' for one in required[absent[0] :]]
        return f"{name}() missing {len(names)} required positional argument{'s' if len(names) == 1 else ''}: {', '.join(names)}"
    known = (*own, *code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount])
    unknown = next((key for key in kwargs if key not in known), None)
    return None if unknown is None else f"{name}() got an unexpected keyword argument '{unknown}'"


def _counted(least, most):
    if least == most:
        return f"{most} positional argument{'' if most == 1 else 's'}"
    return f"from {least} to {most} positional arguments"


def _were(count, is_exact):
    return "was" if count == 1 and is_exact else "were"

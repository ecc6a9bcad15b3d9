"""Numbers that stand for unknown ones in graphs of the reference's compiler: there are none here, all are plain."""


__all__ = ["SymInt", "SymFloat", "SymBool", "sym_int", "sym_float", "sym_not", "sym_max", "sym_min", "sym_sum", "sym_ite"]


class _Symbol:
    def __init__(self, node):
        raise NotImplementedError(f"torch.{type(self).__name__}: all numbers are known here")


class SymInt(_Symbol):
    """An unknown int. Nothing makes one here: programs ask whether a number is one."""


class SymFloat(_Symbol):
    """An unknown float. Nothing makes one here."""


class SymBool(_Symbol):
    """An unknown bool. Nothing makes one here."""


def sym_int(a):
    """The number without what follows its point."""
    return int(a)


def sym_float(a):
    """The number as a float."""
    return float(a)


def sym_not(a):
    """Whether it does not hold."""
    return not a


def sym_max(a, b):
    """The larger number, a float if one is."""
    larger = max(a, b)
    return float(larger) if isinstance(a, float) or isinstance(b, float) else larger


def sym_min(a, b):
    """The smaller number, a float if one is."""
    smaller = min(a, b)
    return float(smaller) if isinstance(a, float) or isinstance(b, float) else smaller


def sym_sum(*args):
    """The sum of numbers, or of a list of them."""
    return sum(args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args)


def sym_ite(b, t, f):
    """The first if it holds, else the second."""
    return t if b else f

"""Sizes that are not known but told apart: what operators make of them is found by trying them with several numbers in their place."""

import itertools

# Numbers that stand for unknown sizes: large enough for kernels of convolutions, without common factors.
_TRIED = (13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59)
# Operators whose results have other dimensions where a size happens to be one.
_FOR_ONES = ("aten::squeeze", "aten::squeeze_")
_MOST = 256


class Symbol:
    """An unknown size; ``number`` is below zero and tells it from others."""

    def __init__(self, number):
        self.number = number

    def __eq__(self, other):
        return isinstance(other, Symbol) and other.number == self.number

    def __hash__(self):
        return hash(self.number)


def of_type(ty):
    """The sizes that a type says, with symbols for those that are not known; None where it does not say how many."""
    sizes = ty.symbolic_sizes()
    return None if sizes is None else [Symbol(size) if size < 0 else size for size in sizes]


def numbers(sizes):
    """Sizes as types take them."""
    return [size.number if isinstance(size, Symbol) else size for size in sizes]


def inside(value):
    """The symbols in a value, which may be a list or tuple."""
    if isinstance(value, Symbol):
        return {value}
    if isinstance(value, (list, tuple)):
        return set().union(*map(inside, value))
    return set()


def put(value, chosen):
    """A value with numbers for its symbols."""
    if isinstance(value, Symbol):
        return chosen[value]
    if isinstance(value, (list, tuple)):
        return type(value)(put(item, chosen) for item in value)
    return value


def choices(kind, symbols, constants):
    """Numbers to try for symbols: first each its own, which says most, then, where that does not go, some of them equal or known."""
    symbols = sorted(symbols, key=lambda symbol: -symbol.number)
    own = [_TRIED[i % len(_TRIED)] + 60 * (i // len(_TRIED)) for i in range(2 * len(symbols))]
    apart = [dict(zip(symbols, own)), dict(zip(symbols, reversed(own)))]
    if kind in _FOR_ONES:
        apart += [{**apart[0], symbol: 1} for symbol in symbols]
    yield apart
    known = sorted({1, *constants})
    values = [(7, *known, number) for number in own[: len(symbols)]]
    yield [dict(zip(symbols, each)) for each in itertools.islice(itertools.product(*values), _MOST)]


def joined(results, tried):
    """What results that some choices of numbers gave have in common: a number, a symbol, or a new symbol by ``None``."""
    first = results[0]
    if isinstance(first, (list, tuple)):
        if any(not isinstance(result, (list, tuple)) or len(result) != len(first) for result in results):
            raise ValueError("results of several forms")
        return type(first)(joined(parts, tried) for parts in zip(*results))
    if all(result == first and type(result) is type(first) for result in results):
        return first
    if type(first) is not int:
        raise ValueError("no size")
    for symbol in tried[0]:
        if all(chosen[symbol] == result for chosen, result in zip(tried, results)):
            return symbol
    return None

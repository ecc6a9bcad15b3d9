"""Several chains from one, groups of samples, orders by chance of keys, and what filters must say."""
import warnings

import torch
from torch.utils.data.datapipes.iter import Grouper, IterableWrapper
from torch.utils.data.datapipes.map import SequenceWrapper


def shown(label, make):
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        try:
            print(label, make())
        except Exception as error:
            print(label, type(error).__name__, str(error).split("\n")[0])
    for warning in given:
        print("   ", warning.category.__name__, warning.message)


def odd(x):
    return x % 2


def numbers(count=5):
    return IterableWrapper(range(count))


shown("fork", lambda: [list(part) for part in numbers().fork(2)])
shown("copies", lambda: [list(part) for part in IterableWrapper([[1], [2]]).fork(2, copy="deep")])
first, second = numbers(4).fork(2)
one = iter(first)
print(next(one), next(one), list(second), list(one), list(first), len(first), type(first).__name__)
first, second = numbers(4).fork(2)
one = iter(first)
print(next(one))
shown("begun anew", lambda: list(first))
shown("of before", lambda: next(one))
shown("and the other", lambda: list(second))
first, second = numbers().fork(2, buffer_size=1)
one = iter(first)
print(next(one))
shown("too far apart", lambda: next(one))
shown("no limit", lambda: len(numbers().fork(2, buffer_size=-1)))
shown("none", lambda: numbers().fork(0))
shown("one", lambda: list(numbers().fork(1)))
shown("another copy", lambda: numbers().fork(2, copy="each"))

shown("demux", lambda: [list(part) for part in numbers().demux(2, odd)])
evens, odds = numbers().demux(2, odd)
one = iter(evens)
print(next(one), next(one), list(odds), list(one))
shown("length", lambda: len(evens))
shown("another part", lambda: [list(part) for part in numbers().demux(2, int)])
shown("dropped", lambda: [list(part) for part in IterableWrapper([0, None, 1]).demux(2, lambda x: x, drop_none=True)])
shown("full", lambda: [list(part) for part in IterableWrapper([1, 1, 1, 0]).demux(2, odd, buffer_size=2)])

shown("groups", lambda: list(numbers(7).groupby(odd)))
shown("of two", lambda: list(numbers(7).groupby(odd, group_size=2)))
shown("with keys", lambda: list(Grouper(numbers(), odd, keep_key=True)))
shown("in little room", lambda: list(IterableWrapper([0, 1, 1, 0, 1]).groupby(odd, buffer_size=2)))
shown("too small", lambda: list(numbers(7).groupby(odd, buffer_size=3, group_size=3)))
shown("small ones too", lambda: list(numbers(7).groupby(odd, buffer_size=3, group_size=3, guaranteed_group_size=2)))
shown("sizes", lambda: numbers().groupby(odd, group_size=0))
shown("sizes", lambda: numbers().groupby(odd, group_size=2, guaranteed_group_size=3))
shown("length", lambda: len(numbers().groupby(odd)))

shown("a number", lambda: list(numbers().filter(odd)))
shown("of a column", lambda: list(IterableWrapper([(1, 2), (2, 1)]).filter(lambda a, b: a < b, input_col=[0, 1])))

letters = SequenceWrapper({"a": 1, "b": 2, "c": 3, "d": 4})
shown("keys", lambda: list(letters.shuffle(indices=["a", "b", "c", "d"]).set_seed(3)))
shown("in order", lambda: list(letters.shuffle(indices=["d", "a"]).set_shuffle(False)))
torch.manual_seed(0)
shown("by chance", lambda: list(SequenceWrapper([1, 2, 3, 4]).shuffle()))
shown("kind", lambda: (type(SequenceWrapper([1]).shuffle()).__name__, len(SequenceWrapper([1]).shuffle())))
shown("local", lambda: list(SequenceWrapper([1]).map(lambda x: x + 1)))

"""Chains are read by one iterator at a time, and errors say which step they came from."""
from torch.utils.data import IterDataPipe
from torch.utils.data.datapipes.iter import IterableWrapper


def shown(label, make):
    try:
        print(label, make())
    except Exception as error:
        print(label, type(error).__name__, error.args)


def inverse(x):
    return 6 // x


def fails(x):
    raise KeyError(x)


source = IterableWrapper(range(4))
shown("inverse", lambda: list(source.map(inverse)))
shown("deeper", lambda: list(source.map(inverse).batch(2)))
shown("fails", lambda: list(source.map(fails)))
first = iter(source)
second = iter(source)
print(next(first), next(second))
shown("first", lambda: next(first))
shown("second", lambda: list(second))
shown("together", lambda: list(zip(source, source)))
step = iter(source.map(abs))
print(next(step), list(source))
shown("step", lambda: next(step))


class Counts(IterDataPipe):
    def __init__(self, count, hidden=1):
        self.count, self.kept = count, hidden

    def __iter__(self):
        for i in range(self.count):
            if i == 2:
                raise ValueError("two")
            yield i

    def reset(self):
        print("reset")


shown("counts", lambda: list(Counts(2)))
shown("fails", lambda: list(Counts(5)))


class Items(IterDataPipe):
    def __init__(self, items):
        self.items = items

    def __iter__(self):
        return iter(self.items)


items = Items([1, 2])
first, second = iter(items), iter(items)
shown("first", lambda: next(first))
print(list(second), list(items), type(second).__name__)


class Itself(IterDataPipe):
    def __iter__(self):
        self.count = 0
        return self

    def __next__(self):
        self.count += 1
        if self.count > 2:
            raise StopIteration
        return self.count


print(list(Itself()), [a for a, _ in zip(Itself(), range(1))])


class Nothing(IterDataPipe):
    pass


shown("nothing", lambda: list(Nothing()))

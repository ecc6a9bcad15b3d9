"""The keys, values and queues of a store in one process, without any waiting."""

import collections

from ._errors import QueueEmptyError

# What a store counts its members with.
MEMBERS = "init/"


class Table:
    """What is stored. Whoever uses it from several threads keeps them apart."""

    def __init__(self):
        self.values = {}
        self.queues = {}

    def has(self, keys):
        """Whether all the keys are there, be it as values or as queues that are not empty."""
        return all(key in self.values or self.queues.get(key) for key in keys)

    def add(self, key, amount):
        """Adds to a number; one that is not there counts as 0."""
        try:
            total = int(self.values.get(key, b"0")) + amount
        except ValueError:
            raise ValueError(f"the value of {key} is no number") from None
        self.values[key] = str(total).encode()
        return total

    def compare_set(self, key, expected, desired):
        """Sets a key that has the expected value, or is not there and expected empty; what it holds then."""
        if key not in self.values:
            if expected:
                return expected
        elif self.values[key] != expected:
            return self.values[key]
        self.values[key] = desired
        return desired

    def append(self, key, value):
        """Adds to the end of a value."""
        self.values[key] = self.values.get(key, b"") + value

    def delete(self, key):
        """Forgets a key: whether it was there."""
        return self.values.pop(key, None) is not None

    def push(self, key, value):
        """Adds to the end of a queue."""
        self.queues.setdefault(key, collections.deque()).append(value)

    def pop(self, key):
        """Takes the first of a queue."""
        queue = self.queues.get(key)
        if not queue:
            raise QueueEmptyError("queue is empty")
        value = queue.popleft()
        if not queue:
            del self.queues[key]
        return value

    def length(self, key):
        """How many a queue holds."""
        return len(self.queues.get(key, ()))

    def keys(self):
        """The keys of all values."""
        return [key for key in self.values if key != MEMBERS]

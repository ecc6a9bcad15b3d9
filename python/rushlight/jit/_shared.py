"""Lists and dicts that Python shares with scripts: what ``torch.jit.script`` makes of a list or dict."""

from .. import _rushlight
from ._errors import Error


def share(obj):
    """A list or dict as a value that scripts and Python both change."""
    kind = "list" if isinstance(obj, list) else "dictionary"
    try:
        shared = _rushlight.Shared(obj)
    except (RuntimeError, TypeError) as error:
        raise Error(f"Unable to infer type of {kind}: {error}") from None
    return ScriptList(shared) if isinstance(obj, list) else ScriptDict(shared)


class _Container:
    """A script container. Elements are copied in and out, the container itself is not."""

    def __init__(self, content):
        self._shared = content if isinstance(content, _rushlight.Shared) else share(content)._shared

    def _items(self):
        return self._shared.get()

    def __len__(self):
        return len(self._items())

    def __iter__(self):
        return iter(self._items())

    def __bool__(self):
        return len(self) > 0

    def __eq__(self, other):
        return type(other) is type(self) and self._items() == other._items()

    __hash__ = object.__hash__

    def __repr__(self):
        return self._shared.text()


class ScriptList(_Container):
    """A list that scripts and Python share."""

    __module__ = "torch"

    def _check(self, value, method, what="argument"):
        if not self._shared.takes(value):
            raise TypeError(f"list.{method}(): {what} is of the wrong type")
        return value

    def _change(self, action):
        items = self._items()
        try:
            result = action(items)
        except IndexError:
            raise IndexError("list index out of range") from None
        self._shared.replace(items)
        return result

    def __getitem__(self, index):
        try:
            found = self._items()[index]
        except IndexError:
            raise IndexError("list index out of range") from None
        return share(found) if isinstance(index, slice) else found

    def __setitem__(self, index, value):
        if isinstance(index, slice):
            values = [self._check(v, "__setitem__", "value") for v in value]
            if len(range(*index.indices(len(self)))) != len(values):
                raise RuntimeError("Left and right hand size of slice assignment have different sizes")
            self._change(lambda items: items.__setitem__(index, values))
            return
        self._check(value, "__setitem__", "value")
        self._change(lambda items: items.__setitem__(index, value))

    def __delitem__(self, index):
        self._change(lambda items: items.__delitem__(index))

    def __contains__(self, value):
        return self._check(value, "__contains__") in self._items()

    def append(self, value):
        """Adds an element at the end."""
        self._check(value, "append")
        self._change(lambda items: items.append(value))

    def extend(self, values):
        """Adds elements at the end."""
        values = [self._check(v, "extend") for v in values]
        self._change(lambda items: items.extend(values))

    def insert(self, index, value):
        """Puts an element before another."""
        self._check(value, "insert")
        self._change(lambda items: items.insert(index, value))

    def pop(self, index=-1):
        """Takes an element out."""
        return self._change(lambda items: items.pop(index))

    def remove(self, value):
        """Takes the first equal element out."""
        self._check(value, "remove")
        self._change(lambda items: items.remove(value))

    def count(self, value):
        """How many elements are equal."""
        return self._items().count(self._check(value, "count"))

    def clear(self):
        """Takes all elements out."""
        self._shared.replace([])


class ScriptDict(_Container):
    """A dict that scripts and Python share."""

    __module__ = "torch"

    def _known(self, key):
        items = self._items()
        if not self._shared.takes_key(key) or key not in items:
            raise KeyError("")
        return items

    def __getitem__(self, key):
        return self._known(key)[key]

    def __setitem__(self, key, value):
        if not self._shared.takes_key(key):
            raise TypeError("dict key is of the wrong type")
        if not self._shared.takes(value):
            raise TypeError("dict value is of the wrong type")
        items = self._items()
        items[key] = value
        self._shared.replace(items)

    def __delitem__(self, key):
        if not self._shared.takes_key(key):
            raise TypeError("dict key is of the wrong type")
        items = self._known(key)
        del items[key]
        self._shared.replace(items)

    def __contains__(self, key):
        if not self._shared.takes_key(key):
            raise KeyError("")
        return key in self._items()

    def items(self):
        """Goes over keys and values."""
        return iter(self._items().items())

    def keys(self):
        """Goes over keys."""
        return iter(self._items())

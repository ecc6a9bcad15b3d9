"""Modules that hold modules or parameters: ``Sequential``, ``ModuleList``, ``ModuleDict``, ``ParameterList``, ``ParameterDict``."""

import operator
from collections import OrderedDict
from collections.abc import Iterable, Mapping

from ..._functions import typename
from ..._rushlight import Tensor
from ..parameter import Parameter
from .module import Module, _addindent

__all__ = ["Container", "Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict"]


class _Numbered(Module):
    """Submodules named by their positions."""

    def _position(self, index):
        """An index as a position from the front."""
        size, index = len(self), operator.index(index)
        if not -size <= index < size:
            raise IndexError(f"index {index} is out of range")
        return index % size

    def _put_all(self, modules):
        """Makes the modules, in order, the only ones."""
        self._modules = {str(i): module for i, module in enumerate(modules)}

    def __getitem__(self, idx):
        modules = list(self._modules.values())
        if isinstance(idx, slice):
            return self._part(idx)
        return modules[self._position(idx)]

    def __setitem__(self, index, module):
        setattr(self, list(self._modules)[self._position(index)], module)

    def __delitem__(self, index):
        names = list(self._modules)
        for name in names[index] if isinstance(index, slice) else [names[self._position(index)]]:
            delattr(self, name)
        self._put_all(self._modules.values())

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __dir__(self):
        return [name for name in super().__dir__() if not name.isdigit()]


class Sequential(_Numbered):
    """Modules one after the other: each gets what the one before gave."""

    _modules: dict[str, Module]

    def __init__(self, *args):
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            for i, module in enumerate(args):
                self.add_module(str(i), module)

    def _part(self, which):
        return type(self)(OrderedDict(list(self._modules.items())[which]))

    def __add__(self, other):
        self._check(other, "add operator supports only objects of Sequential class, but {} is given.")
        return Sequential(*self, *other)

    def __iadd__(self, other):
        self._check(other, "add operator supports only objects of Sequential class, but {} is given.")
        return self.extend(other)

    @staticmethod
    def _check(other, message):
        if not isinstance(other, Sequential):
            raise ValueError(message.format(type(other)))

    def __mul__(self, other):
        self._check_times(other)
        return Sequential(*(module for _ in range(other) for module in self))

    __rmul__ = __mul__

    def __imul__(self, other):
        self._check_times(other)
        return self.extend([module for _ in range(other - 1) for module in self])

    @staticmethod
    def _check_times(other):
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {Sequential} and {type(other)}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {Sequential}")

    def pop(self, key):
        """Removes a module and returns it."""
        module = self[key]
        del self[key]
        return module

    def append(self, module: Module):
        """Adds a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index: int, module: Module):
        """Adds a module before a position."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        size = len(self)
        if not -size <= index <= size:
            raise IndexError(f"Index out of range: {index}")
        place = index + size if index < 0 else index
        # Names are numbers here: those from the position on move up by one, and a module with another name stands in the way.
        for number in range(size, place, -1):
            self._modules[str(number)] = self._modules[str(number - 1)]
        self._modules[str(place)] = module
        return self

    def extend(self, sequential):
        """Adds modules at the end."""
        for module in list(sequential):
            self.append(module)
        return self

    def forward(self, input):
        """The last module's result."""
        for module in self:
            input = module(input)
        return input


class ModuleList(_Numbered):
    """A list of modules."""

    _modules: dict[str, Module]

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self += modules

    def _part(self, which):
        return type(self)(list(self._modules.values())[which])

    def __iadd__(self, modules):
        return self.extend(modules)

    def __add__(self, other):
        return ModuleList([*self, *other])

    def pop(self, key):
        """Removes a module and returns it."""
        module = self[key]
        del self[key]
        return module

    def insert(self, index: int, module: Module):
        """Adds a module before a position."""
        modules = list(self)
        modules.insert(index, module)
        self._put_all(modules)

    def append(self, module: Module):
        """Adds a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules):
        """Adds modules at the end."""
        if not isinstance(modules, Iterable):
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}")
        for module in list(modules):
            self.append(module)
        return self

    def __repr__(self):
        """Runs of modules that print alike are one line."""
        if not self._modules:
            return f"{self._get_name()}()"
        runs = []
        for i, text in enumerate(repr(module) for module in self):
            if runs and runs[-1][2] == text:
                runs[-1][1] = i
            else:
                runs.append([i, i, text])
        lines = []
        for first, last, text in runs:
            if first == last:
                lines.append(f"({first}): {_addindent(text, 2)}")
            else:
                lines.append(f"({first}-{last}): {last - first + 1} x {_addindent(text, 2)}")
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"


class ModuleDict(Module):
    """A dictionary of modules."""

    _modules: dict[str, Module]

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key):
        return self._modules[key]

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def __delitem__(self, key):
        del self._modules[key]

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules)

    def __contains__(self, key):
        return key in self._modules

    def clear(self):
        """Removes all modules."""
        self._modules.clear()

    def pop(self, key):
        """Removes a module and returns it."""
        module = self[key]
        del self[key]
        return module

    def keys(self):
        """The names."""
        return self._modules.keys()

    def items(self):
        """Names and modules."""
        return self._modules.items()

    def values(self):
        """The modules."""
        return self._modules.values()

    def update(self, modules):
        """Adds modules from a mapping or from pairs."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, but got " + type(modules).__name__
            )
        for key, module in _pairs(modules, (OrderedDict, ModuleDict, Mapping), "ModuleDict"):
            self[key] = module


def _pairs(entries, mappings, where):
    """The entries of a mapping, or of an iterable of pairs."""
    if isinstance(entries, mappings):
        yield from entries.items()
        return
    for i, pair in enumerate(entries):
        if not isinstance(pair, Iterable):
            raise TypeError(f"{where} update sequence element #{i} should be Iterable; is{type(pair).__name__}")
        if len(pair) != 2:
            raise ValueError(f"{where} update sequence element #{i} has length {len(pair)}; 2 is required")
        yield pair


def _describe(value, dtype_of):
    """What ``repr`` of a parameter container shows of an entry; lists and dictionaries name dtypes differently."""
    if not isinstance(value, Tensor):
        return f"Object of type: {type(value).__name__}"
    kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
    sizes = "x".join(str(n) for n in value.size())
    return f"{kind} containing: [{dtype_of(value)} of size {sizes}]"


def _as_parameter(value):
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


class ParameterList(Module):
    """A list of parameters."""

    def __init__(self, values=None):
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    def _name(self, index):
        index = operator.index(index)
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} is out of range")
        return str(index % len(self))

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            out = type(self)()
            for i in range(*idx.indices(len(self))):
                out.append(self[i])
            return out
        return getattr(self, self._name(idx))

    def __setitem__(self, idx, param):
        setattr(self, self._name(idx), _as_parameter(param))

    def __len__(self):
        return self._size

    def __iter__(self):
        return iter(self[i] for i in range(len(self)))

    def __iadd__(self, parameters):
        return self.extend(parameters)

    def __dir__(self):
        return [name for name in super().__dir__() if not name.isdigit()]

    def append(self, value):
        """Adds a parameter at the end; tensors become parameters."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values):
        """Adds parameters at the end."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in values:
            self.append(value)
        return self

    def extra_repr(self):
        return "\n".join(_line(i, value, lambda t: t.dtype) for i, value in enumerate(self))

    def __call__(self, *args, **kwargs):
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """A dictionary of parameters."""

    def __init__(self, parameters=None):
        super().__init__()
        self._keys = {}
        if parameters is not None:
            self.update(parameters)

    def _attribute(self, key):
        if not isinstance(key, str):
            raise TypeError(
                "Index given to ParameterDict cannot be used as a key as it is not a string (type is "
                f"'{type(key).__name__}'). Open an issue on github if you need non-string keys."
            )
        return key

    def __getitem__(self, key):
        return getattr(self, self._attribute(key))

    def __setitem__(self, key, value):
        name = self._attribute(key)
        self._keys[key] = None
        setattr(self, name, _as_parameter(value))

    def __delitem__(self, key):
        del self._keys[key]
        delattr(self, self._attribute(key))

    def __len__(self):
        return len(self._keys)

    def __iter__(self):
        return iter(self._keys)

    def __reversed__(self):
        return reversed(list(self._keys))

    def __contains__(self, key):
        return key in self._keys

    def copy(self):
        """A dictionary with the same parameters."""
        return ParameterDict(OrderedDict((key, self[key]) for key in self._keys))

    def setdefault(self, key, default=None):
        """The parameter of a key, added when it is missing."""
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self):
        """Removes all parameters."""
        for key in list(self._keys):
            del self[key]

    def pop(self, key):
        """Removes a parameter and returns it."""
        value = self[key]
        del self[key]
        return value

    def popitem(self):
        """Removes the last parameter and returns it with its key."""
        key, _ = self._keys.popitem()
        self._keys[key] = None
        return key, self.pop(key)

    def get(self, key, default=None):
        """The parameter of a key, or the default."""
        return self[key] if key in self else default

    def fromkeys(self, keys, default=None):
        """A dictionary with the same value for each key."""
        return ParameterDict((key, default) for key in keys)

    def keys(self):
        """The names."""
        return self._keys.keys()

    def items(self):
        """Names and parameters."""
        return ((key, self[key]) for key in self._keys)

    def values(self):
        """The parameters."""
        return (self[key] for key in self._keys)

    def update(self, parameters):
        """Adds parameters from a mapping or from pairs."""
        if not isinstance(parameters, Iterable):
            raise TypeError(
                "ParametersDict.update should be called with an iterable of key/value pairs, but got "
                + type(parameters).__name__
            )
        if isinstance(parameters, Mapping) and not isinstance(parameters, OrderedDict):
            parameters = OrderedDict(sorted(parameters.items()))
        for key, value in _pairs(parameters, (OrderedDict, ParameterDict), "ParameterDict"):
            self[key] = value

    def extra_repr(self):
        return "\n".join(_line(key, value, typename) for key, value in self.items())

    def __call__(self, input):
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other):
        out = self.copy()
        out.update(other)
        return out

    def __ror__(self, other):
        out = other.copy()
        out.update(self)
        return out

    def __ior__(self, other):
        self.update(other)
        return self


def _line(name, value, dtype_of):
    return f"  ({name}): {_describe(value, dtype_of)}"


class Container(Module):
    """A module with submodules given by name."""

    def __init__(self, **kwargs):
        super().__init__()
        for name, module in kwargs.items():
            self.add_module(name, module)

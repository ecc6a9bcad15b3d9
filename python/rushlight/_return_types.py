"""``torch.return_types``: the tuples with names that operators with several results give."""

import collections
import types

from . import _rushlight


def _show(self):
    fields = ",\n".join(f"{name}={value!r}" for name, value in zip(self._fields, self))
    return f"torch.return_types.{type(self).__name__}(\n{fields})"


class ReturnTypes(types.ModuleType):
    """A module whose attributes are the classes of results."""

    def __getattr__(self, name):
        schemas = () if name.startswith("__") else _rushlight.schemas_of("aten::" + name)
        for schema in schemas:
            fields = [result.name for result in schema.returns]
            if len(fields) > 1 and all(fields):
                return self.make(name, fields)
        raise AttributeError(f"module 'torch.return_types' has no attribute '{name}'")

    def make(self, name, fields):
        """The class of an operator's results."""
        found = self.__dict__.get(name)
        if found is None:
            found = collections.namedtuple(name, fields)
            found.__module__ = "torch.return_types"
            found.__repr__ = _show
            setattr(self, name, found)
        return found


return_types = ReturnTypes("torch.return_types")
_rushlight.register("return_type", return_types.make)

"""``import torch`` finds this package: the alias that ``python -m rushlight`` and ``install_as_torch`` set."""

import importlib
import importlib.machinery
import sys
import types

from . import _python_parts
from ._borrowed import lend

_installed = False

# What stands here stays here: it is what other processes ask for before there is a ``torch``.
_HERE = __name__


# Names of modules that are others in torch.
_HOMES = {
    "rushlight._archive_files": "torch",
    "rushlight._dispatch_keys": "torch",
    "rushlight._introspection": "torch",
    "rushlight._symbols": "torch",
    "rushlight.optim._adafactor": "torch.optim",
    "rushlight.optim._base": "torch.optim.optimizer",
    "rushlight.optim._lbfgs": "torch.optim.lbfgs",
    "rushlight.optim._muon": "torch.optim",
    "rushlight.optim._sgd": "torch.optim.sgd",
    "rushlight.optim._sparse_adam": "torch.optim.sparse_adam",
    "rushlight.jit._load": "torch.jit._serialization",
    "rushlight.jit._save": "torch.jit._serialization",
    "rushlight.fx._aggregate": "torch.fx.node",
    "rushlight.fx._codegen": "torch.fx.graph",
    "rushlight.fx._errors": "torch.fx.graph_module",
    "rushlight.fx._namespace": "torch.fx.graph",
    "rushlight.fx._patching": "torch.fx._symbolic_trace",
    "rushlight.fx._placeholders": "torch.fx._symbolic_trace",
    "rushlight.fx._purity": "torch.fx.node",
    "rushlight.fx._wrapping": "torch.fx._symbolic_trace",
}
# Modules whose classes have modules of their own in torch, named as they are.
_OF_ONE_CLASS = ("rushlight.optim._adaptive", "rushlight.optim._moments")


def in_force():
    """Whether ``import torch`` finds this package, so that it answers as PyTorch in everything."""
    return _installed


def home_of(module, name):
    """The module in torch of a class or function of a module of this package."""
    if module in _OF_ONE_CLASS and not name.startswith("_"):
        return f"torch.{module.split('.')[1]}.{name.lower()}"
    return _HOMES.get(module) or "torch." + module.removeprefix("rushlight.")


def adopt_class(cls):
    """Where the alias is in force, a class or function of this package says that it lives in ``torch``."""
    home = cls.__module__
    if _installed and home.startswith("rushlight.") and home != _HERE:
        cls.__module__ = home_of(home, cls.__name__)


class _Shown(str):
    """The name by which a module was found: it shows as the one in ``torch``."""

    __slots__ = ()

    def __repr__(self):
        return repr("torch" + self.removeprefix("rushlight"))


def _adopt(module):
    """What a module of this package defines, and itself, say that they live in ``torch``."""
    path = module.__name__.partition(".")[2]
    # Not `vars`: a module may load more before it gives its dictionary.
    for value in list(types.ModuleType.__dict__["__dict__"].__get__(module).values()):
        if isinstance(value, (type, types.FunctionType)) and value.__module__ == f"rushlight.{path}":
            adopt_class(value)
        elif isinstance(value, types.BuiltinFunctionType) and value.__module__ == "rushlight._rushlight" and path != "_rushlight":
            value.__module__ = f"torch.{path}".rstrip(".")
    lend(module, path)
    spec = getattr(module, "__spec__", None)
    if spec is not None and (spec.name == "rushlight" or spec.name.startswith("rushlight.")):
        spec.name = _Shown(spec.name)
    # Its package stays what it is: by that it finds its neighbours.
    if module.__name__.startswith("rushlight.") and module.__name__ != _HERE:
        module.__name__ = f"torch.{path}"


class _Finder:
    """Answers for ``torch`` and ``torch.*`` with the module of the same path here, and for the old package ``functorch``."""

    def find_spec(self, name, path=None, target=None):
        if name in ("torch", "functorch") or name.startswith("torch."):
            return importlib.machinery.ModuleSpec(name, self)
        return None

    def create_module(self, spec):
        import rushlight

        if spec.name == "functorch":
            return importlib.import_module("rushlight._functorch.deprecated")

        parts = spec.name.split(".")[1:]
        module = rushlight
        for i, part in enumerate(parts):
            if part.startswith("__"):
                raise ModuleNotFoundError(f"No module named '{spec.name}'", name=spec.name)
            found = getattr(module, part, None)
            if found is None:
                try:
                    found = importlib.import_module(".".join(["rushlight", *parts[: i + 1]]))
                except ModuleNotFoundError:
                    raise ModuleNotFoundError(
                        f"No module named '{spec.name}' (Rushlight stands in for torch and does not have it)",
                        name=spec.name,
                    ) from None
            module = found
        if isinstance(module, types.ModuleType):
            _adopt(module)
        spec.loader_state = getattr(module, "__spec__", None)
        return module

    def exec_module(self, module):
        """The module is loaded already; it stays what it was, so that it finds its neighbours."""
        own = module.__spec__.loader_state
        if own is not None:
            module.__spec__ = own

    def find_distributions(self, context=None):
        """Programs ask the metadata of installed packages whether there is a ``torch``, and which version."""
        if getattr(context, "name", None) in (None, "torch"):
            from ._metadata import Torch

            yield Torch()


class _Adopter:
    """Finds the modules of this package as usual, and adopts what they define once they are loaded."""

    def find_spec(self, name, path=None, target=None):
        if not name.startswith("rushlight."):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        loader = getattr(spec, "loader", None)
        if loader is not None:
            execute = loader.exec_module

            def exec_module(module):
                execute(module)
                _adopt(module)
                sys.modules.setdefault("torch." + name.removeprefix("rushlight."), module)

            loader.exec_module = exec_module
        return spec


def install():
    """Puts the alias in force, once."""
    global _installed
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path[:0] = [_Finder(), _Adopter()]
        _python_parts.install()
    import rushlight
    # Programs that bring parts of their own under these names expect the rest to be there already.
    import rushlight.testing  # noqa: F401

    _adopt(rushlight)
    sys.modules["torch"] = rushlight
    # Programs that look for things by path compare the beginning with it.
    rushlight.__name__ = "torch"
    _installed = True
    for name, module in list(sys.modules.items()):
        if name.startswith("rushlight."):
            _adopt(module)
            # Where their classes say that they live, and where their source is looked for.
            sys.modules.setdefault("torch." + name.removeprefix("rushlight."), module)


class _Alias:
    """Puts the alias in force where it is unpickled."""

    def __reduce__(self):
        return install, ()


def teach_children():
    """Makes processes that are started anew answer ``import torch`` as this one does: what they are told first says so."""
    from multiprocessing import spawn

    told = spawn.get_preparation_data
    if not _installed or hasattr(told, "_rushlight"):
        return

    def get_preparation_data(name):
        return {"rushlight": _Alias(), **told(name)}

    get_preparation_data._rushlight = True
    spawn.get_preparation_data = get_preparation_data

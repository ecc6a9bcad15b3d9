"""Scripts through Python's ``pickle``: modules, functions, methods and units travel as their archives.

So multiprocessing and engines such as Dask, Ray and Spark can carry them. What arrives is what loading the archive gives: code,
parameters, buffers and attributes, with a memory of its own. Where the alias ``torch`` is in force (``python -m rushlight``), scripts
are refused in PyTorch's words instead, as programs written for it expect; ``torch.save`` refuses them always, because PyTorch
could not read them from a checkpoint.
"""

import copyreg
import io
import pickle

from .. import _alias, _rushlight
from ._load import load_quietly
from ._save import save_to_buffer
from ._script import CompilationUnit
from ._script_module import wrap

_HINT = (
    "Scripts pickle, as their archives, where the program says `import rushlight as torch`; under the alias `torch` "
    "they are refused as in PyTorch. `save_to_buffer()` and `torch.jit.load` do the same by hand."
)


def refuse_function():
    """Raises what PyTorch raises for a function."""
    raise pickle.PickleError("ScriptFunction cannot be pickled")


def refuse_module(module):
    """Raises what PyTorch raises for a module."""
    raise RuntimeError(f"Tried to serialize object {module._c._class_name()} which does not have a __getstate__ method defined!")


def _refused(refuse, *args):
    try:
        refuse(*args)
    except Exception as error:
        if hasattr(error, "add_note"):
            error.add_note(_HINT)
        raise


def load_module(archive):
    """The module of an archive in memory."""
    return load_quietly(io.BytesIO(archive))


def load_function(name, archive, defaults):
    """The function of an archive in memory, with the defaults that archives of functions do not keep."""
    graph = load_quietly(io.BytesIO(archive)).forward.graph
    graph.eraseInput(0)
    function = _rushlight.create_function_from_graph(name, graph)
    _rushlight.restore_schema(function, defaults)
    return function


def load_method(module, name):
    """A method of a module."""
    return module._c._get_method(name)


def load_unit(functions):
    """A unit of functions by name."""
    unit = CompilationUnit()
    unit._functions.update(functions)
    return unit


def reduce_module(module):
    """What pickles a scripted module."""
    if _alias.in_force():
        _refused(refuse_module, module)
    return load_module, (save_to_buffer(module),)


def _reduce_function(function):
    if _alias.in_force():
        _refused(refuse_function)
    given = [(one.name, one.default_value) for one in function.schema.arguments if one.has_default_value()]
    if "." in function.qualified_name:
        archive = save_to_buffer(function)
    else:
        # Archives have no names for the functions of a unit that it calls: they go inside it.
        archive = save_to_buffer(_rushlight.create_function_from_graph(function.name, function.inlined_graph))
    return load_function, (function.qualified_name, archive, given)


def _reduce_method(method):
    if _alias.in_force():
        _refused(_cannot, "torch._C.ScriptMethod")
    return load_method, (wrap(method.owner), method.name)


def _reduce_unit(unit):
    if _alias.in_force():
        _refused(_cannot, "torch._C.CompilationUnit")
    return load_unit, (dict(unit._functions),)


def _cannot(kind):
    raise TypeError(f"cannot pickle '{kind}' object")


copyreg.pickle(_rushlight.ScriptFunction, _reduce_function)
copyreg.pickle(_rushlight.ScriptMethod, _reduce_method)
copyreg.pickle(CompilationUnit, _reduce_unit)

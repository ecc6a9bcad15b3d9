"""``torch.jit._recursive``: from instances of modules to scripts, for programs that take the steps themselves."""

from ..nn import Module  # noqa: F401
from ._concrete import class_facts
from ._script_module import script_instance, wrap


def wrap_cpp_module(cpp_module):
    """The Python module of a script object."""
    return wrap(cpp_module)


def create_script_module(nn_module, stubs_fn=None, share_types=True, is_tracing=False):
    """A scripted module; which of its methods are compiled, ``stubs_fn`` says by name where it is given."""
    return script_instance(nn_module, share_types)


def infer_methods_to_compile(nn_module):
    """The functions of a module that are compiled whether something calls them or not."""
    facts = class_facts(type(nn_module))
    return [facts.member(name) for name, _ in facts.entry_methods()]

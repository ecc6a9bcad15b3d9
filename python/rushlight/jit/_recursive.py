"""``torch.jit._recursive``: from instances of modules to scripts, for programs that take the steps themselves."""

from .._jit_internal import modifier_of
from ..nn import Module  # noqa: F401
from ._concrete import class_facts
from ._script_module import script_instance, wrap


# Attributes of modules that scripts do not take over.
ignored_attributes = [
    "_version", "_parameters", "_buffers", "_non_persistent_buffers_set", "_backward_hooks", "_backward_pre_hooks", "_forward_hooks",
    "_forward_hooks_with_kwargs", "_forward_pre_hooks", "_forward_pre_hooks_with_kwargs", "_forward_hooks_always_called", "_state_dict_hooks",
    "_state_dict_pre_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks", "_modules", "_initializing", "dump_patches",
]  # fmt: skip


def jit_ignored_properties(module):
    """The names of the properties of a class that it says scripts leave out."""
    names = set(getattr(module, "__jit_ignored_attributes__", ()))
    for name, member in vars(module).items():
        if isinstance(member, property) and modifier_of(member.fget) in ("ignore", "unused"):
            names.add(name)
    return names


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

"""Attributes of modules by dotted names."""

from .. import nn
from .._rushlight import Tensor


def _copy_attr(from_module, to_module, target):
    """Gives one module the attribute of another, and modules on the way to it."""
    *prefix, field = target.split(".")
    for part in prefix:
        source, made = getattr(from_module, part), getattr(to_module, part, None)
        if source is made:
            return
        if made is None:
            made = nn.Module()
            setattr(to_module, part, made)
        from_module, to_module = source, made
    _put(to_module, field, getattr(from_module, field), field not in from_module._non_persistent_buffers_set)


def _assign_attr(from_obj, to_module, target):
    """Gives a module an attribute, and modules on the way to it."""
    *prefix, field = target.split(".")
    for part in prefix:
        made = getattr(to_module, part, None)
        if made is None:
            made = nn.Module()
            setattr(to_module, part, made)
        to_module = made
    _put(to_module, field, from_obj)


def _put(module, name, value, persistent=True):
    if isinstance(value, Tensor) and not isinstance(value, nn.Parameter):
        module.register_buffer(name, value, persistent)
    else:
        setattr(module, name, value)


def copy_rest(from_module, to_module):
    """Gives a module all parameters, buffers and modules of another that it does not have yet."""
    for held in (
        from_module.named_modules(remove_duplicate=False), from_module.named_parameters(remove_duplicate=False),
        from_module.named_buffers(remove_duplicate=False),
    ):
        for name, _ in held:
            if name and not _has_attr(to_module, name):
                _copy_attr(from_module, to_module, name)


def _get_attr(model, attr_name):
    """The attribute of a dotted name."""
    return _get_attr_via_attr_list(model, attr_name.split("."))


def _get_attr_via_attr_list(model, attr_list):
    for name in attr_list:
        model = getattr(model, name)
    return model


def _has_attr(model, attr_name):
    """Whether there is an attribute of a dotted name."""
    for name in attr_name.split("."):
        if not hasattr(model, name):
            return False
        model = getattr(model, name)
    return True


def _del_attr(model, attr_name):
    """Deletes the attribute of a dotted name."""
    prefix, _, name = attr_name.rpartition(".")
    delattr(_get_attr(model, prefix) if prefix else model, name)

"""Makes one module of modules that follow one another: the first takes the place of all, the others do nothing from then on."""

import copy

from ..._library import publish
from ...nn import Identity
from .fuser_method_mappings import get_fuser_method, fuse_conv_bn, fuse_conv_bn_relu  # noqa: F401

__all__ = ["fuse_known_modules", "fuse_modules", "fuse_modules_qat"]


def _get_module(model, submodule_key):
    """The module under a path."""
    for name in submodule_key.split("."):
        model = getattr(model, name)
    return model


def _set_module(model, submodule_key, module):
    """Puts a module under a path."""
    *parents, name = submodule_key.split(".")
    for parent in parents:
        model = getattr(model, parent)
    setattr(model, name, module)


def fuse_known_modules(mod_list, is_qat, additional_fuser_method_mapping=None):
    """The modules that take the places of these: one that does what all do, and identities.

    Raises:
        NotImplementedError: nothing is known of such a sequence.
    """
    kinds = tuple(type(module) for module in mod_list)
    method = get_fuser_method(kinds, additional_fuser_method_mapping)
    if method is None:
        raise NotImplementedError(f"Cannot fuse modules: {kinds}")
    fused = method(is_qat, *mod_list)
    # What is to happen before the first and after the last still does.
    for hook in mod_list[0]._forward_pre_hooks.values():
        fused.register_forward_pre_hook(hook)
    mod_list[0]._forward_pre_hooks.clear()
    for hook in mod_list[-1]._forward_hooks.values():
        fused.register_forward_hook(hook)
    mod_list[-1]._forward_hooks.clear()
    rest = []
    for module in mod_list[1:]:
        identity = Identity()
        identity.training = mod_list[0].training
        rest.append(identity)
    return [fused, *rest]


def _fuse_list(model, modules_to_fuse, is_qat, fuser_func=fuse_known_modules, fuse_custom_config_dict=None):
    additional = (fuse_custom_config_dict or {}).get("additional_fuser_method_mapping", {})
    made = fuser_func([_get_module(model, item) for item in modules_to_fuse], is_qat, additional)
    for item, module in zip(modules_to_fuse, made):
        _set_module(model, item, module)


def _fuse_modules(
    model, modules_to_fuse, is_qat, inplace=False, fuser_func=fuse_known_modules, fuse_custom_config_dict=None
):
    if not inplace:
        model = copy.deepcopy(model)
    if all(isinstance(element, str) for element in modules_to_fuse):
        modules_to_fuse = [modules_to_fuse]
    for names in modules_to_fuse:
        _fuse_list(model, names, is_qat, fuser_func, fuse_custom_config_dict)
    return model


def fuse_modules(model, modules_to_fuse, inplace=False, fuser_func=fuse_known_modules, fuse_custom_config_dict=None):
    """A model where sequences of modules are one, for quantizing it as it is.

    Args:
        model: the model, in evaluation mode where normalizations are to be folded.
        modules_to_fuse: paths of modules that follow one another, or a list of such lists.
        inplace: changes the model itself.
        fuser_func: what makes the modules that take the places of a list of them.
        fuse_custom_config_dict: further functions under ``additional_fuser_method_mapping``.
    """
    return _fuse_modules(
        model, modules_to_fuse, is_qat=False, inplace=inplace, fuser_func=fuser_func,
        fuse_custom_config_dict=fuse_custom_config_dict,
    )


def fuse_modules_qat(model, modules_to_fuse, inplace=False, fuser_func=fuse_known_modules, fuse_custom_config_dict=None):
    """A model where sequences of modules are one, for training it with quantization. Arguments as :func:`fuse_modules`."""
    return _fuse_modules(
        model, modules_to_fuse, is_qat=True, inplace=inplace, fuser_func=fuser_func,
        fuse_custom_config_dict=fuse_custom_config_dict,
    )


publish(globals())

"""``torch.utils.mobile_optimizer``: modules made ready for phones, here by freezing them."""

import enum


class MobileOptimizerType(enum.Enum):
    """Steps that can be left out."""

    CONV_BN_FUSION = 1
    INSERT_FOLD_PREPACK_OPS = 2
    REMOVE_DROPOUT = 3
    FUSE_ADD_RELU = 4
    HOIST_CONV_PACKED_PARAMS = 5
    CONV_1D_TO_2D = 6
    VULKAN_AUTOMATIC_GPU_TRANSFER = 7


class LintCode(enum.Enum):
    """What makes a module heavier on a phone than it has to be."""

    BUNDLED_INPUT = 1
    REQUIRES_GRAD = 2
    DROPOUT = 3
    BATCHNORM = 4


def _need_script(module):
    from ..jit import RecursiveScriptModule

    if not isinstance(module, RecursiveScriptModule):
        raise TypeError(f"Got {type(module)}, but ScriptModule is expected.")


# Words in the names of operators that a module in evaluation mode has no use for.
_TRAINING = (("dropout", LintCode.DROPOUT), ("batch_norm", LintCode.BATCHNORM))


def generate_mobile_module_lints(script_module):
    """What could be lighter in a module, as dictionaries of ``name`` and ``message``."""
    from ..jit import export_opnames

    _need_script(script_module)
    found = []
    if not hasattr(script_module, "_generate_bundled_inputs_for_forward"):
        message = (
            "No bundled input for forward, please add bundled inputs before saving the module using "
            "torch.utils.bundled_inputs.augment_model_with_bundled_inputs."
        )
        found.append((LintCode.BUNDLED_INPUT, message))
    for name, parameter in script_module.named_parameters():
        if parameter.requires_grad:
            message = (
                f"Param {name} requires grad, please set torch.no_grad() to reduce memory usage and improve computation "
                "speed during inference phase."
            )
            found.append((LintCode.REQUIRES_GRAD, message))
    for operator in export_opnames(script_module):
        for word, code in _TRAINING:
            if word in operator:
                message = (
                    f"Operator {operator} exists, remember to call eval() before saving the module and call "
                    f"torch.utils.mobile_optimizer.optimize_for_mobile to drop {word} operator."
                )
                found.append((code, message))
    return [{"name": code.name, "message": message} for code, message in found]


def optimize_for_mobile(script_module, optimization_blocklist=None, preserved_methods=None, backend="CPU"):
    """The module frozen, with convolutions and norms folded: it gives the same. Only the CPU is there."""
    from ..jit import freeze

    _need_script(script_module)
    if backend.lower() not in ("cpu", "vulkan", "metal"):
        raise TypeError("Unknown backend, must be one of 'CPU', 'Vulkan' or 'Metal'")
    if backend.lower() != "cpu":
        raise NotImplementedError(f"optimize_for_mobile: there is no {backend} here")
    names = [getattr(method, "__name__", method) for method in preserved_methods or []]
    missing = [name for name in names if not hasattr(script_module, name)]
    if missing:
        raise AttributeError(f"The following methods to preserve do not exist in script_module: {', '.join(missing)}")
    return freeze(script_module.eval(), preserved_attrs=names)

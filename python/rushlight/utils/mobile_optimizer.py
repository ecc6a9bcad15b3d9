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


def optimize_for_mobile(script_module, optimization_blocklist=None, preserved_methods=None, backend="CPU"):
    """The module frozen, with convolutions and norms folded: it gives the same. Only the CPU is there."""
    from ..jit import RecursiveScriptModule, freeze

    if not isinstance(script_module, RecursiveScriptModule):
        raise TypeError(f"Got {type(script_module)}, but ScriptModule is expected.")
    if backend.lower() != "cpu":
        raise NotImplementedError(f"optimize_for_mobile: there is no {backend} here")
    names = [getattr(method, "__name__", method) for method in preserved_methods or []]
    return freeze(script_module.eval(), preserved_attrs=names)

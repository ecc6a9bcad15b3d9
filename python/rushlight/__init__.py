"""TorchScript without PyTorch: stands in for ``torch``.

``import rushlight as torch`` gives tensors, operators and ``torch.jit``. Every operator of the table is reachable as a
function here and as a method of :class:`Tensor`; names that are missing raise an error that says so.
"""

import os as _os
import sys as _sys
import warnings as _warnings

from . import _rushlight
from ._rushlight import (
    Generator,
    ScriptObject,
    Tensor,
    device,
    dtype,
    get_default_dtype,
    initial_seed,
    is_grad_enabled,
    manual_seed,
    tensor,
)
from ._names import *  # noqa: F401,F403  dtypes, layouts, memory formats
from ._names import Size, NAMES as _NAMES
from .autograd import enable_grad, inference_mode, is_inference_mode_enabled, no_grad, set_grad_enabled
from ._printing import set_printoptions
from ._return_types import return_types  # noqa: F401
from ._functions import *  # noqa: F401,F403
from . import _functions as _functions_module, _numpy, _old_methods, _pickling, _tensor_kinds  # noqa: F401
from .functional import broadcast_shapes, cdist, norm, stft, tensordot, unique, unique_consecutive, unravel_index  # noqa: F401
from . import _errors, autograd, backends, functional, types, version  # noqa: F401
from ._type_names import LEGACY as _LEGACY, Stream  # noqa: F401
from ._namespaces import NAMESPACES as _NAMESPACES, Builtins as _Builtins
from .version import __version__
from ._settings import *  # noqa: F401,F403
from . import _noticing, _notebook

# What `jit._notices` announces is for programs that record warnings; set here, before any program records some.
_warnings.filterwarnings("ignore", r"`torch\.jit\.\w+` is deprecated\. Please ", FutureWarning)
# The thread that looks after limits and signals does not survive a fork.
if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=_rushlight.after_fork)
_notebook.install()
set_default_dtype = _rushlight.set_default_dtype
default_generator = _rushlight.default_generator()
globals().update(_NAMESPACES)
globals().update(_LEGACY)
# Programs write `torch.torch` too.
torch = _sys.modules[__name__]


# Modules that are loaded when they are first asked for.
_LAZY = frozenset((
    "__config__", "__future__", "_custom_ops", "_dynamo", "_functorch", "_guards", "_inductor", "_logging", "_lowrank", "_ops",
    "_prims_common", "_subclasses", "_tensor", "_tensor_str", "_utils", "_vmap_internals", "accelerator", "amp", "ao", "classes", "compiler", "cpu",
    "cuda", "distributed", "distributions", "export", "func", "futures", "fx", "hub", "jit", "library", "masked",
    "monitor", "mps", "mtia", "multiprocessing", "nested", "nn", "numa", "onnx", "optim", "overrides", "package", "profiler",
    "quantization", "quasirandom", "random", "signal", "sparse", "storage", "testing", "torch_version", "utils",
    "xpu",
))
# Names of modules that are loaded when one of them is first asked for.
_ELSEWHERE = {
    **dict.fromkeys((
        "_assert", "_check", "_check_index", "_check_is_size", "_check_not_implemented", "_check_tensor_all",
        "_check_tensor_all_with", "_check_type", "_check_value", "_check_with",
    ), "_checks"),
    **dict.fromkeys((
        "SymInt", "SymFloat", "SymBool", "sym_int", "sym_float", "sym_not", "sym_max", "sym_min", "sym_sum", "sym_ite",
    ), "_symbols"),
    **dict.fromkeys((
        "bcomplex32", "float4_e2m1fn_x2", "quint4x2", "quint2x4",
        "bits1x8", "bits2x4", "bits4x2", "bits8", "bits16", *(f"{sign}int{bits}" for sign in ("", "u") for bits in range(1, 8)),
    ), "_absent_dtypes"),
    **dict.fromkeys(("TypedStorage", "UntypedStorage"), "storage"),
    **dict.fromkeys(("PyTorchFileReader", "PyTorchFileWriter"), "_archive_files"),
    **dict.fromkeys(("svd_lowrank", "pca_lowrank", "lobpcg"), "_lowrank"),
    **dict.fromkeys(("cond", "while_loop"), "_control_flow"),
    "Tag": "_operator_tags",
    **dict.fromkeys(("cholesky", "eig", "lstsq", "lu", "qr", "solve", "symeig"), "_removed"),
    **dict.fromkeys((
        "ByteStorage", "CharStorage", "ShortStorage", "IntStorage", "LongStorage", "BoolStorage", "HalfStorage", "BFloat16Storage", "FloatStorage",
        "DoubleStorage", "ComplexFloatStorage", "ComplexDoubleStorage", "QInt8Storage", "QUInt8Storage", "QInt32Storage",
    ), "storage"),
    **dict.fromkeys(("Code", "parse_ir", "parse_schema"), "_introspection"),
    **dict.fromkeys(("merge_type_from_type_comment", "parse_type_comment"), "jit._syntax_tree"),
    **dict.fromkeys(("_amp_foreach_non_finite_check_and_unscale_", "_amp_update_scale_"), "_amp_operators"),
    **dict.fromkeys(("_disable_dynamo", "set_vital"), "_marks"),
    "matrix_rank": "_removed",
    "Event": "_streams",
    "GradScaler": "amp",
    "ParameterDict": "nn",
    **dict.fromkeys((
        "sparse_coo_tensor", "sparse_csr_tensor", "sparse_csc_tensor", "sparse_bsr_tensor", "sparse_bsc_tensor", "sparse_compressed_tensor",
        "hspmm", "hsmm", "smm", "spmm", "dsmm", "sspaddmm", "saddmm",
    ), "_sparse_tensors"),
}
# What `amp` has for this module.
_AUTOCAST = frozenset((
    "autocast", "autocast_decrement_nesting", "autocast_increment_nesting", "clear_autocast_cache", "get_autocast_cpu_dtype",
    "get_autocast_dtype", "get_autocast_gpu_dtype", "is_autocast_cache_enabled", "is_autocast_cpu_enabled",
    "is_autocast_enabled", "set_autocast_cache_enabled", "set_autocast_cpu_dtype", "set_autocast_cpu_enabled",
    "set_autocast_dtype", "set_autocast_enabled", "set_autocast_gpu_dtype",
))
# Operators that have another name here.
_OTHER_NAMES = {"_segment_reduce": "segment_reduce"}
# Old names for what the library was built with, and the questions to ask instead.
_BUILT_WITH = {
    "has_cuda": "cuda.is_built", "has_cudnn": "cudnn.is_available", "has_mkldnn": "mkldnn.is_available", "has_mps": "mps.is_built",
}  # fmt: skip
# Functions of quantized numbers that are no operators here.
_QUANTIZING = frozenset((
    "_empty_affine_quantized", "_empty_per_channel_affine_quantized", "_fused_moving_avg_obs_fq_helper",
    "empty_quantized", "fake_quantize_per_channel_affine", "fake_quantize_per_tensor_affine", "fused_moving_avg_obs_fake_quant",
    "quantized_batch_norm", "quantized_max_pool1d", "quantized_max_pool2d", "quantized_max_pool3d",
))


def __getattr__(name):
    """An operator under its own name: ``torch.add`` is ``aten::add``."""
    if name == "__all__":
        import sys

        from ._introspection import public_names

        return public_names(__dir__(), _LAZY, lambda each: getattr(sys.modules[__name__], each))
    if name.startswith("__") and name not in _LAZY:
        raise AttributeError(name)
    if name in _ELSEWHERE:
        from importlib import import_module

        found = globals()[name] = getattr(import_module("." + _ELSEWHERE[name], __package__), name)
        return found
    if name in ("save", "load", "serialization"):
        # Pickles are loaded when they are first asked for.
        from importlib import import_module

        serialization = import_module(".serialization", __package__)
        return serialization if name == "serialization" else getattr(serialization, name)
    if name in _AUTOCAST:
        from .amp import autocast_mode

        found = globals()[name] = getattr(autocast_mode, name)
        return found
    if name in _BUILT_WITH:
        question = _BUILT_WITH[name]
        _warnings.warn(f"'{name}' is deprecated, please use 'torch.backends.{question}()'", stacklevel=2)
        module, _, question = question.partition(".")
        return getattr(getattr(backends, module), question)()
    if name in _QUANTIZING:
        from . import _quantizing

        found = globals()[name] = getattr(_quantizing, name)
        return found
    if name == "OutOfMemoryError":
        from .cuda import OutOfMemoryError

        return OutOfMemoryError
    if name == "set_anomaly_enabled":
        from .autograd.anomaly_mode import set_anomaly_enabled

        return set_anomaly_enabled
    if name in ("is_anomaly_enabled", "is_anomaly_check_nan_enabled"):
        return getattr(autograd, name)
    if name == "vmap":
        from .func import vmap

        return vmap
    if name in _LAZY:
        from importlib import import_module

        return import_module("." + name, __package__)
    if name[0].isupper():
        # Classes of `torch._C` are known here too.
        from . import _introspection

        if name == "ScriptModule":
            from .jit import ScriptModule as found
        elif name == "Future":
            from .futures import Future as found
        else:
            found = _introspection.lookup(name)
        if found is None:
            raise AttributeError(f"module 'torch' has no attribute '{name}'")
        return found
    from ._methods_only import NAMES

    operator = "aten::" + _OTHER_NAMES.get(name, name)
    if name in NAMES or not _rushlight.has_operator(operator):
        raise AttributeError(f"module 'torch' has no attribute '{name}'")
    # Kept, so that the next look-up need not come here.
    found = globals()[name] = _rushlight.Builtin(operator, "torch." + name)
    return found


def __dir__():
    from ._introspection import names_of

    return names_of(globals(), (*_ELSEWHERE, *_LAZY, *_AUTOCAST, *_QUANTIZING))


def install_as_torch():
    """Makes ``import torch`` in this process find this package."""
    from ._alias import install

    install()


_old_methods.name_in_full()
_noticing.install()

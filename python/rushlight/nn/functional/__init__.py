"""``torch.nn.functional``: a file per family, operators under their names, and what is missing by name.

The same source runs in Python and is compiled when a script calls it (see ``docs/standard-library.md``).
"""

from ... import _rushlight
from ..._jit_internal import boolean_dispatch  # noqa: F401
from ...overrides import has_torch_function, has_torch_function_unary, has_torch_function_variadic  # noqa: F401
from .. import _reduction as _Reduction  # noqa: F401
from ._activation import *  # noqa: F401,F403
from ._activation import _threshold  # noqa: F401
from ._grouped import grouped_mm  # noqa: F401
from ._attention import multi_head_attention_forward  # noqa: F401
from ._dropout import *  # noqa: F401,F403
from ._loss import *  # noqa: F401,F403
from ._norm import *  # noqa: F401,F403
from ._pool import *  # noqa: F401,F403
from ._resize import *  # noqa: F401,F403
from ._sparse import *  # noqa: F401,F403

# Names that are operators, by the namespace that the reference keeps them in.
_OPERATORS = {
    "torch": """
        adaptive_avg_pool1d avg_pool1d bilinear celu_ channel_shuffle conv1d conv2d conv3d conv_tbc conv_transpose1d
        conv_transpose2d conv_transpose3d cosine_similarity hardshrink native_channel_shuffle pairwise_distance pdist
        pixel_shuffle pixel_unshuffle prelu relu_ rrelu_ selu_ threshold_
    """,
    "torch._C._nn": """
        avg_pool2d avg_pool3d elu_ gelu hardtanh_ leaky_relu_ linear one_hot scaled_dot_product_attention
        softplus softshrink
    """,
}
for _namespace, _names in _OPERATORS.items():
    for _name in _names.split():
        globals()[_name] = _rushlight.Builtin("aten::" + _name, f"{_namespace}.{_name}")
logsigmoid = _rushlight.Builtin("aten::log_sigmoid", "torch._C._nn.log_sigmoid")


def assert_int_or_pair(arg: list[int], arg_name: str, message: str) -> None:
    """Refuses what is neither a number nor two."""
    assert isinstance(arg, int) or len(arg) == 2, message.format(arg_name)


_ABSENT = "scaled_addmm scaled_addmm_ scaled_grouped_mm scaled_mm".split()


def __getattr__(name):
    if (name.startswith("_") and not name.startswith("__") and name != "_private") or name.startswith("GRID"):
        from importlib import import_module

        _private = import_module("._private", __package__)
        if name in _private.NAMES:
            return getattr(_private, name)
    if name == "linear_cross_entropy":
        from ._linear_loss import linear_cross_entropy as found

        globals()[name] = found
        return found
    if name in _ABSENT:
        raise AttributeError(f"torch.nn.functional.{name} is not supported by this version of Rushlight")
    raise AttributeError(f"module 'torch.nn.functional' has no attribute '{name}'")

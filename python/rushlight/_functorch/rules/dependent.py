"""Operators that cannot be called for samples, because what they give has no tensor's form or no certain size."""

from .._batched import _NO_BRANCH, _NO_ITEM
from ._common import Batched, batched_at, refuse, rule


def _refusing(message, *names):
    def refused(level, call, args, kwargs):
        refuse(message)

    rule(*names)(refused)


_refusing(_NO_ITEM, "item", "_local_scalar_dense", "Int", "Float", "IntImplicit", "FloatImplicit", "ScalarImplicit")
_refusing("Batching rule not implemented for aten::equal. We could not generate a fallback.", "equal")
_refusing(
    "vmap over torch.allclose isn't supported yet. Please file an issue at https://github.com/pytorch/pytorch/issues if you need this "
    "feature.",
    "allclose",
)
_refusing(_NO_BRANCH, "Bool", "is_nonzero")
_refusing(
    "vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support this because for each batch this would "
    "return a differently shaped Tensor. Please file an issue at https://github.com/pytorch/pytorch/issues if you need this feature.",
    "masked_select",
)
for _name, _shown in {
    "nonzero": "nonzero", "nonzero_numpy": "nonzero", "argwhere": "nonzero", "_unique2": "_unique2", "unique_dim": "unique_dim",
    "unique_consecutive": "unique_consecutive", "unique_dim_consecutive": "unique_dim_consecutive",
}.items():
    _refusing(
        "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over "
        f"aten::{_shown}. Please file an issue at https://github.com/pytorch/pytorch/issues if you need this feature.",
        _name,
    )


def _stand_in(obj, level):
    """A tensor with the sizes of a sample, for questions about these."""
    if batched_at(obj, level):
        return obj.value.detach().new_empty(obj.shape) if type(obj.value) is not Batched else obj.value.detach().select(obj.bdim, 0)
    if isinstance(obj, (list, tuple)):
        return type(obj)([_stand_in(o, level) for o in obj])
    return obj


@rule(
    "is_floating_point", "is_complex", "is_signed", "is_same_size", "result_type", "promote_types", "is_conj", "is_neg", "get_device",
    "element_size", "is_contiguous", "dim", "numel", "size", "is_inference", "is_distributed", "storage_offset", "broadcast_shapes",
    "_infer_size",
)
def questions(level, call, args, kwargs):
    """What the sizes and dtypes alone decide."""
    args = [_stand_in(a, level) for a in args]
    return call(*args, **{k: _stand_in(v, level) for k, v in kwargs.items()})


@rule("is_contiguous")
def is_contiguous(level, call, args, kwargs):
    """Whether the elements of a sample follow one another."""
    sizes, strides = args[0].shape, args[0].stride()
    expected = 1
    for size, stride in zip(reversed(sizes), reversed(strides)):
        if size != 1 and stride != expected:
            return False
        expected *= size
    return True

"""``torch.jit.annotations``: what annotations mean, and the names that they are written with."""

from typing import Any, Dict, List, Optional, Tuple, Union  # noqa: F401

from .. import _introspection
from .._jit_internal import BroadcastingList1, BroadcastingList2, BroadcastingList3  # noqa: F401
from .._rushlight import Tensor  # noqa: F401
from ..futures import Future  # noqa: F401

for _name in (
    "AnyType", "AwaitType", "BoolType", "ComplexType", "DeviceObjType", "DictType", "EnumType", "FloatType", "FutureType",
    "IntType", "InterfaceType", "ListType", "NoneType", "NumberType", "OptionalType", "RRefType", "StreamObjType", "StringType",
    "TensorType", "TupleType", "UnionType",
):  # fmt: skip
    globals()[_name] = getattr(_introspection, _name)

"""How collectives put the tensors of several members together."""

import enum

from ._store import refuse_arguments

__all__ = ["ReduceOp", "reduce_op"]


class RedOpType(enum.Enum):
    """The ways to reduce."""

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7
    PREMUL_SUM = 8


class ReduceOp:
    """A way to reduce: ``ReduceOp.SUM``, ``AVG``, ``PRODUCT``, ``MIN``, ``MAX``, ``BAND``, ``BOR``, ``BXOR``."""

    RedOpType = RedOpType
    SUM, AVG, PRODUCT, MIN, MAX = RedOpType.SUM, RedOpType.AVG, RedOpType.PRODUCT, RedOpType.MIN, RedOpType.MAX
    BAND, BOR, BXOR, PREMUL_SUM = RedOpType.BAND, RedOpType.BOR, RedOpType.BXOR, RedOpType.PREMUL_SUM

    def __init__(self, op):
        self.op = op.op if isinstance(op, ReduceOp) else RedOpType(op)

    def __eq__(self, other):
        return self.op == (other.op if isinstance(other, ReduceOp) else other)

    def __hash__(self):
        return hash(self.op)


class _Names:
    """The names of ``ReduceOp`` as PyTorch 1.0 had them."""

    def __getattr__(self, name):
        import warnings

        if name not in RedOpType.__members__:
            raise AttributeError(f"'reduce_op' object has no attribute '{name}'")
        warnings.warn(
            "`torch.distributed.reduce_op` is deprecated, please use `torch.distributed.ReduceOp` instead",
            FutureWarning,
            stacklevel=2,
        )
        return RedOpType[name]


reduce_op = _Names()
RedOpType.__module__ = ReduceOp.__module__ = "torch.distributed.distributed_c10d"

_C = "torch._C._distributed_c10d"


class _Options:
    """What a collective is asked for besides its tensors."""

    def __init__(self):
        self.rootRank = self.rootTensor = 0  # noqa: N815  the reference's names
        self.reduceOp = RedOpType.SUM  # noqa: N815
        self.asyncOp = True  # noqa: N815
        self.timeout = None


def _options(name):
    kind = type(name, (_Options,), {"__doc__": f"Options of a collective: {name}."})
    kind.__module__ = _C
    return kind


AllreduceOptions, ReduceOptions, ReduceScatterOptions = (
    _options(name) for name in ("AllreduceOptions", "ReduceOptions", "ReduceScatterOptions")
)
AllreduceCoalescedOptions, BroadcastOptions, ScatterOptions, GatherOptions, BarrierOptions, AllToAllOptions = (
    _options(name)
    for name in (
        "AllreduceCoalescedOptions", "BroadcastOptions", "ScatterOptions", "GatherOptions", "BarrierOptions",
        "AllToAllOptions",
    )
)


def kind_of(op, options=AllreduceOptions):
    """The :class:`RedOpType` of what a program gives; a refusal of all else."""
    kind = op.op if isinstance(op, ReduceOp) else op
    if not isinstance(kind, RedOpType) or kind is RedOpType.PREMUL_SUM:
        signature = f"(self: {_C}.{options.__name__}, arg0: {_C}.ReduceOp) -> None"
        refuse_arguments("", [signature], (options(), op))
    return kind

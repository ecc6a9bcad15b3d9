"""A part of ``torch.distributed.checkpoint`` that programs import: nothing of it works here, and each says so."""

from . import LoadPlan, LoadPlanner, ReadItem, SavePlan, SavePlanner, WriteItem  # noqa: F401

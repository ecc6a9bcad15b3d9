"""``torch.distributed.pipelining``: modules in stages on several machines, which are not part of this version."""

import enum

from ..._absent import refuse, refuse_classes


class SplitPoint(enum.Enum):
    """Where a stage ends."""

    BEGINNING = 1
    END = 2


def _why(name):
    return f"torch.distributed.pipelining.{name}: modules in stages on several machines are not part of Rushlight"


refuse(globals(), (
    "pipeline", "pipe_split", "build_stage",
), NotImplementedError, _why)
refuse_classes(globals(), (
    "Pipe", "PipelineStage", "Schedule1F1B", "ScheduleGPipe",
    "ScheduleInterleaved1F1B", "ScheduleLoopedBFS", "ScheduleInterleavedZeroBubble", "ScheduleZBVZeroBubble",
    "ScheduleDualPipeV",
), NotImplementedError, _why)

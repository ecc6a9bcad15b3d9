"""Members with fewer batches than others: who has come to the end takes part in what the others do, with nothing of its own."""

import rushlight as torch

from ...distributed._reduce_op import RedOpType


class Joining:
    """The ``with`` of ``DistributedDataParallel.join``.

    Args:
        module: the module that is trained.
        by_all: whether gradients are divided by the number of all members, or of those that still have batches.
        strict: whether the end of one is an error for all.
    """

    def __init__(self, module, by_all, strict):
        self.module, self.by_all, self.strict = module, by_all, strict
        self.group = module.process_group

    def __enter__(self):
        self.module._joining = self
        return self

    def __exit__(self, kind, *_):
        try:
            if kind is None:
                self._shadow()
        finally:
            self.module._joining = None
            self.module.reducer.divisor = self.group.size()

    def _sum(self, value, op=RedOpType.SUM):
        total = torch.tensor([value])
        self.group.allreduce([total], op, now=True)
        return int(total)

    def _source(self, present):
        """The last member that still has batches: its buffers hold."""
        return self._sum(self.group.rank() if present else -1, RedOpType.MAX)

    def before_call(self):
        """What a member does before each call: it tells that it is there. The member whose buffers hold."""
        active = self._sum(1)
        if self.strict and active < self.group.size():
            raise RuntimeError("Detected at least one rank that exhausted inputs. Throwing across all ranks.")
        self.module.reducer.divisor = self.group.size() if self.by_all else active
        source = self._source(True) if self.module.will_sync_module_buffers() else 0
        return source

    def tell_sync(self, travels):
        """Says whether gradients of this call travel."""
        self._sum(int(travels))

    def _shadow(self):
        module, last = self.module, True
        while self._sum(0):
            last = False
            if self.strict:
                raise RuntimeError(f"Rank {self.group.rank()} exhausted all inputs.")
            if module.will_sync_module_buffers():
                module._sync_buffers(self._source(False))
            if self._sum(0):
                module.reducer.shadow()
                module.require_forward_param_sync = True
            else:
                module.require_forward_param_sync = False
        # All have what the last one has come to.
        module._sync_everything(self._source(last))

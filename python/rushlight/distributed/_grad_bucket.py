"""What the hooks of ``DistributedDataParallel`` are given: gradients that travel together."""

__all__ = ["GradBucket"]


class GradBucket:
    """Gradients of some parameters in one row."""

    def __init__(self, index, row, parameters, last):
        self._index, self._row, self._parameters, self._last = index, row, parameters, last

    def index(self):
        """The number of the bucket, in the order in which they become ready."""
        return self._index

    def buffer(self):
        """All the elements in one row."""
        return self._row

    def set_buffer(self, tensor):
        """Replaces the row."""
        self._row = tensor

    def parameters(self):
        """The parameters whose gradients these are."""
        return list(self._parameters)

    def gradients(self):
        """The gradients in their shapes, over the memory of the row."""
        return list(parts(self._row, self._parameters))

    def is_last(self):
        """Whether no other bucket comes after this one."""
        return self._last


def parts(row, parameters):
    """The parts of a row in the shapes of parameters."""
    at = 0
    for parameter in parameters:
        yield row[at : at + parameter.numel()].view(parameter.shape)
        at += parameter.numel()


GradBucket.__module__ = "torch._C._distributed_c10d"

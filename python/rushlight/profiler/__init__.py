"""``torch.profiler``: marks for profilers."""

from ..autograd.profiler import record_function

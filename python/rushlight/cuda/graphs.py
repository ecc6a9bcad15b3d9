"""``torch.cuda.graphs``: where recorded work of devices lives."""

from . import CUDAGraph, graph, graph_pool_handle, is_current_stream_capturing, make_graphed_callables  # noqa: F401

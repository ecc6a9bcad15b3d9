"""``torch.fx.experimental.rewriter``: records asserts by writing functions anew."""

from .._symbolic_trace import Tracer


class RewritingTracer(Tracer):
    """Records ``assert`` as a node."""

    trace_asserts = True

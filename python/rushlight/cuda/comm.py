"""``torch.cuda.comm``: tensors that go to several devices and come from them. There are none: calls say so."""

from . import _NO_DRIVER
from .._absent import refuse

refuse(globals(), (
    "broadcast", "broadcast_coalesced", "gather", "reduce_add", "reduce_add_coalesced", "scatter",
), RuntimeError, _NO_DRIVER)

"""``torch._inductor``: switches of a compiler that is not part of Rushlight."""

from .._absent import refuse
from . import config  # noqa: F401


def cudagraph_mark_step_begin():
    """Nothing: there are no graphs of devices."""


refuse(globals(), ("aoti_compile_and_package", "aoti_load_package", "aot_compile", "compile"), NotImplementedError, lambda name: (
    f"torch._inductor.{name} is not part of Rushlight: TorchScript archives (torch.jit.save) are what programs are shipped as"
))

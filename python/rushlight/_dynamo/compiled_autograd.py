"""``torch._dynamo.compiled_autograd``: runs for gradients that are compiled, which is not part of this version."""

from .._absent import refuse

compiled_autograd_enabled = False
in_compiled_autograd_region = False

refuse(globals(), ("_enable", "enable_compiler"), NotImplementedError, lambda name: (
    f"torch._dynamo.compiled_autograd.{name}: nothing is compiled in Rushlight; gradients run as they are recorded"
))

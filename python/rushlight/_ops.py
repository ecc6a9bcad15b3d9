"""``torch._ops``: where ``torch.ops`` lives."""

from ._namespaces import NAMESPACES

ops = NAMESPACES["ops"]


def __getattr__(name):
    if name in ("OpOverload", "OpOverloadPacket"):
        from ._custom import operators

        return getattr(operators, name)
    if name == "_OpNamespace":
        from ._namespaces import Namespace

        return Namespace
    raise AttributeError(f"module 'torch._ops' has no attribute '{name}'")

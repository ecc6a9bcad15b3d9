"""``torch._ops``: where ``torch.ops`` lives."""

from ._namespaces import NAMESPACES

ops = NAMESPACES["ops"]

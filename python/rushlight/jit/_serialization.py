"""``torch.jit._serialization``: where ``save`` and ``load`` live."""

from ._internal_names import validate_map_location  # noqa: F401
from ._load import load  # noqa: F401
from ._save import save  # noqa: F401

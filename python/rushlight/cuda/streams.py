"""``torch.cuda.streams``: where streams and events of devices live."""

from . import Event, Stream  # noqa: F401

"""``torch.nn.qat``: the old name of ``torch.ao.nn.qat``."""

from ..._moved import settle

settle(globals(), "ao.nn.qat", (
    "modules", "modules.conv", "modules.embedding_ops", "modules.linear", "dynamic", "dynamic.modules", "dynamic.modules.linear",
))

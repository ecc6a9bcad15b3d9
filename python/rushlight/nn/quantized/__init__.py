"""``torch.nn.quantized``: the old name of ``torch.ao.nn.quantized``."""

from ..._moved import settle

settle(globals(), "ao.nn.quantized", (
    "functional", "modules", "modules.activation", "modules.batchnorm", "modules.conv", "modules.dropout", "modules.embedding_ops",
    "modules.functional_modules", "modules.linear", "modules.normalization", "modules.rnn", "modules.utils", "dynamic",
    "dynamic.modules", "dynamic.modules.conv", "dynamic.modules.linear", "dynamic.modules.rnn",
))

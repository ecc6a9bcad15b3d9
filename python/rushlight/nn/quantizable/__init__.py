"""``torch.nn.quantizable``: the old name of ``torch.ao.nn.quantizable``."""

from ..._moved import settle

settle(globals(), "ao.nn.quantizable", ("modules", "modules.activation", "modules.rnn"))

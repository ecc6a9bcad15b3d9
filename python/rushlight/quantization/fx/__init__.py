"""``torch.quantization.fx``: the old name of ``torch.ao.quantization.fx``."""

from ..._moved import settle

settle(globals(), "ao.quantization.fx", ("convert", "fuse", "graph_module", "match_utils", "prepare", "utils"))

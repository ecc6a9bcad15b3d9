"""``torch.nn.intrinsic``: the old name of ``torch.ao.nn.intrinsic``."""

from ..._moved import settle

settle(globals(), "ao.nn.intrinsic", (
    "modules", "modules.fused", "qat", "qat.modules", "qat.modules.conv_fused", "qat.modules.linear_fused",
    "qat.modules.linear_relu", "quantized", "quantized.modules", "quantized.modules.bn_relu", "quantized.modules.conv_relu",
    "quantized.modules.linear_relu", "quantized.dynamic", "quantized.dynamic.modules", "quantized.dynamic.modules.linear_relu",
))

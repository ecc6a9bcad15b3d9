"""``torch.quantization``: the old name of ``torch.ao.quantization``."""

from .._moved import settle

settle(globals(), "ao.quantization", (
    "fake_quantize", "fuse_modules", "fuser_method_mappings", "observer", "qconfig", "quant_type", "quantization_mappings",
    "quantize", "quantize_fx", "quantize_jit", "stubs", "utils",
))


def default_eval_fn(model, calib_data):
    """Runs a model over the inputs of pairs of inputs and targets."""
    for data, _ in calib_data:
        model(data)

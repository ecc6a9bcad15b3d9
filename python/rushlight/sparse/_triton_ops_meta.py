"""Settings of sparse products for certain devices, of which there are none."""

from .._absent import refuse


def get_meta(op, key, device_name=None, version=(0, "float16", 0.5), exact=False):
    """What is known to be fast for sizes on a device: nothing."""
    return None


refuse(globals(), ("minimize", "update", "dump", "tune_bsr_dense_addmm", "optimize_bsr_dense_addmm", "optimize_scatter_mm"), NotImplementedError,
       lambda name: f"torch.sparse._triton_ops_meta.{name}: there is no device to measure on")

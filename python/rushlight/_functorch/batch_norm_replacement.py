"""Batch normalisation that keeps no statistics, which cannot be written under ``vmap``."""

from ..nn.modules.batchnorm import _BatchNorm


def batch_norm_without_running_stats(module):
    """Takes the statistics away from a module of batch normalisation."""
    if isinstance(module, _BatchNorm) and module.track_running_stats:
        module.running_mean = None
        module.running_var = None
        module.num_batches_tracked = None
        module.track_running_stats = False


def replace_all_batch_norm_modules_(root):
    """Takes the statistics away from all batch normalisation in a module, in place, and returns the module."""
    batch_norm_without_running_stats(root)
    for module in root.modules():
        batch_norm_without_running_stats(module)
    return root

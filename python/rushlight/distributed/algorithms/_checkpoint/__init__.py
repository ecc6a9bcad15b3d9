"""``torch.distributed.algorithms._checkpoint``: modules that keep no intermediate values."""

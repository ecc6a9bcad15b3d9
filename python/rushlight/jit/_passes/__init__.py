"""``torch.jit._passes``: passes that are Python."""

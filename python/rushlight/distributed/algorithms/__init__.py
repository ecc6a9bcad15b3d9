"""``torch.distributed.algorithms``: hooks for gradients on their way."""

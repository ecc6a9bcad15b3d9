"""``torch.distributed.elastic``: what is told of processes that have failed."""

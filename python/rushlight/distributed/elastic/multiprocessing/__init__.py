"""``torch.distributed.elastic.multiprocessing``: failures of processes are in ``errors``."""

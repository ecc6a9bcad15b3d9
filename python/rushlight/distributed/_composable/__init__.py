"""Where programs look for what divides modules between processes, see :mod:`rushlight.distributed.fsdp`."""

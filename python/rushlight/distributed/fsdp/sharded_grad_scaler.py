"""Scaled gradients of divided modules, which are none: on one CPU the scaler is that of whole modules."""

from ...amp import GradScaler


class ShardedGradScaler(GradScaler):
    """:class:`rushlight.amp.GradScaler`, whose finding of a gradient that is not finite counts for all processes of a group.

    Raises:
        NotImplementedError: for a group of several processes; nothing is divided among them here.
    """

    def __init__(
        self, device="cuda", init_scale=2.0**16, backoff_factor=0.5, growth_factor=2.0, growth_interval=2000, enabled=True, process_group=None
    ):
        if process_group is not None and process_group.size() > 1 and enabled:
            raise NotImplementedError("ShardedGradScaler: parameters divided between processes are not part of Rushlight")
        super().__init__(device, init_scale, growth_factor, backoff_factor, growth_interval, enabled)
        self.process_group = process_group

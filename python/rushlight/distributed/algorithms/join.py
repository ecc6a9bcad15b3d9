"""``torch.distributed.algorithms.join``: members with inputs of different numbers. Entering it raises."""


class JoinHook:
    """What a member does after its last input."""

    def main_hook(self):
        """While others go on."""

    def post_hook(self, is_last_joiner):
        """When all are done."""


class Joinable:
    """What can take part."""


class Join:
    """Lets members with fewer inputs take part. Not part of this version: entering it raises ``NotImplementedError``."""

    def __init__(self, joinables, enable=True, throw_on_early_termination=False, **kwargs):
        self._enable = enable

    def __enter__(self):
        if self._enable:
            raise NotImplementedError("torch.distributed.algorithms.join.Join is not part of Rushlight")

    def __exit__(self, *_):
        return None

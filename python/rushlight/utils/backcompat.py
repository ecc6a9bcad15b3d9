"""``torch.utils.backcompat``: whether to warn of what old programs meant otherwise. Nothing here means that any longer."""


class Warning:  # noqa: A001  the reference's name
    """Whether a warning is given."""

    def __init__(self, name):
        self._name, self._enabled = name, False

    def set_enabled(self, value):
        """Says whether it is given."""
        if not isinstance(value, bool):
            raise RuntimeError(f"set_backcompat_{self._name}_warn expects a bool, but got {type(value).__name__}")
        self._enabled = value

    def get_enabled(self):
        """Whether it is given."""
        return self._enabled

    enabled = property(get_enabled, set_enabled)


broadcast_warning = Warning("broadcast")
keepdim_warning = Warning("keepdim")

"""``torch.jit._logging``: counters of scripts. Nothing is counted: programs that count run unchanged."""


def add_stat_value(key, value):
    """Adds to a counter."""


def set_logger(logger):
    """Chooses who counts; returns the one before."""
    return None


add_stat_value._rushlight_path = "torch.jit._logging.add_stat_value"

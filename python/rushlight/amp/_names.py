"""Earlier names of what is in ``torch.amp``."""

import warnings


def renamed(device, name):
    """Warns that a class is asked for by its earlier name; the warning is where the class is made."""
    text = f"`torch.{device}.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}('{device}', args...)` instead."
    warnings.warn(text, FutureWarning, stacklevel=3)


def function_renamed(name, device):
    """Warns that a function is called by its earlier name; the warning is where it is called."""
    text = f"`torch.{device}.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}(args..., device_type='{device}')` instead."
    warnings.warn(text, FutureWarning, stacklevel=3)

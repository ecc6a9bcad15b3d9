"""``torch.__future__``: how modules are converted. The switches are kept and read; conversion is the same for all."""

_switches = {"overwrite": False, "swap": False}


def set_overwrite_module_params_on_conversion(value):
    """Whether conversion gives modules new parameters."""
    _switches["overwrite"] = value


def get_overwrite_module_params_on_conversion():
    """What was set."""
    return _switches["overwrite"]


def set_swap_module_params_on_conversion(value):
    """Whether conversion exchanges what parameters hold."""
    _switches["swap"] = value


def get_swap_module_params_on_conversion():
    """What was set."""
    return _switches["swap"]

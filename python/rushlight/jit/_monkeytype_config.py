"""``torch.jit._monkeytype_config``: whether scripts take types from example inputs, as they do where MonkeyType is installed."""

from importlib.util import find_spec


def _is_installed():
    try:
        return find_spec("monkeytype") is not None
    except ValueError:
        return True


_IS_MONKEYTYPE_INSTALLED = _is_installed()

"""``torch.jit._monkeytype_config``: whether scripts can take types from example inputs. Here they always can."""

_IS_MONKEYTYPE_INSTALLED = True

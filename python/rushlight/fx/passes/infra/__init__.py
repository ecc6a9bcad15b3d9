"""``torch.fx.passes.infra``: passes as objects, and who runs them."""

from . import pass_manager  # noqa: F401

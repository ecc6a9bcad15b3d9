"""``torch.fx.experimental.proxy_tensor``: graphs of the operators below differentiation, which cannot be recorded here."""

__all__ = ["make_fx", "get_proxy_mode"]


def get_proxy_mode():
    """The recording that is going on: None."""
    return None


def make_fx(f, decomposition_table=None, tracing_mode="real", *args, **kwargs):
    """Refuses: operators here do not pass through a place below differentiation where they could be seen.

    Raises ``NotImplementedError``. :func:`torch.fx.symbolic_trace` records functions of the library, ``torch.jit.trace`` the
    operators that run.
    """
    raise NotImplementedError(
        "torch.fx.experimental.proxy_tensor.make_fx records what operators are made of (__torch_dispatch__), which Rushlight "
        "does not show; use torch.fx.symbolic_trace or torch.jit.trace"
    )

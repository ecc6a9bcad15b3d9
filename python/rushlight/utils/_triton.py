"""``torch.utils._triton``: whether there is a compiler for devices. There is none."""


def has_triton_package():
    """Whether it can be used: no."""
    return False


def has_triton():
    """Whether it can be used: no."""
    return False


has_triton_tma = has_triton_tma_device = has_triton_experimental_host_tma = has_triton

"""``torch._guards``: what a compiler would take for granted. Programs ask for the mode of tensors without elements."""


def detect_fake_mode(inputs=None):
    """The mode that makes tensors without elements, of the first of some arguments that is one, or that is on; None without."""
    import sys

    # No such mode has been made where its module is not loaded.
    fakes = sys.modules.get(__package__ + "._subclasses.fake_tensor")
    if fakes is None:
        return None
    from .utils._python_dispatch import _get_current_dispatch_mode_stack
    from .utils._pytree import tree_leaves

    for mode in reversed(_get_current_dispatch_mode_stack()):
        if isinstance(mode, fakes.FakeTensorMode):
            return mode
    for leaf in tree_leaves(inputs):
        if isinstance(leaf, fakes.FakeTensor):
            return leaf.fake_mode
    return None

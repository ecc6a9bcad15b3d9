"""``torch.fx._compatibility``: says of functions whether they stay as they are."""


def compatibility(is_backward_compatible):
    """Marks a function or class; returns a decorator that changes nothing else."""

    def mark(fn):
        fn._backward_compatible = is_backward_compatible
        return fn

    return mark

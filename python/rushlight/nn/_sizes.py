"""Sizes as programs give them, one number or one for each dimension, made into lists."""


def repeated(x, n):
    """A list of ``n`` sizes from one size or a sequence; None stays None."""
    if x is None:
        return None
    return [x] * n if isinstance(x, (int, float)) else list(x)


def filled(output_size, sizes):
    """``output_size`` with the sizes of the input where it says None."""
    if isinstance(output_size, int):
        return output_size
    if len(sizes) <= len(output_size):
        raise ValueError(f"Input dimension should be at least {len(output_size) + 1}")
    return [ours if ours is not None else theirs for ours, theirs in zip(output_size, sizes[-len(output_size) :])]

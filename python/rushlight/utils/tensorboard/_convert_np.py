"""What programs give to be written, as arrays."""

import numpy as np

from ... import Tensor, bfloat16


def make_np(x):
    """A number, an array or a tensor as an array."""
    if isinstance(x, np.ndarray):
        return x
    if np.isscalar(x):
        return np.array([x])
    if isinstance(x, Tensor):
        x = x.detach().cpu()
        return (x.float() if x.dtype == bfloat16 else x).numpy()
    raise NotImplementedError(f"Got {type(x)}, but numpy array or torch tensor are expected.")

"""``torch.quasirandom``: points that fill a cube evenly. Their direction numbers are not part of this version."""


class SobolEngine:
    """Sobol's sequence. Not part of this version: making one raises ``NotImplementedError``."""

    MAXBIT = 30
    MAXDIM = 21201

    def __init__(self, dimension, scramble=False, seed=None):
        raise NotImplementedError("torch.quasirandom.SobolEngine is not part of Rushlight; scipy.stats.qmc.Sobol draws such points")

"""``torch.utils.flop_counter``: counts the work of operators, which needs a mode that sees them; entering it raises."""

from ._python_dispatch import TorchDispatchMode

flop_registry = {}


def register_flop_formula(targets, get_raw=False):
    """Remembers how much work an operator is."""

    def register(formula):
        for target in targets if isinstance(targets, (list, tuple)) else [targets]:
            flop_registry[target] = formula
        return formula

    return register


class FlopCounterMode(TorchDispatchMode):
    """Counts the work of operators. Not part of this version: entering it raises ``NotImplementedError``."""

    def __init__(self, mods=None, depth=2, display=True, custom_mapping=None):
        super().__init__()

"""``torch.ops.load_library``: compiled libraries of other projects, whose operators this package has itself.

Such libraries are built against PyTorch and cannot be loaded. Two are known; of any other, loading raises ``OSError``.
"""

import os
from importlib import import_module

# What stands in for a library: a part of its path, the beginning of its name, the module here with its operators.
_KNOWN = (
    ("torchvision", "_C", "torchvision"),
    ("torchaudio", "_torchaudio", "torchaudio"),
    ("torchaudio", "libtorchaudio", "torchaudio"),
)


def load_library(path):
    """Makes the operators of a library known: those of torchvision and torchaudio; raises ``OSError`` for others."""
    path = os.path.realpath(path)
    name = os.path.basename(path)
    for folder, beginning, module in _KNOWN:
        if folder in path.split(os.sep) and name.startswith(beginning):
            import_module("." + module, __package__).register()
            return
    if not os.path.exists(path):
        raise OSError(f"Could not load this library: {path}")
    raise OSError(f"Could not load this library: {path} (libraries of operators compiled for PyTorch cannot be loaded here)")

"""``torch.optim``: optimisers and schedules of their learning rates."""

from . import lr_scheduler
from ._adafactor import Adafactor
from ._adaptive import ASGD, Adadelta, Adagrad, RMSprop, Rprop
from ._base import Optimizer
from ._lbfgs import LBFGS
from ._moments import Adam, Adamax, AdamW, NAdam, RAdam
from ._muon import Muon
from ._sgd import SGD
from ._sparse_adam import SparseAdam

__all__ = [
    "ASGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "LBFGS",
    "Muon",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "SGD",
    "SparseAdam",
    "lr_scheduler",
]


# Modules that are loaded when they are first asked for.
_LAZY = frozenset((
    "_functional", "_multi_tensor", "adadelta", "adagrad", "adam", "adamax", "adamw", "asgd", "lbfgs", "nadam", "optimizer", "radam", "rmsprop", "rprop", "sgd",
    "sparse_adam", "swa_utils",
))


def __getattr__(name):
    if name in _LAZY:
        from importlib import import_module

        return import_module("." + name, __package__)
    raise AttributeError(f"module 'torch.optim' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *_LAZY})

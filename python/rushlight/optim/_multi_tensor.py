"""``torch.optim._multi_tensor``: the optimizers, told to step all parameters at once (``foreach``)."""

import functools

import rushlight.optim as optim


def _all_at_once(cls):
    class NewCls(cls):
        """An optimizer that steps all parameters at once."""

        __init__ = functools.partialmethod(cls.__init__, foreach=True)

    return NewCls


for _name in ("ASGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "RMSprop", "Rprop", "SGD"):
    globals()[_name] = _all_at_once(getattr(optim, _name))

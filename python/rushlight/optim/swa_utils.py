"""``torch.optim.swa_utils``: averages of a model's weights along training."""

import copy
import math

from .. import long, no_grad, tensor
from ..nn import Module
from ..nn.modules.batchnorm import _BatchNorm
from ._base import Optimizer
from .lr_scheduler import LRScheduler

__all__ = [
    "AveragedModel", "SWALR", "get_ema_avg_fn", "get_ema_multi_avg_fn", "get_swa_avg_fn", "get_swa_multi_avg_fn", "update_bn",
]


def _check_decay(decay):
    if not 0.0 <= decay <= 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def get_ema_multi_avg_fn(decay=0.999):
    """Moves all averages towards the weights, exponentially."""
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param_list, current_param_list, _):
        for average, current in zip(ema_param_list, current_param_list):
            if average.is_floating_point() or average.is_complex():
                average.lerp_(current, 1 - decay)
            else:
                average.copy_(average * decay + current * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn():
    """Takes the weights into averages with equal parts."""

    @no_grad()
    def swa_update(averaged_param_list, current_param_list, num_averaged):
        for average, current in zip(averaged_param_list, current_param_list):
            average.copy_(average + (current - average) / (num_averaged + 1))

    return swa_update


def get_ema_avg_fn(decay=0.999):
    """Moves one average towards the weights, exponentially."""
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param, current_param, num_averaged):
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn():
    """Takes the weights into one average with equal parts."""

    @no_grad()
    def swa_update(averaged_param, current_param, num_averaged):
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


class AveragedModel(Module):
    """A copy of a model whose weights are the average of those it is shown.

    Args:
        model: what is averaged.
        device: where the copy is.
        avg_fn: makes the new average of the old one, the weights and how many were averaged; equal parts by default.
        multi_avg_fn: does the same for all at once, in place.
        use_buffers: whether buffers are averaged too; otherwise they are those of the model shown last.
    """

    def __init__(self, model, device=None, avg_fn=None, multi_avg_fn=None, use_buffers=False):
        super().__init__()
        assert avg_fn is None or multi_avg_fn is None, "Only one of avg_fn and multi_avg_fn should be provided"
        self.module = copy.deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", tensor(0, dtype=long, device=device))
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers

    def forward(self, *args, **kwargs):
        """What the averaged model gives."""
        return self.module(*args, **kwargs)

    def _tensors(self, model):
        parts = [model.parameters()] + ([model.buffers()] if self.use_buffers else [])
        return [part.detach() for each in parts for part in each]

    def update_parameters(self, model):
        """Takes the weights of a model into the average."""
        averages, weights = self._tensors(self.module), self._tensors(model)
        weights = [weight.to(average.device) for average, weight in zip(averages, weights)]
        if self.n_averaged == 0:
            for average, weight in zip(averages, weights):
                average.copy_(weight)
        elif self.multi_avg_fn is not None:
            self.multi_avg_fn(averages, weights, self.n_averaged)
        else:
            average_of = get_swa_avg_fn() if self.avg_fn is None else self.avg_fn
            for average, weight in zip(averages, weights):
                average.copy_(average_of(average, weight, self.n_averaged.to(average.device)))
        if not self.use_buffers:
            for own, shown in zip(self.module.buffers(), model.buffers()):
                own.detach().copy_(shown.detach().to(own.device))
        self.n_averaged += 1


@no_grad()
def update_bn(loader, model, device=None):
    """Computes the statistics of batch normalisation anew from all batches of a loader."""
    layers = [module for module in model.modules() if isinstance(module, _BatchNorm)]
    if not layers:
        return
    momenta = [layer.momentum for layer in layers]
    was_training = model.training
    model.train()
    for layer in layers:
        layer.reset_running_stats()
        # An average with equal parts.
        layer.momentum = None
    for batch in loader:
        if isinstance(batch, (list, tuple)):
            batch = batch[0]
        model(batch if device is None else batch.to(device))
    for layer, momentum in zip(layers, momenta):
        layer.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """Moves the rates to fixed ones and leaves them there.

    Args:
        optimizer: whose rates change.
        swa_lr: the rate, or one for each group.
        anneal_epochs: in how many epochs.
        anneal_strategy: ``"cos"`` or ``"linear"``.
        last_epoch: the epoch before the first.
    """

    def __init__(self, optimizer, swa_lr, anneal_epochs=10, anneal_strategy="cos", last_epoch=-1):
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        groups = optimizer.param_groups
        rates = swa_lr if isinstance(swa_lr, (list, tuple)) else [swa_lr] * len(groups)
        if len(rates) != len(groups):
            raise ValueError(
                "swa_lr must have the same length as optimizer.param_groups. "
                f"swa_lr has {len(rates)} values, param_groups has {len(groups)}."
            )
        for group, rate in zip(groups, rates):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_strategy = anneal_strategy
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _part(self, step):
        """How far the rates have moved after some steps: from 0 to 1."""
        t = max(0, min(1, step / max(1, self.anneal_epochs)))
        return (1 - math.cos(math.pi * t)) / 2 if self._anneal_strategy == "cos" else t

    def get_lr(self):
        """The rates of this epoch: where they began is worked out from where they are."""
        self._warn_outside_of_step()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._part(step - 1), self._part(step)
        rates = []
        for group in self.optimizer.param_groups:
            target, rate = group["swa_lr"], group["lr"]
            first = target if before == 1 else (rate - before * target) / (1 - before)
            rates.append(target * now + first * (1 - now))
        return rates

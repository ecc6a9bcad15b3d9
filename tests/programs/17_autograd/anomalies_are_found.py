"""Runs backwards that look for what is not a number name the call that made it, and warn where the call was."""

import warnings

import torch
from torch.autograd import detect_anomaly, set_detect_anomaly


def tell(name, run):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            print(name, run())
        except RuntimeError as error:
            print(name, "fails:", str(error).split("\n")[0])
    for item in heard:
        text = str(item.message).split("\n")
        print("  warns:", item.category.__name__, text[0].split(" (")[0], any("sqrt(" in line for line in text[1:]))


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * float("nan")


def root():
    with detect_anomaly():
        x = torch.tensor([-1.0, 4.0], requires_grad=True)
        torch.sqrt(x).sum().backward()


def unchecked():
    with detect_anomaly(check_nan=False):
        x = torch.tensor([-1.0, 4.0], requires_grad=True)
        torch.sqrt(x).sum().backward()
        return x.grad


def quotient():
    a, b = torch.zeros(1, requires_grad=True), torch.zeros(1, requires_grad=True)
    with set_detect_anomaly(True):
        (a / b).sum().backward()


def own():
    with set_detect_anomaly(True):
        Doubled.apply(torch.ones(1, requires_grad=True)).sum().backward()


def forgotten():
    x = torch.tensor([-1.0], requires_grad=True)
    y = x.sqrt()
    with set_detect_anomaly(True):
        y.sum().backward()


def modified():
    with set_detect_anomaly(True):
        x = torch.ones(1, requires_grad=True)
        e = x.exp()
        y = e.sum()
        e.mul_(2)
        y.backward()


def fine():
    with set_detect_anomaly(True):
        x = torch.ones(2, requires_grad=True)
        return torch.autograd.grad((x * 3).sum(), x)


print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
for run in (root, unchecked, quotient, own, forgotten, modified, fine):
    tell(run.__name__, run)
set_detect_anomaly(True, check_nan=False)
print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
set_detect_anomaly(False)
print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())

"""Marks for a compiler and for counters of the reference, which change nothing of what a program does."""


def _disable_dynamo(fn=None, recursive=True):
    """Marks a function that no compiler takes: nothing is compiled. Without a function, a decorator."""
    return fn if fn is not None else lambda function: function


def set_vital(vital, attr, value):
    """Nothing: what it would note is only shown where a variable of the environment of the reference asks for it."""

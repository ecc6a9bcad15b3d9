"""``torch.fx.experimental``: what is built on graphs. Modules here are loaded when they are first asked for."""


def __getattr__(name):
    import importlib

    try:
        return importlib.import_module("." + name, __package__)
    except ModuleNotFoundError:
        raise AttributeError(f"module 'torch.fx.experimental' has no attribute '{name}'") from None

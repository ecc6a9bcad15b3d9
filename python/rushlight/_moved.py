"""Old names of modules: ``torch.nn.quantized`` is ``torch.ao.nn.quantized``."""

import importlib
import sys
import types


def settle(namespace, home, parts=()):
    """Makes a package the old name of another: its names are those of `home`, its submodules those of the same path there.

    Args:
        namespace: the globals of the old package.
        home: the new path below this library, as ``ao.nn.quantized``.
        parts: the paths of the submodules that exist under the old name too.
    """
    root = __package__
    own = namespace["__name__"]
    module = importlib.import_module(f"{root}.{home}")
    for name, value in list(vars(module).items()):
        if not name.startswith("__") and not isinstance(value, types.ModuleType):
            namespace.setdefault(name, value)
    if hasattr(module, "__all__"):
        namespace.setdefault("__all__", list(module.__all__))
    for part in parts:
        found = importlib.import_module(f"{root}.{home}.{part}")
        for prefix in {own, "torch" + own.removeprefix(root)}:
            sys.modules.setdefault(f"{prefix}.{part}", found)
        if "." not in part:
            # A function of the same name stands before its module, as in `torch.quantization.quantize`.
            namespace.setdefault(part, found)

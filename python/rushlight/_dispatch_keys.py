"""Names of the layers that the reference's calls go through. Programs name some; calls here have layers of their own."""

import enum

_BACKENDS = ("CPU", "CUDA", "HIP", "XLA", "MPS", "IPU", "XPU", "HPU", "VE", "Lazy", "MTIA", "MAIA", "PrivateUse1", "PrivateUse2", "PrivateUse3", "Meta")
_NAMES = [
    "Undefined", "CompositeExplicitAutogradNonFunctional", "CompositeExplicitAutograd", "CompositeImplicitAutogradNestedTensor",
    "CompositeImplicitAutograd", "AutogradNestedTensor", "AutogradOther", "Autograd", "Conjugate", "ZeroTensor", "Negative", "BackendSelect",
    "ADInplaceOrView", "PythonTLSSnapshot", "Python", "FuncTorchDynamicLayerFrontMode", "FuncTorchDynamicLayerBackMode",
    "FuncTorchBatchedDecomposition", "FuncTorchBatched", "FuncTorchVmapMode", "FuncTorchGradWrapper", "PythonDispatcher", "PreDispatch",
    "Functionalize", "AutocastCPU", "AutocastMPS", "AutocastXPU", "AutocastHPU", "AutocastIPU", "AutocastCUDA", "AutocastPrivateUse1",
    "Dense", *_BACKENDS, "Quantized", "Sparse", "SparseCsr", "NestedTensor",
    *(kind + backend for kind in ("Quantized", "Sparse", "SparseCsr", "NestedTensor", "Autograd") for backend in _BACKENDS),
]
DispatchKey = enum.Enum("DispatchKey", _NAMES)
DispatchKey.__str__ = lambda self: f"DispatchKey.{self.name}"


class DispatchKeySet:
    """A set of layers."""

    def __init__(self, *keys):
        self._keys = frozenset(keys)

    def has(self, key):
        """Whether a layer is in the set."""
        return key in self._keys

    def add(self, key):
        """The set with a layer."""
        return DispatchKeySet(*self._keys, key)

    def remove(self, key):
        """The set without a layer."""
        return DispatchKeySet(*(self._keys - {key}))

    def __or__(self, other):
        return DispatchKeySet(*self._keys, *other._keys)

    def __and__(self, other):
        return DispatchKeySet(*(self._keys & other._keys))

    def __eq__(self, other):
        return isinstance(other, DispatchKeySet) and self._keys == other._keys

    def __hash__(self):
        return hash(self._keys)

    def __repr__(self):
        return f"DispatchKeySet({', '.join(key.name for key in DispatchKey if key in self._keys)})"


class _ExcludeDispatchKeyGuard:
    """Within, calls of the reference leave layers out. Only those of mixed precision mean anything here: they are turned off."""

    def __init__(self, keys):
        self._off = keys.has(DispatchKey.AutocastCPU)

    def __enter__(self):
        if self._off:
            from .amp import autocast_mode

            self._before = autocast_mode.autocast("cpu", enabled=False)
            self._before.__enter__()

    def __exit__(self, *error):
        if self._off:
            self._before.__exit__(*error)

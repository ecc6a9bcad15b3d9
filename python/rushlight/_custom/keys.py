"""Names of what kernels are for: kinds of devices and dispatch keys."""

_DEVICES = (
    "cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla", "lazy", "vulkan", "mps",
    "meta", "hpu", "mtia", "privateuseone",
)
_SPELT = {
    "cpu": "CPU", "cuda": "CUDA", "ipu": "IPU", "xpu": "XPU", "hip": "HIP", "xla": "XLA", "mps": "MPS", "meta": "Meta", "hpu": "HPU",
    "mtia": "MTIA", "lazy": "Lazy", "vulkan": "Vulkan", "privateuseone": "PrivateUse1", "maia": "MAIA", "ve": "VE", "fpga": "FPGA",
}
_KEYS = frozenset(
    (
        *_SPELT.values(), "CompositeImplicitAutograd", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional",
        "CompositeImplicitAutogradNestedTensor", "Autograd", "AutogradCPU", "AutogradCUDA", "AutogradOther", "AutogradMeta",
        "AutogradXLA", "AutogradMPS", "ADInplaceOrView", "BackendSelect", "Tracer", "AutocastCPU", "AutocastCUDA", "Autocast",
        "QuantizedCPU", "QuantizedCUDA", "SparseCPU", "SparseCUDA", "SparseCsrCPU", "Functionalize", "FuncTorchBatched", "Python",
        "MkldnnCPU", "NestedTensorCPU", "ZeroTensor", "Conjugate", "Negative", "Batched", "Undefined",
    )
)


def key_of_device(kind):
    """The key of a kind of devices."""
    if kind not in _DEVICES:
        raise RuntimeError(f"Expected one of {', '.join(_DEVICES)} device type at start of device string: {kind}")
    return _SPELT.get(kind, kind)


def key(name):
    """The key of a name as programs give it."""
    name = str(name).removeprefix("DispatchKey.")
    if name not in _KEYS and not name.startswith("Autocast"):
        raise RuntimeError(f"could not parse dispatch key: {name}")
    return name

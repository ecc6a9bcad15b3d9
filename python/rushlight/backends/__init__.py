"""``torch.backends``: switches of the reference's libraries. They keep what is set; nothing here depends on them."""

import contextlib
import sys
import types


class _Backend(types.ModuleType):
    """A library's switches, as a module."""

    def __init__(self, name, available, **switches):
        super().__init__("torch.backends." + name)
        self.__path__ = []
        vars(self).update(switches)
        self.is_available = lambda: available

    @contextlib.contextmanager
    def flags(self, **switches):
        """Within, switches stand otherwise."""
        before = {name: getattr(self, name) for name in switches}
        vars(self).update(switches)
        try:
            yield
        finally:
            vars(self).update(before)


class _Switches(types.SimpleNamespace):
    """Switches below those of a library."""


cpu = _Backend("cpu", True, get_cpu_capability=lambda: "DEFAULT")
def _attention_switches():
    """The switches of the reference's kernels of attention, and those of several for a while."""
    names = {"flash": True, "mem_efficient": True, "math": True, "cudnn": True}

    def enabled(name):
        return lambda: names[name]

    def enable(name):
        return lambda enabled: names.__setitem__(name, bool(enabled))

    @contextlib.contextmanager
    def sdp_kernel(enable_flash=True, enable_math=True, enable_mem_efficient=True, enable_cudnn=True):
        """Within, these kernels may serve; one serves all here."""
        before = dict(names)
        names.update(flash=enable_flash, math=enable_math, mem_efficient=enable_mem_efficient, cudnn=enable_cudnn)
        try:
            yield {}
        finally:
            names.update(before)

    found = {f"{name}_sdp_enabled": enabled(name) for name in names} | {f"enable_{name}_sdp": enable(name) for name in names}
    return found | {"sdp_kernel": sdp_kernel}


def _at_once_switch():
    """The switch of layers that run as one operator where nothing is recorded for gradients."""
    state = [True]
    return {
        "get_fastpath_enabled": lambda: state[0], "set_fastpath_enabled": lambda value: state.__setitem__(0, value),
    }


class SDPAParams:
    """What attention is asked for: by these, programs ask which kernels of a device could serve."""

    def __init__(self, query, key, value, attn_mask, dropout, is_causal, enable_gqa):
        self.query, self.key, self.value, self.attn_mask = query, key, value, attn_mask
        self.dropout, self.is_causal, self.enable_gqa = dropout, is_causal, enable_gqa


def _cannot(params, debug=False):
    """Whether a device's kernel of attention can serve: never, as there is no device."""
    return False


cuda = _Backend(
    "cuda",
    False,
    SDPAParams=SDPAParams,
    can_use_flash_attention=_cannot,
    can_use_efficient_attention=_cannot,
    can_use_cudnn_attention=_cannot,
    is_flash_attention_available=lambda: False,
    **_attention_switches(),
    fp32_precision="none",
    matmul=_Switches(allow_tf32=False, fp32_precision="none", allow_fp16_reduced_precision_reduction=True),
    is_built=lambda: False,
)
cudnn = _Backend(
    "cudnn", False, enabled=True, benchmark=False, benchmark_limit=10, deterministic=False, allow_tf32=True, fp32_precision="none", version=lambda: None
)
cudnn.rnn = types.ModuleType("torch.backends.cudnn.rnn")
mha = _Backend("mha", True, **_at_once_switch())
mkl = _Backend("mkl", False)
mkldnn = _Backend("mkldnn", False, enabled=True, deterministic=False)


def _is_macos_or_newer(major, minor):
    """Which system of the device's maker this is: there is no such device."""
    raise RuntimeError("Cannot execute isOnMacOSorNewer() without MPS backend.")


mps = _Backend("mps", False, is_built=lambda: False, is_macos_or_newer=_is_macos_or_newer)
openmp = _Backend("openmp", False)
opt_einsum = _Backend("opt_einsum", False, enabled=False, strategy=None, get_opt_einsum=lambda: None)


def _set_opt_einsum(_enabled=None, _strategy=None):
    """Whether ``einsum`` looks for the best order of its products, and how: that takes a package that is not asked here.

    Returns:
        What was set before.

    Raises:
        ValueError: for anything that needs the package.
    """
    if _enabled:
        raise ValueError("opt_einsum is not available, so setting `enabled` to True will not reap the benefits of calculating an optimal "
                         "path for einsum. torch.einsum will fall back to contracting from left to right. To enable this optimal path "
                         "calculation, please install opt-einsum.")
    if _strategy is not None:
        raise ValueError(f"opt_einsum is not available, so setting `strategy` to {_strategy} will not be meaningful. torch.einsum will "
                         "bypass path calculation and simply contract from left to right. Please install opt_einsum or unset `strategy`.")
    before = opt_einsum.enabled, opt_einsum.strategy
    if _enabled is not None:
        opt_einsum.enabled = False
    return before


opt_einsum.set_flags = _set_opt_einsum


class _Quantized(_Backend):
    """The engines of quantized layers: one may be chosen, and all give the same numbers here."""

    def __init__(self):
        super().__init__("quantized", True)
        vars(self)["_engine"] = "x86"

    @property
    def engine(self):
        """The engine that is chosen.

        Raises:
            RuntimeError: set to something that is none.
        """
        return self._engine

    @engine.setter
    def engine(self, name):
        if name == "none":
            raise RuntimeError("quantized engine NoQEngine is not supported")
        if name not in self.supported_engines:
            raise RuntimeError(f"{name} is not a valid value for quantized engine")
        vars(self)["_engine"] = name

    @property
    def supported_engines(self):
        """The engines that can be chosen."""
        return ["qnnpack", "onednn", "x86", "fbgemm"]

    @supported_engines.setter
    def supported_engines(self, names):
        raise RuntimeError("Assignment not supported")


quantized = _Quantized()
xnnpack = _Backend("xnnpack", False, enabled=False)
# How exact products of floats are, for libraries that can be less so: here always in full.
fp32_precision = "none"

for _backend in (cpu, cuda, cudnn, mha, mkl, mkldnn, mps, openmp, opt_einsum, quantized, xnnpack):
    # As `import rushlight.backends.cudnn` finds them.
    sys.modules[f"{__package__}.{_backend.__name__.rpartition('.')[2]}"] = _backend
del _backend

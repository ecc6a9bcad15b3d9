"""Conversions of whole modules: dtypes, devices, training mode, gradients asked for or not."""

import warnings

import rushlight as torch

from ... import _rushlight
from ...autograd import no_grad
from ..._old_methods import device_methods, refuse_device
from ..._rushlight import Tensor
from ..parameter import Parameter, is_lazy

__all__ = ["Conversions"]


def _is_floating(tensor):
    return tensor.dtype.is_floating_point or tensor.dtype.is_complex


def _targets(args, kwargs):
    """(device, dtype, memory format) that the arguments of ``to`` ask for."""
    wanted = {"device": kwargs.get("device"), "dtype": kwargs.get("dtype"), "memory_format": kwargs.get("memory_format")}
    unknown = set(kwargs) - {"device", "dtype", "non_blocking", "copy", "memory_format", "tensor"}
    if unknown:
        raise TypeError(f"to() received an invalid combination of arguments - got an unexpected keyword argument '{unknown.pop()}'")
    for value in [*args, kwargs.get("tensor")]:
        if isinstance(value, Tensor):
            wanted.update(device=value.device, dtype=value.dtype)
        elif isinstance(value, _rushlight.dtype):
            wanted["dtype"] = value
        elif isinstance(value, (str, int, _rushlight.device)) and not isinstance(value, bool):
            wanted["device"] = value
    if wanted["device"] is not None:
        wanted["device"] = _rushlight.device(wanted["device"])
    return wanted["device"], wanted["dtype"], wanted["memory_format"]


_TO_FROM_META = (
    "Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() when "
    "moving module from meta to a different device."
)


_COMPLEX = (
    "Complex modules are a new feature under active development whose design may change, and some modules might not work as expected "
    "when using complex tensors as parameters or buffers. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml if a complex module does not work as expected."
)


def _refuse_absent(device):
    """Refuses to move a tensor to a device that is not here."""
    if device is None or device.type in ("cpu", "meta"):
        return
    if device.type == "cuda":
        from ...cuda import _NO_DRIVER

        raise RuntimeError(_NO_DRIVER)
    refuse_device(device.type)


class Conversions:
    """The part of ``Module`` that converts."""

    def _apply(self, fn, recurse=True):
        """Replaces every parameter's data and every buffer by what ``fn`` makes of it; parameters stay the same objects."""
        for child in self.children() if recurse else ():
            child._apply(fn)
        with no_grad():
            for name, parameter in self._parameters.items():
                if parameter is None:
                    continue
                if is_lazy(parameter):
                    parameter.data = fn(parameter.data)
                    continue
                data = fn(parameter)
                # Of what is no leaf, as a deep copy of a script holds, asking says that there is none.
                gradient = parameter.grad
                changed = None if gradient is None else fn(gradient)
                if data.is_meta == parameter.is_meta:
                    parameter.data = data
                    if gradient is not None:
                        gradient.data = changed
                else:
                    # What has elements and what has none are different tensors.
                    self._parameters[name] = parameter = Parameter(data, parameter.requires_grad)
                    parameter.grad = changed
            for name, buffer in self._buffers.items():
                if is_lazy(buffer):
                    buffer.data = fn(buffer.data)
                elif buffer is not None:
                    self._buffers[name] = fn(buffer)
        return self

    def apply(self, fn):
        """Calls ``fn`` on every module below, then on this one."""
        for child in self.children():
            child.apply(fn)
        fn(self)
        return self

    def to(self, *args, **kwargs):
        """Moves parameters and buffers to a device or a floating point dtype."""
        device, dtype, memory_format = _targets(args, kwargs)
        if dtype is not None and dtype.is_complex:
            warnings.warn(_COMPLEX, UserWarning, stacklevel=2)
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}")

        def convert(tensor):
            options = {}
            _refuse_absent(device)
            if dtype is not None and _is_floating(tensor):
                options["dtype"] = dtype
            if device is not None:
                options["device"] = device
            if memory_format is not None and tensor.dim() in (4, 5):
                options["memory_format"] = memory_format
            if tensor.is_meta and device is not None and device.type != "meta":
                raise NotImplementedError(_TO_FROM_META)
            return tensor.to(**options) if options else tensor

        return self._apply(convert)

    def _floats_as(self, dtype):
        return self._apply(lambda t: t.to(dtype) if t.dtype.is_floating_point else t)

    def float(self):
        """Floating point parameters and buffers as float32."""
        return self._floats_as(_rushlight.dtype("float32"))

    def double(self):
        """Floating point parameters and buffers as float64."""
        return self._floats_as(_rushlight.dtype("float64"))

    def half(self):
        """Floating point parameters and buffers as float16."""
        return self._floats_as(_rushlight.dtype("float16"))

    def bfloat16(self):
        """Floating point parameters and buffers as bfloat16."""
        return self._floats_as(_rushlight.dtype("bfloat16"))

    def type(self, dst_type):
        """Parameters and buffers as a dtype."""
        return self._apply(lambda t: t.type(dst_type))

    def cpu(self):
        """The module itself: everything is on the CPU."""
        return self._apply(lambda t: t.cpu())

    def cuda(self, device=None):
        """Refused: there is no GPU here; a module without tensors has nothing to move."""

        def move(tensor):
            if device is not None and not isinstance(device, int) and _rushlight.device(device).type != "cuda":
                raise RuntimeError("Invalid device, must be cuda device")
            _refuse_absent(_rushlight.device("cuda"))

        return self._apply(move)

    def to_empty(self, *, device, recurse=True):
        """Tensors of the same kinds with unset elements."""
        def emptied(tensor):
            _refuse_absent(None if device is None else _rushlight.device(device))
            return _rushlight.Builtin("aten::empty_like", "torch.empty_like")(tensor, device=device)

        return self._apply(emptied, recurse)

    def share_memory(self):
        """Moves parameters and buffers to memory that other processes can have too."""
        for tensor in (*self.parameters(), *self.buffers()):
            tensor.share_memory_()
        return self

    def train(self, mode=True):
        """Sets the training mode here and below."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for child in self.children():
            child.train(mode)
        return self

    def eval(self):
        """Leaves training mode."""
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        """Whether gradients of the parameters are asked for."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        """Forgets the gradients of the parameters, or makes them zero."""
        for parameter in self.parameters():
            if parameter.grad is None:
                continue
            if set_to_none:
                parameter.grad = None
            else:
                parameter.grad = torch.zeros_like(parameter.grad)

    def compile(self, *args, **kwargs):
        """Makes calls of the module those of what ``torch.compile`` gives for it."""
        compiled = torch.compile(self.forward, *args, **kwargs)
        self._compiled_call_impl = compiled
        if not isinstance(kwargs.get("backend", "inductor"), str):
            self.forward = compiled


for _name, _method in device_methods().items():
    setattr(Conversions, _name, _method)

"""``torch.onnx.errors``: what exports fail with."""


class OnnxExporterWarning(UserWarning):
    """Something about a model that may surprise."""


class OnnxExporterError(RuntimeError):
    """A model cannot be exported."""


class UnsupportedOperatorError(OnnxExporterError):
    """A model calls an operator that ONNX lacks."""

    def __init__(self, name, version, supported_version=None):
        text = f"Exporting the operator '{name}' to ONNX opset version {version} is not supported"
        if supported_version is not None:
            text += f". Support for this operator was added in version {supported_version}, try exporting with this version"
        super().__init__(text)


class SymbolicValueError(OnnxExporterError):
    """An operator is called with something that ONNX lacks."""

    def __init__(self, msg, value=None):
        super().__init__(msg)


for _class in (OnnxExporterWarning, OnnxExporterError, UnsupportedOperatorError, SymbolicValueError):
    _class.__module__ = __name__.replace("rushlight", "torch", 1)

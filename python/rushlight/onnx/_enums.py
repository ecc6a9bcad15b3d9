"""The numbers of ``torch.onnx``."""

import enum


class _Number(enum.Enum):
    """A name with a number, which is no number itself."""

    def __int__(self):
        return self.value

    def __index__(self):
        return self.value


class OperatorExportTypes(_Number):
    """How an export treats operators that ONNX lacks. Here it refuses them."""

    ONNX = 0
    ONNX_ATEN = 1
    ONNX_ATEN_FALLBACK = 2
    ONNX_FALLTHROUGH = 3


class TrainingMode(_Number):
    """In which mode a model is exported."""

    EVAL = 0
    PRESERVE = 1
    TRAINING = 2


class TensorProtoDataType(_Number):
    """ONNX's numbers of dtypes."""

    UNDEFINED, FLOAT, UINT8, INT8, UINT16, INT16, INT32, INT64, STRING, BOOL, FLOAT16, DOUBLE, UINT32, UINT64, COMPLEX64, COMPLEX128, BFLOAT16 = range(17)


for _class in (OperatorExportTypes, TrainingMode, TensorProtoDataType):
    _class.__module__ = "torch.onnx"

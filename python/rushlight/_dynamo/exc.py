"""``torch._dynamo.exc``: errors of a compiler that is not part of Rushlight. Programs catch them; nothing raises them."""


class TorchDynamoException(RuntimeError):
    """The base of the compiler's errors."""


class InternalTorchDynamoError(TorchDynamoException):
    """A mistake of the compiler."""


class Unsupported(TorchDynamoException):
    """What the compiler does not take."""


class UserError(Unsupported):
    """What a program may not do."""


class BackendCompilerFailed(TorchDynamoException):
    """A backend that failed."""


class InvalidBackend(TorchDynamoException):
    """A backend that is not there."""


class ResetRequired(TorchDynamoException):
    """The compiler must be reset."""


class RecompileError(TorchDynamoException):
    """A function that is compiled too often."""


class RecompileLimitExceeded(Unsupported):
    """A function that is compiled too often."""


class TensorifyScalarRestartAnalysis(TorchDynamoException):
    """A function that is looked at again."""

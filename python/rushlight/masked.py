"""``torch.masked``: tensors with masks, which are not part of this version. Making one raises."""

from ._absent import refuse

refuse(globals(), (
    "MaskedTensor", "masked_tensor", "as_masked_tensor", "is_masked_tensor", "amax", "amin", "argmax", "argmin", "cumprod", "cumsum",
    "log_softmax", "logaddexp", "logsumexp", "mean", "median", "norm", "normalize", "prod", "softmax", "softmin", "std", "sum", "var",
), NotImplementedError, lambda name: f"torch.masked.{name}: masked tensors are not part of Rushlight; torch.where and Tensor.masked_fill take masks")

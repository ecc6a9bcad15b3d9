"""How sequences of layers become one: a function for every sequence."""

import rushlight as torch

from ..._library import publish
from ..nn import intrinsic as nni
from .utils import get_combined_dict

__all__ = [
    "fuse_conv_bn", "fuse_conv_bn_relu", "fuse_linear_bn", "fuse_convtranspose_bn", "get_fuser_method", "get_fuser_method_new",
]


def _check_modes(first, bn, what):
    if first.training != bn.training:
        raise AssertionError(f"{what} both must be in the same mode (train or eval).")


def _check_channels(conv, bn):
    """Refuses normalizations that training could not fold into the convolution."""
    if bn.num_features != conv.out_channels:
        raise AssertionError("Output channel of Conv2d must match num_features of BatchNorm2d")
    if not bn.affine:
        raise AssertionError("Only support fusing BatchNorm2d with affine set to True")
    if not bn.track_running_stats:
        raise AssertionError("Only support fusing BatchNorm2d with tracking_running_stats set to True")


def fuse_conv_bn(is_qat, conv, bn):
    """Convolution and batch normalization: one convolution, or for training the sequence of both."""
    _check_modes(conv, bn, "Conv and BN")
    kinds = {torch.nn.Conv1d: nni.ConvBn1d, torch.nn.Conv2d: nni.ConvBn2d, torch.nn.Conv3d: nni.ConvBn3d}
    if is_qat:
        _check_channels(conv, bn)
        kind = kinds.get(type(conv))
        if kind is None:
            raise NotImplementedError(f"Cannot fuse train modules: {(conv, bn)}")
        return kind(conv, bn)
    return torch.nn.utils.fuse_conv_bn_eval(conv, bn)


def fuse_conv_bn_relu(is_qat, conv, bn, relu):
    """Convolution, batch normalization and ReLU: a convolution with a ReLU, or for training the sequence of all."""
    if not conv.training == bn.training == relu.training:
        raise AssertionError("Conv and BN both must be in the same mode (train or eval).")
    if is_qat:
        kinds = {
            torch.nn.Conv1d: nni.ConvBnReLU1d, torch.nn.Conv2d: nni.ConvBnReLU2d, torch.nn.Conv3d: nni.ConvBnReLU3d,
        }
        _check_channels(conv, bn)
        kind = kinds.get(type(conv))
        if kind is None:
            raise NotImplementedError(f"Cannot fuse train modules: {(conv, bn, relu)}")
        return kind(conv, bn, relu)
    kinds = {torch.nn.Conv1d: nni.ConvReLU1d, torch.nn.Conv2d: nni.ConvReLU2d, torch.nn.Conv3d: nni.ConvReLU3d}
    kind = kinds.get(type(conv))
    if kind is None:
        raise NotImplementedError(f"Cannot fuse eval modules: {(conv, bn, relu)}")
    return kind(torch.nn.utils.fusion.fuse_conv_bn_eval(conv, bn), relu)


def fuse_linear_bn(is_qat, linear, bn):
    """Linear map and batch normalization: one linear map, or for training the sequence of both."""
    _check_modes(linear, bn, "Linear and BN")
    if is_qat:
        if bn.num_features != linear.out_features:
            raise AssertionError("Output features of Linear must match num_features of BatchNorm1d")
        if not bn.affine:
            raise AssertionError("Only support fusing BatchNorm1d with affine set to True")
        if not bn.track_running_stats:
            raise AssertionError("Only support fusing BatchNorm1d with tracking_running_stats set to True")
        return nni.LinearBn1d(linear, bn)
    return torch.nn.utils.fusion.fuse_linear_bn_eval(linear, bn)


def fuse_convtranspose_bn(is_qat, convt, bn):
    """Transposed convolution and batch normalization: one transposed convolution."""
    _check_modes(convt, bn, "ConvTranspose and BN")
    if is_qat:
        raise Exception("Fusing ConvTranspose+BatchNorm not yet supported in QAT.")  # noqa: TRY002
    return torch.nn.utils.fusion.fuse_conv_bn_eval(convt, bn, transpose=True)


def _sequential_wrapper2(sequential):
    """Makes a sequence of two modules that stands for one."""

    def fuser_method(is_qat, m1, m2):
        return sequential(m1, m2)

    return fuser_method


_DEFAULT_OP_LIST_TO_FUSER_METHOD = {
    (torch.nn.Conv1d, torch.nn.BatchNorm1d): fuse_conv_bn,
    (torch.nn.Conv1d, torch.nn.BatchNorm1d, torch.nn.ReLU): fuse_conv_bn_relu,
    (torch.nn.Conv2d, torch.nn.BatchNorm2d): fuse_conv_bn,
    (torch.nn.Conv2d, torch.nn.BatchNorm2d, torch.nn.ReLU): fuse_conv_bn_relu,
    (torch.nn.Conv3d, torch.nn.BatchNorm3d): fuse_conv_bn,
    (torch.nn.Conv3d, torch.nn.BatchNorm3d, torch.nn.ReLU): fuse_conv_bn_relu,
    (torch.nn.Conv1d, torch.nn.ReLU): _sequential_wrapper2(nni.ConvReLU1d),
    (torch.nn.Conv2d, torch.nn.ReLU): _sequential_wrapper2(nni.ConvReLU2d),
    (torch.nn.Conv3d, torch.nn.ReLU): _sequential_wrapper2(nni.ConvReLU3d),
    (torch.nn.Linear, torch.nn.BatchNorm1d): fuse_linear_bn,
    (torch.nn.Linear, torch.nn.ReLU): _sequential_wrapper2(nni.LinearReLU),
    (torch.nn.BatchNorm2d, torch.nn.ReLU): _sequential_wrapper2(nni.BNReLU2d),
    (torch.nn.BatchNorm3d, torch.nn.ReLU): _sequential_wrapper2(nni.BNReLU3d),
    (torch.nn.ConvTranspose1d, torch.nn.BatchNorm1d): fuse_convtranspose_bn,
    (torch.nn.ConvTranspose2d, torch.nn.BatchNorm2d): fuse_convtranspose_bn,
    (torch.nn.ConvTranspose3d, torch.nn.BatchNorm3d): fuse_convtranspose_bn,
}


def get_fuser_method(op_list, additional_fuser_method_mapping=None):
    """The function that makes one module of modules of these classes.

    Raises:
        AssertionError: there is none.
    """
    known = get_combined_dict(_DEFAULT_OP_LIST_TO_FUSER_METHOD, additional_fuser_method_mapping or {})
    found = known.get(op_list)
    if found is None:
        raise AssertionError(f"did not find fuser method for: {op_list} ")
    return found


def get_fuser_method_new(op_pattern, fuser_method_mapping):
    """The function for a pattern, in a mapping of patterns.

    Raises:
        AssertionError: there is none.
    """
    found = fuser_method_mapping.get(op_pattern)
    if found is None:
        raise AssertionError(f"did not find fuser method for: {op_pattern} ")
    return found


publish(globals())

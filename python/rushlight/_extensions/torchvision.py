"""The operators of torchvision's library that are not in the table: gradients by name, the version of CUDA."""

import rushlight as torch


def _cuda_version():
    """None: -1."""
    return -1


def _backward(name, count):
    """The gradient of an operator over regions with respect to its input, of which `count` arguments follow the regions."""

    def backward(grad, rois, *arguments):
        operator = getattr(torch.ops.torchvision, name)
        rest = list(arguments)
        if name in ("roi_pool", "ps_roi_align", "ps_roi_pool"):
            # What the operator told besides its result; it is found again.
            rest.pop(0)
        scale, height, width = rest[:3]
        options = rest[3 : count + 3] if name == "ps_roi_align" else []
        sizes = rest[3 + len(options) :]
        if name == "roi_align":
            options = sizes[4:]
        with torch.enable_grad():
            image = torch.zeros(sizes[:4], dtype=grad.dtype, requires_grad=True)
            result = operator(image, rois, scale, height, width, *options)
            result = result[0] if isinstance(result, tuple) else result
        return torch.autograd.grad(result, image, grad)[0]

    backward.__name__ = f"_{name}_backward"
    return backward


def _deform_conv2d_backward(*_):
    """Is not there by itself."""
    raise NotImplementedError("torchvision::_deform_conv2d_backward cannot be called by itself; differentiate deform_conv2d")


def qroi_align(*_):
    """Is not there: regions of quantized images."""
    raise NotImplementedError("torchvision::qroi_align is not part of Rushlight")


def qnms(*_):
    """Is not there: the best of quantized boxes."""
    raise NotImplementedError("torchvision::qnms is not part of Rushlight")


def box_iou_rotated(*_):
    """Is not there: how far boxes that are turned cover each other."""
    raise NotImplementedError("torchvision::box_iou_rotated is not part of Rushlight")


def register():
    """Puts them into ``torch.ops.torchvision``."""
    space = torch.ops.torchvision
    space._cuda_version = _cuda_version
    for name, count in (("roi_align", 0), ("roi_pool", 0), ("ps_roi_align", 1), ("ps_roi_pool", 0)):
        _put(space, _backward(name, count))
    for function in (_deform_conv2d_backward, qroi_align, qnms, box_iou_rotated):
        _put(space, function)


def _put(space, function):
    # Overloads are asked for by name.
    function.default = function
    setattr(space, function.__name__, function)

"""Pictures in any order of their dimensions, and figures, as arrays."""

import numpy as np


def make_grid(pictures, ncols=8):
    """Pictures (N, C, H, W) beside one another, as one (C, H, W)."""
    if pictures.shape[1] == 1:
        pictures = np.concatenate([pictures] * 3, 1)
    count, channels, height, width = pictures.shape
    columns = min(count, ncols)
    rows = -(-count // columns)
    grid = np.zeros((channels, height * rows, width * columns), dtype=pictures.dtype)
    for place, picture in enumerate(pictures):
        y, x = place // columns * height, place % columns * width
        grid[:, y:y + height, x:x + width] = picture
    return grid


def convert_to_HWC(tensor, input_format):  # noqa: N802  the reference's name
    """A picture, or several, as one of height, width and colours."""
    if len(set(input_format)) != len(input_format):
        raise AssertionError(f"You can not use the same dimension shorthand twice.             input_format: {input_format}")
    if len(tensor.shape) != len(input_format):
        raise AssertionError(
            f"size of input tensor and input format are different.         tensor shape: {tensor.shape}, input_format: {input_format}"
        )
    order = input_format.upper()
    if len(order) == 4:
        return make_grid(tensor.transpose([order.find(axis) for axis in "NCHW"])).transpose(1, 2, 0)
    if len(order) == 3:
        picture = tensor.transpose([order.find(axis) for axis in "HWC"])
        return np.concatenate([picture] * 3, 2) if picture.shape[2] == 1 else picture
    picture = tensor.transpose([order.find(axis) for axis in "HW"])
    return np.stack([picture] * 3, 2)


def figure_to_image(figures, close=True):
    """A figure of matplotlib as an array (C, H, W), several as (N, C, H, W)."""
    from matplotlib import pyplot
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    def drawn(figure):
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        picture = np.asarray(canvas.buffer_rgba())[:, :, :3].transpose(2, 0, 1)
        if close:
            pyplot.close(figure)
        return picture

    return np.stack([drawn(figure) for figure in figures]) if isinstance(figures, list) else drawn(figures)

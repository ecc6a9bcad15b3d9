"""The Mandelbrot set: tensors, comparisons and masks.

    rushlight run examples/mandelbrot.py:show 72 28
    rushlight run examples/mandelbrot.py:area 400
"""

import torch
from torch import Tensor


def escape_times(real: Tensor, imaginary: Tensor, limit: int) -> Tensor:
    """For each point c, after how many steps of z = z * z + c its |z| exceeds 2; `limit` where it does not."""
    x, y = torch.zeros_like(real), torch.zeros_like(real)
    times = torch.zeros_like(real, dtype=torch.int64)
    for _ in range(limit):
        x, y = x * x - y * y + real, 2 * x * y + imaginary
        inside = x * x + y * y <= 4
        times += inside.to(torch.int64)
        # What has escaped stays where it is: it must not overflow.
        x, y = torch.where(inside, x, 2.0), torch.where(inside, y, 2.0)
    return times


def grid(width: int, height: int, limit: int) -> Tensor:
    """Escape times of the points of a (height, width) grid over the whole set."""
    real = torch.linspace(-2.2, 0.8, width, dtype=torch.float64)
    imaginary = torch.linspace(1.25, -1.25, height, dtype=torch.float64)
    return escape_times(real.expand(height, width), imaginary.unsqueeze(1).expand(height, width), limit)


def show(width: int, height: int) -> None:
    """Print the set, one character per point."""
    limit = 60
    characters = " .:-=+*%@#"
    times = grid(width, height, limit)
    shades = (times * (len(characters) - 1)).div(limit, rounding_mode="floor")
    for row in range(height):
        line = ""
        for column in range(width):
            line += characters[int(shades[row, column].item())]
        print(line)


def area(width: int) -> float:
    """The area of the set, estimated from a grid of `width` by `width` points."""
    limit = 200
    inside = grid(width, width, limit) == limit
    return float(inside.to(torch.float64).mean()) * 3.0 * 2.5

# transposed convolutions with the size that the output should have, in Python and scripted, good and wrong sizes
import torch
from torch import nn

torch.manual_seed(0)
for layer, sizes, wanted in (
    (nn.ConvTranspose1d(2, 1, 3, stride=2), (1, 2, 4), ([9], [10], [1, 1, 10], [11], [1, 10])),
    (nn.ConvTranspose2d(2, 1, 3, stride=(3, 2), padding=1, dilation=(1, 2)), (2, 3, 2), ([7, 5], [1, 9, 6], [6, 5], [7])),
    (nn.ConvTranspose3d(1, 1, 2, stride=2), (1, 1, 2, 2, 2), ([4, 5, 4], [1, 1, 5, 5, 5], [6, 4, 4])),
):
    x = torch.randn(sizes)
    scripted = torch.jit.script(layer)
    for size in wanted:
        for name, call in (("python", layer), ("script", scripted)):
            try:
                out = call(x, size)
                print(name, size, tuple(out.shape), round(out.sum().item(), 4))
            except Exception as e:
                lines = [line for line in str(e).splitlines() if "output" in line]
                print(name, size, lines[-1].split("builtins.ValueError: ")[-1] if lines else type(e).__name__)

# Traces call what layers compute as the reference's own variables are called.
import warnings

import torch
import torch.nn.functional as F
from torch import nn

warnings.simplefilter("ignore")
torch.manual_seed(0)
image, rows = torch.rand(2, 4, 6, 6), torch.rand(2, 4)
layers = {
    "reflected": (nn.Conv2d(4, 2, 3, padding=1, padding_mode="reflect"), (image,)),
    "response": (nn.LocalResponseNorm(2), (image,)),
    "powers": (nn.LPPool2d(2, 2), (image,)),
    "fractional": (nn.FractionalMaxPool2d(2, output_size=3), (image,)),
    "divergence": (nn.KLDivLoss(reduction="batchmean"), (rows, rows)),
    "labels": (nn.MultiLabelSoftMarginLoss(), (rows, rows)),
    "gumbel": (lambda x: F.gumbel_softmax(x, hard=True), (rows,)),
    "gru": (nn.GRU(3, 4), (torch.rand(3, 2, 3),)),
    "lstm": (nn.LSTM(3, 4, 2, batch_first=True, bidirectional=True), (torch.rand(3, 2, 3),)),
}
for name, (layer, inputs) in layers.items():
    print("==", name)
    print(torch.jit.trace(layer, inputs, check_trace=False).code)
